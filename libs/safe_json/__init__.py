"""JSON of bounded size whose texts cannot pass for more than they are where they are printed."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["bounded_object", "safe_text"]

_DEPTH = 6
_MAX_KEY = 256
# Controls, line and paragraph ends, text-direction overrides, lone surrogates: whatever could make one
# record look like two, or like another, where it is printed.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def safe_text(text: str, max_length: int) -> str:
    """Returns a text on one line, with a mark in the place of each unsafe character, cut where it is long."""
    safe = _UNSAFE.sub("\ufffd", text)
    return safe if len(safe) <= max_length else safe[: max_length - 1] + "…"


def bounded_object(content: Mapping[str, Any], max_bytes: int) -> str:
    """Encodes an object as JSON of so many bytes at most; what does not fit is left out, and that is said."""
    safe = {safe_text(str(key), _MAX_KEY): _safe(value, _DEPTH, max_bytes) for key, value in content.items()}
    text = _encode(safe)
    if len(text) <= max_bytes:
        return text
    fitting: dict[str, Any] = {"truncated": True}
    for key, value in safe.items():
        if len(_encode({**fitting, key: value})) <= max_bytes:
            fitting[key] = value
    return _encode(fitting)


def _safe(value: Any, depth: int, max_bytes: int) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str) or depth == 0:
        return safe_text(str(value), max_bytes)
    if isinstance(value, Mapping):
        return {
            safe_text(str(key), _MAX_KEY): _safe(inner, depth - 1, max_bytes) for key, inner in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_safe(inner, depth - 1, max_bytes) for inner in value]
    return safe_text(str(value), _MAX_KEY)
