"""One turn with a model, as it is sent between the server and its worker: the kind `ai.turn`."""

from collections.abc import Mapping
from typing import Any, Literal

MODEL_TURN = "ai.turn"
TOKEN_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def is_token_count(value: Any) -> bool:
    """Tells whether a value is a whole number of tokens that usage can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def turn_fault(result: Any) -> str | Literal[False]:
    """Returns what is wrong with the result of a turn that a worker sent, or False."""
    if not isinstance(result, Mapping):
        return "the result must be an object"
    if "embeddings" in result:
        return _vectors_fault(result["embeddings"])
    if not isinstance(result.get("reply"), str):
        return "reply must be a text"
    if not isinstance(result.get("finish_reason", ""), str | None):
        return "finish_reason must be a text"
    usage = result.get("usage")
    if usage is not None:
        counts = [usage.get(name, 0) for name in TOKEN_COUNTS] if isinstance(usage, Mapping) else [None]
        if not all(map(is_token_count, counts)):
            return "usage must hold prompt_tokens, completion_tokens and total_tokens, as whole numbers"
    calls = result.get("tool_calls")
    if calls is not None and not (isinstance(calls, list) and all(map(_is_tool_call, calls))):
        return "tool_calls must be a list of {id, function: {name, arguments}}, with the arguments as a text"
    return False


def _vectors_fault(vectors: Any) -> str | Literal[False]:
    of_numbers = isinstance(vectors, list) and all(isinstance(vector, list) and vector for vector in vectors)
    return False if of_numbers else "embeddings must be a list of vectors, each a list of numbers"


def _is_tool_call(call: Any) -> bool:
    function = call.get("function") if isinstance(call, Mapping) else None
    texts = (
        [call.get("id"), function.get("name"), function.get("arguments")]
        if isinstance(function, Mapping)
        else [None]
    )
    return all(isinstance(text, str) for text in texts) and bool(texts[1])
