"""A chat as its caller writes it: made into a turn, and the reply as the API shows it."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.ai.prompts import messages_of
from builtin_plugins.ai.sources import wants_json
from builtin_plugins.ai.tokens import estimated_prompt, estimated_tokens
from guildhall_sdk import Host, PermissionDenied, Principal
from guildhall_sdk.services import ModelChoice, ModelReply, ModelTurn, Repository, TokenUsage
from guildhall_sdk.services.models import DEFAULT_MAX_TOKENS


async def turn_of(host: Host, principal: Principal, body: Mapping[str, Any]) -> ModelTurn:
    """The turn that a body asks for. Raises what the body or the caller is refused for."""
    if "executor" in body and not principal.may("instance:manage"):
        raise PermissionDenied("instance:manage")
    async with host.data.read() as reader:
        messages = await messages_of(
            host.service(Repository),
            reader,
            principal,
            body["prompt"],
            body.get("system"),
            body.get("history", ()),
        )
    return ModelTurn(
        messages=messages,
        response_format=body.get("response_format"),
        max_tokens=body.get("max_tokens", DEFAULT_MAX_TOKENS),
        temperature=body.get("temperature"),
    )


def answered_in_part(text: str, choice: ModelChoice, turn: ModelTurn) -> dict[str, Any]:
    """A reply that was stopped, as far as it came."""
    usage = TokenUsage(estimated_prompt(turn), estimated_tokens(text) if text else 0, estimated=True)
    return {
        "reply": text,
        "model": choice.model,
        "executor": choice.executor,
        "simulated": choice.simulated,
        "finish_reason": "stopped",
        "usage": usage.public(),
    }


def answered(reply: ModelReply, turn: ModelTurn) -> dict[str, Any]:
    """A reply as the API shows it."""
    fields: dict[str, Any] = {
        "reply": reply.text,
        "model": reply.model,
        "executor": reply.executor,
        "simulated": reply.simulated,
        "finish_reason": reply.finish_reason,
        "usage": reply.usage.public(),
    }
    if reply.reasoning:
        fields["reasoning"] = reply.reasoning
    if wants_json(turn) and reply.schema_error is None:
        fields["parsed"] = reply.parsed
    if reply.repaired:
        fields["repaired"] = True
    return fields
