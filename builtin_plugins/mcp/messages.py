"""Bounds on what a server sends: the bytes and values of one message, and how much of it in a second.

Reading a message keeps the event loop, and so everybody, for as long as it has values.
"""

import asyncio
import re
from dataclasses import dataclass

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
MAX_VALUES = 50_000
#: The code of the error that stands in for an answer which is beyond these bounds.
ANSWER_TOO_LARGE = -32090
#: The code of the error that stands in for an answer whose connection broke off.
ANSWER_BROKEN_OFF = -32091
TOO_LARGE_WORDS = f"the answer has more than {MAX_MESSAGE_BYTES // 2**20} MiB or {MAX_VALUES:,} values"
# One that does not end goes on to the end: else every sign of it would be looked at as a beginning.
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_MARKS = (b",", b"[", b"{")
_SMALL_BYTES = 2 * MAX_VALUES
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_ID = rb'"id"\s*:\s*(\d{1,18})'
# Some write the id before the result, some after it.
_BEGINS_WITH_ID = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"\s*,")
_ENDS_WITH_ID = re.compile(rb",\s*" + _ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*\Z")
_END_BYTES = 512


def has_too_many_values(message: bytes) -> bool:
    """Counts before anything is read; commas within texts are none."""
    if len(message) <= _SMALL_BYTES or _count_marks(message) <= MAX_VALUES:
        return False
    return _count_marks(_TEXT.sub(b"", message)) > MAX_VALUES


def _count_marks(message: bytes) -> int:
    return sum(map(message.count, _MARKS))


def answered_id(message: bytes) -> int | None:
    """Returns the id of an answer that is not read as a whole, or of its two ends."""
    begin, end = message[:_END_BYTES], message[-_END_BYTES:]
    found = _BEGINS_WITH_ID.match(begin) or _ENDS_WITH_ID.search(end)
    return int(found[1]) if found else None


class ReadingPace:
    """What one server may send in a second; whoever sends more is read more slowly."""

    _UNITS_PER_SECOND = 500
    _BYTES_OF_UNIT = 16 * 1024

    def __init__(self) -> None:
        self._spent = 0.0
        self._at = 0.0

    async def spend(self, *, lines: int = 0, size: int = 0) -> None:
        now = asyncio.get_running_loop().time()
        units = lines + size / self._BYTES_OF_UNIT
        self._spent = max(0.0, self._spent - (now - self._at) * self._UNITS_PER_SECOND) + units
        self._at = now
        await asyncio.sleep(max(0.0, self._spent / self._UNITS_PER_SECOND - 1.0))


@dataclass(slots=True)
class LineBuffer:
    """The line that is being read; of one that is too long, its two ends."""

    text: bytes = b""
    is_cut: bool = False
    skipped: int = 0

    def add(self, piece: bytes) -> None:
        self.text += piece
        if len(self.text) > (2 * _END_BYTES if self.is_cut else MAX_MESSAGE_BYTES):
            self.skipped += len(self.text) - 2 * _END_BYTES
            self.text = self.text[:_END_BYTES] + self.text[-_END_BYTES:]
            self.is_cut = True
