"""A chat as its caller writes it: made into a turn, and the reply as the API shows it."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.ai.prompts import Content, check_prompt, messages_of, read_prompt
from builtin_plugins.ai.sources import wants_json
from builtin_plugins.ai.tokens import estimated_prompt, estimated_tokens
from guildhall_sdk import Host, PermissionDenied, Principal
from guildhall_sdk.services.models import DEFAULT_MAX_TOKENS, ModelChoice, ModelReply, ModelTurn, TokenUsage


async def check_turn(host: Host, principal: Principal, body: Mapping[str, Any]) -> Content:
    """The content of a prompt as far as it is there; raises what the body or the caller is refused for."""
    if "executor" in body and not principal.may("instance:manage"):
        raise PermissionDenied("instance:manage")
    return await check_prompt(host, principal, body["prompt"])


async def turn_of(
    host: Host, principal: Principal, body: Mapping[str, Any], content: Content | None = None
) -> ModelTurn:
    """The turn that a body asks for; a document that nobody has read yet is read. Not inside a scope.

    Raises what `check_turn` raises, which gave the `content`, and `TextPending`.
    """
    if content is None:
        content = await check_turn(host, principal, body)
    parts = await read_prompt(host, principal, body["prompt"]) if content.unread else content.parts
    return ModelTurn(
        messages=messages_of(parts, body.get("system"), body.get("history", ())),
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
