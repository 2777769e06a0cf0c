"""Files that are letters from end to end: as they are, as lines of cells or values, or without markup."""

import csv
import json
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any, BinaryIO

from .kinds import Kind, ReadingRefused, decode
from .task import Task, Transcript

_SEPARATORS = ",;\t|"
_LONGEST_CELL = 1 << 20
_JUDGED_LINES = 20


def write_cells(text: str, transcript: Transcript) -> None:
    csv.field_size_limit(_LONGEST_CELL)
    # A NUL ends a line for this parser; there is none in a text.
    rows = csv.reader(StringIO(text, newline=""), delimiter=_separator(text))
    try:
        for row in rows:
            transcript.write("\t".join(" ".join(cell.split()) for cell in row) + "\n")
    except csv.Error:
        # A quote that never ends makes one cell of the rest.
        transcript.write(text)


def _separator(text: str) -> str:
    """Returns the separator that stands in most of the first lines, and most often there."""
    lines = [line for line in text[: 1 << 16].split("\n")[:_JUDGED_LINES] if line.strip()]
    return max(
        _SEPARATORS,
        key=lambda mark: (sum(mark in line for line in lines), sum(line.count(mark) for line in lines)),
    )


def write_values(text: str, transcript: Transcript) -> None:
    """Writes the values of JSON; what does not parse is text like any other."""
    try:
        # Numbers stay as they are written: they are searched for, not counted with.
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError:
        transcript.write(text)
    except RecursionError:
        raise ReadingRefused("is JSON that is nested too deeply") from None
    else:
        _write(value, "", transcript)


def _write(value: Any, name: str, transcript: Transcript) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _write_inner(inner, key, transcript)
    elif isinstance(value, list):
        for inner in value:
            _write_inner(inner, name, transcript)
    elif value is not None:
        spelled = str(value).lower() if isinstance(value, bool) else value
        _write_line(f"{name}: {spelled}" if name else spelled, transcript)


def _write_inner(value: Any, name: str, transcript: Transcript) -> None:
    """Writes a name with more below it on a line of its own, to be found even over an empty list."""
    if isinstance(value, dict | list) and name:
        _write_line(name, transcript)
        name = ""
    _write(value, name, transcript)


def _write_line(line: str, transcript: Transcript) -> None:
    transcript.separate("\n")
    transcript.write(line)


def write_letters(text: str, transcript: Transcript) -> None:
    transcript.write(text)


_WRITERS: Mapping[Kind | None, Callable[[str, Transcript], None]] = {
    Kind.CSV: write_cells,
    Kind.JSON: write_values,
}


def read(document: BinaryIO, transcript: Transcript, task: Task) -> None:
    read_by(_WRITERS.get(transcript.kind, write_letters), document, transcript, task)


def read_by(
    write: Callable[[str, Transcript], None], document: BinaryIO, transcript: Transcript, task: Task
) -> None:
    """Reads the letters of a document, of which `write` makes what can be searched."""
    content = document.read(task.limits.plain_bytes + 1)
    write(decode(content[: task.limits.plain_bytes], task.charset), transcript)
    if len(content) > task.limits.plain_bytes:
        transcript.stop()
