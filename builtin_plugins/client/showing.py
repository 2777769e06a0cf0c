"""What the commands print: tables for people, JSON for programs, and how far a transfer is."""

import json
import re
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNITS = ("B", "kB", "MB", "GB", "TB")
_BAR = 20
_PAINT_SECONDS = 0.1


def print_json(value: Any, stream: TextIO | None = None) -> None:
    """Prints a value as JSON."""
    (stream or sys.stdout).write(f"{json.dumps(value, indent=2, ensure_ascii=False)}\n")


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """Prints rows with these columns, or with `as_json` whole as JSON; a line ends with the terminal."""
    listed = list(rows)
    if as_json:
        print_json(listed)
        return
    cells = [[plain(row.get(name)) for name in columns] for row in listed]
    if not cells:
        return
    heads = [name.replace("_", " ") for name in columns]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    for line in [heads, *cells]:
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        sys.stdout.write(f"{text if len(text) <= room else text[: room - 1] + '…'}\n")


def plain(value: Any) -> str:
    """Returns a value on one line, without what a terminal would obey."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return _CONTROL.sub("", " ".join(value.split()))
    return json.dumps(value, ensure_ascii=False)


def for_terminal(text: str) -> str:
    """Returns a text with its lines, without what a terminal would obey."""
    return _CONTROL.sub("", text)


def size(count: int) -> str:
    """Returns a number of bytes in words."""
    number, unit = float(count), 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {_UNITS[unit]}" if unit else f"{count} B"


class ProgressBar:
    """How far one file is, on a line of its own of a terminal; elsewhere a line when it is done."""

    def __init__(self, name: str, total: int | None, stream: TextIO | None = None) -> None:
        self._name = plain(name)
        self._total = total
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._begun = self._painted = time.monotonic()

    def show(self, done: int, total: int | None = None) -> None:
        """Paints the bar anew, some times a second."""
        self._total = total if total is not None else self._total
        now = time.monotonic()
        if self._live and now - self._painted >= _PAINT_SECONDS:
            self._painted = now
            self._stream.write(f"\r\x1b[K{self._line(done, now)}")
            self._stream.flush()

    def end(self, what: str) -> None:
        """Says what became of it."""
        self._stream.write(f"{chr(13) + chr(27) + '[K' if self._live else ''}{what:8} {self._name}\n")

    def _line(self, done: int, now: float) -> str:
        speed = f"{size(int(done / max(now - self._begun, 0.001)))}/s"
        if not self._total:
            return f"{size(done):>9}  {speed:>11}  {self._name}"
        filled = int(_BAR * done / self._total)
        bar = "#" * filled + "." * (_BAR - filled)
        return f"[{bar}] {100 * done // self._total:3}%  {speed:>11}  {self._name}"
