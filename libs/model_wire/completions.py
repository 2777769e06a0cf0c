"""Chat completions as real servers answer them, whole or streamed, read into one form."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from libs.model_wire.answer_pieces import (
    FunctionCall,
    ToolCallPieces,
    VisibleText,
    is_json,
    sound,
    whole_tool_calls,
)
from libs.model_wire.turns import TOKEN_COUNTS, is_token_count

_REASONING = ("reasoning_content", "reasoning")


class NotACompletion(ValueError):
    """Raised when an answer is JSON, but not a chat completion."""


class TokenCounts(NamedTuple):
    """How many tokens a server says went in and came out."""

    prompt: int
    completion: int


class Completion(NamedTuple):
    """One answer of a model. `usage` is None where the server counted nothing."""

    text: str
    finish_reason: str
    tool_calls: Sequence[FunctionCall] = ()
    usage: TokenCounts | None = None
    reasoning: str = ""

    def turn_result(self) -> dict[str, Any]:
        """Returns the answer as the result of an `ai.turn`: `{reply, finish_reason, tool_calls?, usage?}`."""
        result: dict[str, Any] = {"reply": self.text, "finish_reason": self.finish_reason}
        if self.tool_calls:
            result["tool_calls"] = [call.message() for call in self.tool_calls]
        if self.usage is not None:
            prompt, completion = self.usage.prompt, self.usage.completion
            counts = (prompt, completion, prompt + completion)
            result["usage"] = dict(zip(TOKEN_COUNTS, counts, strict=True))
        return result


def completion_of_turn(result: Mapping[str, Any]) -> Completion:
    """Reads the result of an `ai.turn` that `turn_fault` let through."""
    calls = whole_tool_calls(result.get("tool_calls"))
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
    said = VisibleText()
    said.add(_text_of(message.get("content")))
    said.finish()
    return _completion(
        said,
        _reasoning_of(message),
        whole_tool_calls(message.get("tool_calls")),
        choice.get("finish_reason"),
        _usage(answer.get("usage")),
        wants_json=wants_json,
    )


class CompletionReader:
    """Assembles a streamed answer, chunk by chunk."""

    def __init__(self, *, wants_json: bool = False) -> None:
        self._wants_json = wants_json
        self._said = VisibleText()
        self._reasoning: list[str] = []
        self._calls = ToolCallPieces()
        self._finish_reason: Any = None
        self._usage: TokenCounts | None = None

    @property
    def text(self) -> str:
        """What was said until now, without what the model said to itself."""
        return self._said.text

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Takes a chunk in, and returns what it adds to the text that a reader is shown.

        That is never what stands between `<think>` and `</think>`, nor what may turn out to.
        """
        if (usage := chunk.get("usage")) is not None:
            self._usage = _usage(usage) or self._usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return ""
        text = self._add_delta(choice.get("delta"))
        if finish_reason := choice.get("finish_reason"):
            self._finish_reason = finish_reason
            text += self._said.finish()
        return text

    def result(self) -> Completion:
        """Returns the whole answer."""
        self._said.finish()
        return _completion(
            self._said,
            "".join(self._reasoning),
            self._calls.calls(),
            self._finish_reason,
            self._usage,
            wants_json=self._wants_json,
        )

    def _add_delta(self, delta: Any) -> str:
        if not isinstance(delta, Mapping):
            return ""
        if reasoning := _reasoning_of(delta):
            self._reasoning.append(reasoning)
        if calls := delta.get("tool_calls"):
            self._calls.add(calls)
        content = delta.get("content")
        return self._said.add(_text_of(content)) if content else ""


def _completion(
    said: VisibleText,
    reasoning: str,
    calls: Sequence[FunctionCall],
    finish_reason: Any,
    usage: TokenCounts | None,
    *,
    wants_json: bool,
) -> Completion:
    text, reasoning = said.text, reasoning + said.thoughts
    if wants_json and not text.strip() and not calls and is_json(reasoning):
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
    """Returns the first that holds a text of two names for the same thing; some servers send both."""
    for name in _REASONING:
        text = message.get(name)
        if text and isinstance(text, str):
            return text
    return ""


def _finish_reason(given: Any, calls: Sequence[FunctionCall]) -> str:
    """Returns why the answer ended: for tool calls if there are any, whatever the server calls it."""
    if calls:
        return "tool_calls"
    return sound(given) if isinstance(given, str) and given not in ("", "tool_calls") else "stop"


def _usage(given: Any) -> TokenCounts | None:
    """Returns the counts of a server that counted: nothing read and nothing written is no count."""
    if not isinstance(given, Mapping):
        return None
    prompt, completion = given.get("prompt_tokens"), given.get("completion_tokens")
    if not is_token_count(prompt) or not is_token_count(completion) or prompt == completion == 0:
        return None
    return TokenCounts(int(prompt or 0), int(completion or 0))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
