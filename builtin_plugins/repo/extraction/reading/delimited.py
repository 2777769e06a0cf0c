"""Tables as text: cells come out separated by tabs, whatever separated them before."""

import csv
from io import StringIO

from .transcript import Transcript

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
