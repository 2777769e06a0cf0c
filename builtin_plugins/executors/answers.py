"""JSON as endpoints answer it, read without holding up everybody else."""

import json
from typing import Any

# Reading JSON holds the event loop, on a thread as well, and as long as it has values.
MAX_VALUES = 100_000
_SHORT = 64 * 1024
_decode = json.JSONDecoder().raw_decode


def json_of(body: bytes) -> Any:
    """The value of an answer; None for what is no JSON, or holds more values than any answer does."""
    if _has_too_many_values(body):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def chunk_of(data: bytes) -> Any:
    """The value of one event of a stream, as `json_of` reads an answer; faster for short ones."""
    if _has_too_many_values(data):
        return None
    try:
        text = data.decode()
        value, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) else None


def _has_too_many_values(body: bytes) -> bool:
    if len(body) <= _SHORT:
        return False
    return sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES
