"""Fields as a document: a list for people, and the JSON for programs."""

import json
import re
from collections.abc import Iterator
from typing import Any

from libs.fair_slots import Steps
from libs.mustache import escape_markdown

# Deeper values are written as JSON.
_MAX_DEPTH = 6
_MAX_LISTED = 20_000
_BACKTICKS = re.compile("`+")
# Lines, or pieces of JSON, that are made in a few milliseconds.
_PER_STEP = 1_000
_encoder = json.JSONEncoder(ensure_ascii=False, indent=2)


def render(filename: str, fields: Any) -> Steps[str]:
    """Returns the fields of a document as Markdown."""
    written = yield from _joined(_encoder.iterencode(fields), "")
    # A fence is longer than whatever looks like one in the values.
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(written)), default=0))
    listed = (yield from _joined(_lines(fields, 0), "\n")) or "There are none."
    return f"# Fields of {_one_line(filename)}\n\n{listed}\n\n{fence}json\n{written}\n{fence}\n"


def _joined(pieces: Iterator[str], between: str) -> Steps[str]:
    found: list[str] = []
    for piece in pieces:
        found.append(piece)
        if len(found) % _PER_STEP == 0:
            yield
    return between.join(found)


def _lines(value: Any, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if depth < _MAX_DEPTH and isinstance(value, dict):
        for name, one in value.items():
            yield from _item(f"{indent}- **{_one_line(name)}**:", one, depth)
    elif depth < _MAX_DEPTH and isinstance(value, list):
        for one in value:
            yield from _item(f"{indent}-", one, depth)
    else:
        yield f"{indent}- {_plain(value)}"


def _item(head: str, value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        yield head
        yield from _lines(value, depth + 1)
    else:
        yield f"{head} {_plain(value)}".rstrip()


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # All of it stands in the JSON below the list.
    return _one_line(text if len(text) <= _MAX_LISTED else f"{text[:_MAX_LISTED]} …")


def _one_line(text: str) -> str:
    return escape_markdown(" ".join(text.split()))
