"""Chat completions as real servers answer them, read into the result of a turn."""

import json
import re
from collections.abc import Mapping
from typing import Any

from guildhall_sdk.turns import TOKEN_COUNTS, is_token_count

_THOUGHT = re.compile(r"^\s*<think>.*?</think>\s*", re.DOTALL)


class NotACompletion(ValueError):
    """The answer is JSON, but not a chat completion."""


def turn_result(answer: Any, *, wants_json: bool) -> dict[str, Any]:
    """`{reply, finish_reason, tool_calls?, usage?}` of a completion. Raises `NotACompletion`."""
    choice = _first(answer, "choices")
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise NotACompletion("there is no message in it")
    calls = _tool_calls(message.get("tool_calls"))
    reply = _THOUGHT.sub("", _text_of(message.get("content")))
    if wants_json and not reply.strip() and not calls:
        reply = _json_among_thoughts(message)
    result: dict[str, Any] = {"reply": _sound(reply), "finish_reason": _finish_reason(choice, calls)}
    if calls:
        result["tool_calls"] = calls
    if usage := _usage(answer.get("usage")):
        result["usage"] = usage
    return result


def _sound(text: str) -> str:
    """Half of a surrogate pair, which JSON can spell, would break whoever writes the text down."""
    return text.encode("utf-8", "replace").decode()


def _first(answer: Any, name: str) -> Mapping[str, Any]:
    found = answer.get(name) if isinstance(answer, Mapping) else None
    if not isinstance(found, list) or not found or not isinstance(found[0], Mapping):
        raise NotACompletion(f"there are no {name} in it")
    return found[0]


def _text_of(content: Any) -> str:
    """A text, nothing, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


def _json_among_thoughts(message: Mapping[str, Any]) -> str:
    """Some servers put the JSON that was asked for where the model thinks aloud."""
    for name in ("reasoning_content", "reasoning"):
        text = message.get(name)
        if isinstance(text, str):
            try:
                json.loads(text)
            except ValueError:
                continue
            return text
    return ""


def _finish_reason(choice: Mapping[str, Any], calls: list[dict[str, Any]]) -> str:
    """Where there are tool calls they are the reason, whatever the server calls it."""
    if calls:
        return "tool_calls"
    given = choice.get("finish_reason")
    return _sound(given) if isinstance(given, str) and given not in ("", "tool_calls") else "stop"


def _tool_calls(given: Any) -> list[dict[str, Any]]:
    calls = [call for call in given if isinstance(call, Mapping)] if isinstance(given, list) else []
    return [made for number, call in enumerate(calls) if (made := _tool_call(number, call)) is not None]


def _tool_call(number: int, call: Mapping[str, Any]) -> dict[str, Any] | None:
    function = call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(name, str) or not name:
        return None
    arguments = function.get("arguments")
    if arguments is None:
        arguments = ""
    elif not isinstance(arguments, str):
        arguments = json.dumps(arguments)
    given = call.get("id")
    call_id = given if isinstance(given, str) and given else f"call_{number}"
    function = {"name": _sound(name), "arguments": _sound(arguments)}
    return {"id": _sound(call_id), "type": "function", "function": function}


def _usage(given: Any) -> dict[str, int] | None:
    if not isinstance(given, Mapping):
        return None
    counts = {name: given[name] for name in TOKEN_COUNTS if is_token_count(given.get(name))}
    if "prompt_tokens" not in counts or "completion_tokens" not in counts:
        return None
    return {**counts, "total_tokens": counts["prompt_tokens"] + counts["completion_tokens"]}
