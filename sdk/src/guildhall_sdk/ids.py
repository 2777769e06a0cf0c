"""Ids and times as every plugin writes them."""

import base64
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from guildhall_sdk.errors import InvalidRequest

# Of the same order as the numbers that they stand for, which base32 has other signs for.
_OURS = "0123456789abcdefghjkmnpqrstvwxyz"
_SIGNS = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", _OURS.encode())
# Two signs for each ten bits; a time has five of these.
_PAIRS = [first + second for first in _OURS for second in _OURS]
_SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# What RFC 3339 can say: the years 1 to 9999, in UTC.
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
_LONGEST_TIME = 64
# Ten bytes are sixteen signs.
_BYTES, _LENGTH, _DRAWN_AT_ONCE = 10, 16, 256
# Every request has an id, and asking the system for chance may take as long as the rest of it.
_drawn: list[str] = []
os.register_at_fork(after_in_child=_drawn.clear)


def new_id(prefix: str, now_ms: int) -> str:
    """Makes a text id: a type prefix, 48 bits of time, 80 bits of chance; ids sort by time.

    A time before 1970, which is before every id, counts as 1970.
    """
    try:
        chance = _drawn.pop()
    except IndexError:
        chance = _draw()
    return f"{prefix}_{_time(now_ms)}{chance}"


def first_id(prefix: str, at_ms: int) -> str:
    """Returns what sorts before every id of that time or later, and behind all earlier ones."""
    return f"{prefix}_{_time(max(0, at_ms))}"


def _draw() -> str:
    """Returns 80 bits of chance as text, and draws as many more for those who come next."""
    signs = base64.b32encode(os.urandom(_BYTES * _DRAWN_AT_ONCE)).translate(_SIGNS).decode()
    _drawn.extend(signs[at : at + _LENGTH] for at in range(_LENGTH, len(signs), _LENGTH))
    return signs[:_LENGTH]


# Many are made within one millisecond.
@lru_cache(maxsize=8)
def _time(now_ms: int) -> str:
    at, pairs = max(0, now_ms), _PAIRS
    first, second, third = pairs[at >> 40 & 1023], pairs[at >> 30 & 1023], pairs[at >> 20 & 1023]
    return first + second + third + pairs[at >> 10 & 1023] + pairs[at & 1023]


def request_id(given: str, now_ms: int) -> str:
    """Returns the caller's own id of the request if it is a sound one, else a new one."""
    return given if _SANE_REQUEST_ID.fullmatch(given) else new_id("req", now_ms)


def rfc3339(ms: int) -> str:
    """Formats milliseconds since the epoch as RFC 3339 UTC, always with milliseconds and `Z`."""
    return f"{_second(ms // 1000)}.{ms % 1000:03d}Z"


@lru_cache(maxsize=4096)
def _second(at: int) -> str:
    known = min(max(at, _FIRST_SECOND), _LAST_SECOND)
    return datetime.fromtimestamp(known, UTC).isoformat()[:19]


def rfc3339_or_none(ms: int | None) -> str | None:
    """Formats milliseconds since the epoch as RFC 3339 UTC; returns None for None."""
    return None if ms is None else rfc3339(ms)


def parse_rfc3339(text: str) -> int | None:
    """Parses a time to milliseconds since the epoch; None without an offset or outside years 1 to 9999."""
    if len(text) > _LONGEST_TIME or "T" not in text or not text.isascii():
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    # Whole numbers throughout: a float of the last millisecond of 9999 is already the year 10000.
    ms = (moment - _EPOCH) // timedelta(milliseconds=1)
    return ms if _FIRST_SECOND <= ms // 1000 <= _LAST_SECOND else None


def time_in(fields: Mapping[str, Any], field: str, *, mark: str = "/") -> int | None:
    """Reads a time to milliseconds, or None if it is absent or null; raises `InvalidRequest`.

    The fields are those of a body, or with the mark `?` of a query.
    """
    if (text := fields.get(field)) is None:
        return None
    ms = parse_rfc3339(text)
    if ms is None:
        raise InvalidRequest.at(f"{mark}{field}", "must be a time such as 2030-01-31T12:00:00Z")
    return ms
