"""Chat completions: a client's request made into a turn, and its answer as OpenAI's API has it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from builtin_plugins.gateway.wire import headers_of, model_named, plain, tokens_used
from guildhall_sdk import Call, Reply, new_id
from guildhall_sdk.replies import ServerSentEvent, event_stream
from guildhall_sdk.services.models import MemberModel, ModelDelta, ModelReply, Models, ModelTurn
from libs.request_body import unless_gone

#: Of an answer where a client names no limit.
MAX_TOKENS = 4096
_OPTIONS = (
    *("top_p", "stop", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "tool_choice"),
    *("parallel_tool_calls", "reasoning_effort"),
)
_DONE = ServerSentEvent(text="[DONE]")


async def complete_chat(call: Call) -> Reply:
    """Answers whole, or piece by piece with `stream`."""
    body = call.body
    model = await model_named(call, body["model"])
    turn = turn_of(body, model)
    if body.get("stream"):
        reply = event_stream(_chunks(call, turn, model), prefetch=True)
        return replace(reply, headers={**reply.headers, **await headers_of(call, asked=1)})
    asked = call.service(Models).ask(call.principal, turn, executor=model.executor)
    answer = await unless_gone(call, asked)
    return Reply(_completion(call, answer, model.name), headers=await headers_of(call))


def turn_of(body: Mapping[str, Any], model: MemberModel) -> ModelTurn:
    """Returns the turn that a request for chat completions asks for."""
    wanted = body.get("max_completion_tokens") or body.get("max_tokens") or MAX_TOKENS
    return ModelTurn(
        messages=[_message(message) for message in body["messages"]],
        response_format=body.get("response_format"),
        tools=body.get("tools") or (),
        max_tokens=wanted,
        temperature=body.get("temperature"),
        model=model.model,
        options=plain({name: body.get(name) for name in _OPTIONS}),
    )


def _message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a message as every server takes it: `developer` is a newer word for `system`."""
    return {**message, "role": "system"} if message["role"] == "developer" else message


def _completion(call: Call, answer: ModelReply, name: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.tool_calls:
        message["tool_calls"] = [one.message() for one in answer.tool_calls]
    elif not answer.text:
        message["content"] = ""
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    choice = {"index": 0, "message": message, "finish_reason": finish_reason(answer), "logprobs": None}
    return {**_head(call, "chat.completion", name), "choices": [choice], "usage": tokens_used(answer.usage)}


def finish_reason(answer: ModelReply) -> str:
    """Returns why an answer ended, by its calls before what its server says."""
    return "tool_calls" if answer.tool_calls else answer.finish_reason


def _head(call: Call, kind: str, name: str) -> dict[str, Any]:
    made = new_id("chatcmpl", call.now_ms).replace("_", "-")
    return {"id": made, "object": kind, "created": call.now_ms // 1000, "model": name}


async def _chunks(call: Call, turn: ModelTurn, model: MemberModel) -> AsyncIterator[ServerSentEvent]:
    head = _head(call, "chat.completion.chunk", model.name)

    def chunk(delta: Mapping[str, Any], reason: str | None = None) -> ServerSentEvent:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return ServerSentEvent(data={**head, "choices": [choice]})

    pieces = call.service(Models).stream(call.principal, turn, executor=model.executor)
    begun = False
    async with aclosing(pieces):
        async for piece in pieces:
            if not begun:
                begun = True
                yield chunk({"role": "assistant", "content": ""})
            if isinstance(piece, ModelDelta):
                yield chunk({"content": piece.text})
                continue
            if piece.tool_calls:
                yield chunk({"tool_calls": _calls(piece)})
            yield chunk({}, finish_reason(piece))
            if (call.body.get("stream_options") or {}).get("include_usage"):
                yield ServerSentEvent(data={**head, "choices": [], "usage": tokens_used(piece.usage)})
    yield _DONE


def _calls(answer: ModelReply) -> Sequence[dict[str, Any]]:
    return [{"index": index, **one.message()} for index, one in enumerate(answer.tool_calls)]
