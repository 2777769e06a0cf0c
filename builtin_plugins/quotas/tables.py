"""Rows as CSV for a spreadsheet, which must not take what somebody called themselves for a formula."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

CSV = "text/csv"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """A table with a head, as RFC 4180 has it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """An apostrophe says that what follows is text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
