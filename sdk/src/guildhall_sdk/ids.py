"""Ids and times as every plugin writes them."""

import os
import re
from datetime import UTC, datetime
from functools import lru_cache

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)


def new_id(prefix: str, now_ms: int) -> str:
    """A text id: a type prefix, 48 bits of time, 80 bits of chance; sorts by time."""
    number = (now_ms << 80) | int.from_bytes(os.urandom(10), "big")
    return f"{prefix}_" + "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])


def request_id(given: str, now_ms: int) -> str:
    """The caller's own, if it is sane, else a new one."""
    return given if _SANE_REQUEST_ID.fullmatch(given) else new_id("req", now_ms)


def rfc3339(ms: int) -> str:
    """Milliseconds since the epoch as RFC 3339 UTC, always with milliseconds and `Z`."""
    return f"{_second(ms // 1000)}.{ms % 1000:03d}Z"


@lru_cache(maxsize=4096)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def rfc3339_or_none(ms: int | None) -> str | None:
    return None if ms is None else rfc3339(ms)
