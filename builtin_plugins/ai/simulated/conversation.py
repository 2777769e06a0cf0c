"""What was said in a turn, and by whom."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, of all its parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def said_by(messages: Sequence[Mapping[str, Any]], role: str) -> list[str]:
    """The texts of one side, in their order."""
    return [text for one in messages if one.get("role") == role and (text := text_of(one))]


def tool_results(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Name and result of each tool that was called since the user spoke last."""
    names: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for message in messages:
        if message.get("role") == "user":
            found = []
        for call_id, name, _ in calls_of(message):
            names[call_id] = name
        if message.get("role") == "tool":
            call_id = str(message.get("tool_call_id", ""))
            found.append((names.get(call_id, str(message.get("name", "tool"))), text_of(message)))
    return found


def calls_of(message: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Id, tool and arguments of the calls that a message of the model asked for."""
    found = []
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, Sequence) and not isinstance(calls, str) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            found.append((str(call.get("id", "")), str(function.get("name")), str(function.get("arguments"))))
    return found


def read_json(text: str) -> Any:
    """A value that is written as JSON; None where it is not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
