"""Server-sent events as bytes on the wire."""

import json
import re
from typing import Any

_LINE_END = re.compile("\r\n|\r|\n")
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode_event(data: Any, *, event: str | None, id: str | None, text: str | None) -> bytes:
    """Returns an event as bytes; raises `TypeError` or `ValueError` for data that is no JSON.

    `text`, where it is given, is sent in place of the data as it is.
    """
    head = "" if id is None else f"id: {id}\n"
    if event:
        head += f"event: {event}\n"
    if text is None:  # JSON has no line breaks of its own
        lines = f"data: {_ENCODER.encode(data)}"
    else:
        lines = "\n".join(f"data: {line}" for line in _LINE_END.split(text))
    return f"{head}{lines}\n\n".encode("utf-8", "replace")
