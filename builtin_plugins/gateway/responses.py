"""The responses API, as far as chat goes: its items made into messages, and its answers and events."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from builtin_plugins.gateway.chat import MAX_TOKENS
from builtin_plugins.gateway.wire import headers_of, model_named, plain
from guildhall_sdk import Call, InvalidRequest, Reply, new_id
from guildhall_sdk.replies import ServerSentEvent, event_stream
from guildhall_sdk.services.models import MemberModel, ModelDelta, ModelReply, Models, ModelTurn, TokenUsage
from libs.request_body import unless_gone

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_FUNCTION = ("name", "description", "parameters", "strict")


async def respond(call: Call) -> Reply:
    """Answers whole, or with `stream` in events."""
    model = await model_named(call, call.body["model"])
    turn = _turn_of(call.body, model)
    if call.body.get("stream"):
        reply = event_stream(_events(call, turn, model), prefetch=True)
        return replace(reply, headers={**reply.headers, **await headers_of(call, asked=1)})
    answer = await unless_gone(call, call.service(Models).ask(call.principal, turn, executor=model.executor))
    response = _Response(call, model.name)
    return Reply(response.ended(answer), headers=await headers_of(call))


def _turn_of(body: Mapping[str, Any], model: MemberModel) -> ModelTurn:
    messages: list[dict[str, Any]] = []
    if body.get("instructions"):
        messages.append({"role": "system", "content": body["instructions"]})
    given = body["input"]
    if isinstance(given, str):
        messages.append({"role": "user", "content": given})
    else:
        for place, item in enumerate(given):
            _add(messages, item, f"/input/{place}")
    choice = body.get("tool_choice")
    if isinstance(choice, Mapping):
        choice = {"type": "function", "function": {"name": choice.get("name")}}
    effort = (body.get("reasoning") or {}).get("effort")
    return ModelTurn(
        messages=messages,
        response_format=_format(body.get("text") or {}),
        tools=[_tool(tool) for tool in body.get("tools") or ()],
        max_tokens=body.get("max_output_tokens") or MAX_TOKENS,
        temperature=body.get("temperature"),
        model=model.model,
        options=plain(
            {
                "top_p": body.get("top_p"),
                "tool_choice": choice,
                "parallel_tool_calls": body.get("parallel_tool_calls"),
                "reasoning_effort": effort,
            }
        ),
    )


def _add(messages: list[dict[str, Any]], item: Mapping[str, Any], pointer: str) -> None:
    """Adds an item of the input; calls that follow one another are one message."""
    kind = item.get("type", "message")
    if kind == "function_call":
        function = {"name": _text(item, "name", pointer), "arguments": _text(item, "arguments", pointer)}
        made = {"id": _text(item, "call_id", pointer), "type": "function", "function": function}
        if messages and messages[-1].get("tool_calls"):
            messages[-1]["tool_calls"].append(made)
        else:
            messages.append({"role": "assistant", "content": None, "tool_calls": [made]})
    elif kind == "function_call_output":
        output = item.get("output")
        content = output if isinstance(output, str) else json.dumps(output)
        messages.append({"role": "tool", "tool_call_id": _text(item, "call_id", pointer), "content": content})
    elif kind == "message":
        if (role := _ROLES.get(str(item.get("role")))) is None:
            raise InvalidRequest.at(f"{pointer}/role", f"takes one of {', '.join(_ROLES)}")
        messages.append({"role": role, "content": _content(item.get("content"), f"{pointer}/content")})
    elif kind != "reasoning":
        raise InvalidRequest.at(f"{pointer}/type", "is no item that a model here can read")


def _text(item: Mapping[str, Any], name: str, pointer: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise InvalidRequest.at(f"{pointer}/{name}", "must be a text")
    return value


def _content(content: Any, pointer: str) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise InvalidRequest.at(pointer, "must be a text or a list of parts")
    parts: list[dict[str, Any]] = []
    for place, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in ("input_text", "output_text", "text"):
            parts.append({"type": "text", "text": _text(part, "text", f"{pointer}/{place}")})
        elif kind == "input_image":
            url = _text(part, "image_url", f"{pointer}/{place}")
            parts.append({"type": "image_url", "image_url": {"url": url}})
        else:
            raise InvalidRequest.at(f"{pointer}/{place}/type", "takes input_text, input_image or output_text")
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = {name: tool[name] for name in _FUNCTION if tool.get(name) is not None}
    return {"type": "function", "function": function}


def _format(text: Mapping[str, Any]) -> dict[str, Any] | None:
    wanted = text.get("format")
    if wanted is None or wanted.get("type") == "text":
        return None
    if wanted.get("type") == "json_object":
        return {"type": "json_object"}
    if wanted.get("type") == "json_schema" and isinstance(wanted.get("name"), str) and "schema" in wanted:
        named = {name: wanted[name] for name in ("name", "schema", "strict", "description") if name in wanted}
        return {"type": "json_schema", "json_schema": named}
    raise InvalidRequest.at("/text/format", "takes text, json_object, or json_schema with name and schema")


class _Response:
    """One response under way, and its items as they are made."""

    def __init__(self, call: Call, name: str) -> None:
        self._body = call.body
        self._now_ms = call.now_ms
        self._fields = {
            "id": new_id("resp", call.now_ms),
            "object": "response",
            "created_at": call.now_ms // 1000,
            "model": name,
        }
        self.message_id = new_id("msg", call.now_ms)

    def shown(self, status: str, output: Sequence[Mapping[str, Any]] = (), **more: Any) -> dict[str, Any]:
        """Returns the response as it stands."""
        body = self._body
        return {
            **self._fields,
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "metadata": body.get("metadata") or {},
            "output": list(output),
            "parallel_tool_calls": bool(body.get("parallel_tool_calls", True)),
            "previous_response_id": None,
            "reasoning": body.get("reasoning") or {"effort": None, "summary": None},
            "store": False,
            "temperature": body.get("temperature"),
            "text": body.get("text") or {"format": {"type": "text"}},
            "tool_choice": body.get("tool_choice") or "auto",
            "tools": body.get("tools") or [],
            "top_p": body.get("top_p"),
            "truncation": "disabled",
            "usage": None,
            **more,
        }

    def message(self, text: str, status: str = "completed") -> dict[str, Any]:
        """Returns the item of the text."""
        content = [self.part(text)] if status == "completed" else []
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    @staticmethod
    def part(text: str) -> dict[str, Any]:
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    def calls(self, answer: ModelReply) -> list[dict[str, Any]]:
        """Returns the items of the calls."""
        return [
            {
                "id": new_id("fc", self._now_ms),
                "type": "function_call",
                "status": "completed",
                "call_id": one.id,
                "name": one.name,
                "arguments": one.arguments,
            }
            for one in answer.tool_calls
        ]

    def ended(self, answer: ModelReply, output: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
        """Returns the response as it is when the model has answered."""
        if output is None:
            said = [self.message(answer.text)] if answer.text or not answer.tool_calls else []
            output = [*said, *self.calls(answer)]
        cut = answer.finish_reason == "length"
        more: dict[str, Any] = {"usage": _tokens(answer.usage)}
        if cut:
            more["incomplete_details"] = {"reason": "max_output_tokens"}
        return self.shown("incomplete" if cut else "completed", output, **more)


def _tokens(usage: TokenUsage) -> dict[str, Any]:
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total,
    }


async def _events(call: Call, turn: ModelTurn, model: MemberModel) -> AsyncIterator[ServerSentEvent]:
    response, number = _Response(call, model.name), 0

    def event(kind: str, **data: Any) -> ServerSentEvent:
        nonlocal number
        number += 1
        return ServerSentEvent(event=kind, data={"type": kind, "sequence_number": number - 1, **data})

    place = {"item_id": response.message_id, "output_index": 0, "content_index": 0}
    pieces = call.service(Models).stream(call.principal, turn, executor=model.executor)
    said: list[str] = []
    begun = False
    async with aclosing(pieces):
        async for piece in pieces:
            if not begun:
                begun = True
                yield event("response.created", response=response.shown("in_progress"))
                yield event("response.in_progress", response=response.shown("in_progress"))
            if isinstance(piece, ModelDelta):
                if not said:
                    opened = response.message("", "in_progress")
                    yield event("response.output_item.added", output_index=0, item=opened)
                    yield event("response.content_part.added", **place, part=response.part(""))
                said.append(piece.text)
                yield event("response.output_text.delta", **place, delta=piece.text, logprobs=[])
                continue
            output: list[dict[str, Any]] = []
            if said:
                text = "".join(said)
                output.append(response.message(text))
                yield event("response.output_text.done", **place, text=text, logprobs=[])
                yield event("response.content_part.done", **place, part=response.part(text))
                yield event("response.output_item.done", output_index=0, item=output[0])
            for one in response.calls(piece):
                at = {"item_id": one["id"], "output_index": len(output)}
                opened = {**one, "status": "in_progress", "arguments": ""}
                yield event("response.output_item.added", output_index=len(output), item=opened)
                yield event("response.function_call_arguments.delta", **at, delta=one["arguments"])
                yield event("response.function_call_arguments.done", **at, arguments=one["arguments"])
                yield event("response.output_item.done", output_index=len(output), item=one)
                output.append(one)
            ended = response.ended(piece, output)
            yield event(f"response.{ended['status']}", response=ended)
