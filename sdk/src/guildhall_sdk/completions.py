"""Chat completions as real servers answer them, whole or streamed, read into one form."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guildhall_sdk.services.models import TokenUsage, ToolCall
from guildhall_sdk.turns import TOKEN_COUNTS, is_token_count

_THOUGHT = re.compile(r"^\s*<think>(.*?)</think>\s*", re.DOTALL)
_REASONING = ("reasoning_content", "reasoning")


class NotACompletion(ValueError):
    """Raised when an answer is JSON, but not a chat completion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One answer of a model. `usage` is None where the server counted nothing."""

    text: str
    finish_reason: str
    tool_calls: Sequence[ToolCall] = ()
    usage: TokenUsage | None = None
    reasoning: str = ""

    def turn_result(self) -> dict[str, Any]:
        """Returns the answer as the result of an `ai.turn`: `{reply, finish_reason, tool_calls?, usage?}`."""
        result: dict[str, Any] = {"reply": self.text, "finish_reason": self.finish_reason}
        if self.tool_calls:
            result["tool_calls"] = [call.message() for call in self.tool_calls]
        if self.usage is not None:
            result["usage"] = TokenUsage(self.usage.prompt, self.usage.completion).public()
        return result


def completion_of_turn(result: Mapping[str, Any]) -> Completion:
    """Reads the result of an `ai.turn` that `turn_fault` let through."""
    calls = _tool_calls(result.get("tool_calls"))
    return Completion(
        text=result["reply"],
        finish_reason=_finish_reason(result.get("finish_reason"), calls),
        tool_calls=calls,
        usage=_usage(result.get("usage")),
    )


def read_completion(answer: Any, *, wants_json: bool) -> Completion:
    """Reads a whole answer. Raises `NotACompletion`."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise NotACompletion("there is no message in it")
    calls = _tool_calls(message.get("tool_calls"))
    return _completion(
        _text_of(message.get("content")),
        _reasoning_of(message),
        calls,
        choice.get("finish_reason"),
        _usage(answer.get("usage")),
        wants_json=wants_json,
    )


class CompletionReader:
    """Assembles a streamed answer, chunk by chunk."""

    def __init__(self, *, wants_json: bool = False) -> None:
        self._wants_json = wants_json
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._finish_reason: Any = None
        self._usage: TokenUsage | None = None

    @property
    def text(self) -> str:
        """The text of the answer so far."""
        return "".join(self._text)

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Adds a chunk, and returns what it adds to the text of the answer."""
        self._usage = _usage(chunk.get("usage")) or self._usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return ""
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            return ""
        self._reasoning.append(_reasoning_of(delta))
        for call in _list(delta.get("tool_calls")):
            self._add_call(call)
        text = sound(_text_of(delta.get("content")))
        self._text.append(text)
        return text

    def result(self) -> Completion:
        """Returns the whole answer."""
        calls = _tool_calls(self._calls)
        reasoning = "".join(self._reasoning)
        return _completion(
            self.text, reasoning, calls, self._finish_reason, self._usage, wants_json=self._wants_json
        )

    def _add_call(self, piece: Any) -> None:
        if not isinstance(piece, Mapping):
            return
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        call = self._call_of(piece)
        if isinstance(piece.get("id"), str) and piece["id"]:
            call["id"] = piece["id"]
        if isinstance(function.get("name"), str):
            call["function"]["name"] += function["name"]
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call["function"]["arguments"] += arguments
        elif arguments is not None:
            call["function"]["arguments"] += json.dumps(arguments)

    def _call_of(self, piece: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the call that a piece belongs to: a new id begins a new one, whatever its index says."""
        index, call_id = piece.get("index"), piece.get("id")
        at_index = [call for call in self._calls if call["index"] == index]
        last = at_index[-1] if at_index else None
        if last is None and index is None and self._calls:
            last = self._calls[-1]
        begins = isinstance(call_id, str) and call_id and last is not None and last["id"] not in ("", call_id)
        if last is None or begins:
            last = {"index": index, "id": "", "function": {"name": "", "arguments": ""}}
            self._calls.append(last)
        return last


def sound(text: str) -> str:
    """Replaces lone surrogates in the text, which JSON can express and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def _completion(
    text: str,
    reasoning: str,
    calls: Sequence[ToolCall],
    finish_reason: Any,
    usage: TokenUsage | None,
    *,
    wants_json: bool,
) -> Completion:
    if (thought := _THOUGHT.match(text)) is not None:
        reasoning, text = reasoning + thought[1], text[thought.end() :]
    if wants_json and not text.strip() and not calls and _is_json(reasoning):
        # Some servers put the JSON that was asked for where the model thinks aloud.
        text, reasoning = reasoning, ""
    return Completion(
        text=sound(text),
        finish_reason=_finish_reason(finish_reason, calls),
        tool_calls=calls,
        usage=usage,
        reasoning=sound(reasoning),
    )


def _text_of(content: Any) -> str:
    """Returns the text of a content that is a text, nothing, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    texts = [part.get("text") for part in _list(content) if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


def _reasoning_of(message: Mapping[str, Any]) -> str:
    return next((message[name] for name in _REASONING if isinstance(message.get(name), str)), "")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _finish_reason(given: Any, calls: Sequence[ToolCall]) -> str:
    """Returns why the answer ended: for tool calls if there are any, whatever the server calls it."""
    if calls:
        return "tool_calls"
    return sound(given) if isinstance(given, str) and given not in ("", "tool_calls") else "stop"


def _tool_calls(given: Any) -> Sequence[ToolCall]:
    calls = [call for call in _list(given) if isinstance(call, Mapping)]
    return [made for number, call in enumerate(calls) if (made := _tool_call(number, call)) is not None]


def _tool_call(number: int, call: Mapping[str, Any]) -> ToolCall | None:
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
    return ToolCall(sound(call_id), sound(name), sound(arguments))


def _usage(given: Any) -> TokenUsage | None:
    if not isinstance(given, Mapping):
        return None
    counts = {name: given[name] for name in TOKEN_COUNTS if is_token_count(given.get(name))}
    if "prompt_tokens" not in counts or "completion_tokens" not in counts:
        return None
    return TokenUsage(counts["prompt_tokens"], counts["completion_tokens"])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
