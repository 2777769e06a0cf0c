"""Conditions on a request, in the order in which S3 judges them.

Those of a write must be judged where the write happens, within its transaction."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from typing import NamedTuple

from builtin_plugins.s3.wire.errors import (
    InvalidArgument,
    InvalidRange,
    NoSuchKey,
    NotModified,
    PreconditionFailed,
)

COPY_SOURCE = "x-amz-copy-source-"


def parse_date(text: str) -> int | None:
    """Parses an HTTP date or ISO 8601 to seconds since the epoch; None for what is neither."""
    if not text:
        return None  # most requests have none, and refusing it twice takes its time
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text.strip())
        except (ValueError, TypeError, OverflowError):
            continue
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return None


@lru_cache(maxsize=4096)
def http_date(seconds: int) -> str:
    """Formats a date as in Last-Modified."""
    return format_datetime(datetime.fromtimestamp(seconds, UTC), usegmt=True)


class Stored(NamedTuple):
    """The state that conditions are held against; a delete marker has no ETag. It is without quotes."""

    etag: str | None
    modified_ms: int
    size: int = 0

    @property
    def modified_s(self) -> int:
        return self.modified_ms // 1000


class ReadConditions(NamedTuple):
    if_match: str | None = None
    if_none_match: str | None = None
    if_modified_since: int | None = None
    if_unmodified_since: int | None = None

    @classmethod
    def parse(cls, headers: Mapping[str, str], prefix: str = "") -> "ReadConditions":
        """Reads the conditions; `prefix` is `COPY_SOURCE` for a copy. A date that is none is no condition."""
        return cls(
            headers.get(f"{prefix}if-match"),
            headers.get(f"{prefix}if-none-match"),
            parse_date(headers.get(f"{prefix}if-modified-since", "")),
            parse_date(headers.get(f"{prefix}if-unmodified-since", "")),
        )

    def check(self, stored: Stored) -> None:
        """Raises for GET and HEAD: 412, or 304 with the ETag."""
        if not self._wanted(stored):
            raise PreconditionFailed()
        if not self._news(stored):
            headers = {"ETag": f'"{stored.etag}"', "Last-Modified": http_date(stored.modified_s)}
            raise NotModified(headers=headers)

    def check_copy(self, stored: Stored) -> None:
        """Raises for a copy, which has no 304."""
        if not (self._wanted(stored) and self._news(stored)):
            raise PreconditionFailed()

    def _wanted(self, stored: Stored) -> bool:
        if self.if_match is not None:
            return matches(self.if_match, stored.etag)
        return self.if_unmodified_since is None or stored.modified_s <= self.if_unmodified_since

    def _news(self, stored: Stored) -> bool:
        if self.if_none_match is not None:
            return not matches(self.if_none_match, stored.etag)
        return self.if_modified_since is None or stored.modified_s > self.if_modified_since


def allows_range(if_range: str | None, etag: str) -> bool:
    """Tells whether a caller who holds the rest of it (`If-Range`) gets a range; else the whole.

    Only the ETag proves that it is the rest: within the second of a date there may be two writes.
    """
    return if_range is None or if_range.strip() in (etag, f'"{etag}"')


class WriteConditions(NamedTuple):
    if_match: str | None = None
    if_none_match: str | None = None

    @classmethod
    def parse(cls, headers: Mapping[str, str]) -> "WriteConditions":
        return cls(headers.get("if-match"), headers.get("if-none-match"))

    def check(self, current: Stored | None) -> None:
        """Raises unless a write may go on; `current` is None or a delete marker where there is no object."""
        etag = None if current is None else current.etag
        if self.if_match is not None:
            if etag is None:
                raise NoSuchKey()
            if not matches(self.if_match, etag):
                raise PreconditionFailed(Condition="If-Match")
        if self.if_none_match is not None and matches(self.if_none_match, etag):
            raise PreconditionFailed(Condition="If-None-Match")


class DeleteConditions(NamedTuple):
    if_match: str | None = None
    modified_s: int | None = None
    size: int | None = None

    @classmethod
    def parse(cls, headers: Mapping[str, str]) -> "DeleteConditions":
        modified, size = headers.get("x-amz-if-match-last-modified-time"), headers.get("x-amz-if-match-size")
        return cls(headers.get("if-match"), parse_condition_date(modified), parse_condition_size(size))

    def check(self, stored: Stored | None) -> None:
        """Raises unless a delete may go on.

        What is not there is deleted already; a delete marker is there, but matches only `*`.
        """
        if stored is None:
            return
        held = (
            self.if_match is None or self.if_match.strip() == "*" or matches(self.if_match, stored.etag),
            self.modified_s is None or self.modified_s == stored.modified_s,
            self.size is None or self.size == stored.size,
        )
        if not all(held):
            raise PreconditionFailed()


def matches(condition: str, etag: str | None) -> bool:
    """Tells whether `*` or a list of ETags, quoted or not, has this one; nothing matches what has none."""
    if etag is None:
        return False
    named = [one.strip().removeprefix("W/").strip('"') for one in condition.split(",")]
    return "*" in named or etag in named


def parse_condition_date(text: str | None) -> int | None:
    """Parses a date, and refuses what is none: a delete must not go on without its condition."""
    seconds = None if text is None else parse_date(text)
    if text is not None and seconds is None:
        raise InvalidArgument("The condition on the time of modification is not a date.")
    return seconds


def parse_condition_size(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise InvalidArgument("The condition on the size is not a size.")
    return int(text)


MAX_PARTS = 10_000

_RANGE = re.compile(r"bytes=(\d*+)-(\d*+)", re.ASCII | re.IGNORECASE)
# No object is as long; a number of more digits stands for this one.
_BEYOND_ALL = 10**18


class Span(NamedTuple):
    """From `start` up to, but without, `end`."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start

    def content_range(self, size: int) -> str:
        return f"bytes {self.start}-{self.end - 1}/{size}"


def parse_range(header: str | None, size: int) -> Span | None:
    """Returns the span; None, the whole, for several ranges and what is no range, as S3 has it."""
    match = _RANGE.fullmatch(header.strip()) if header else None
    if match is None or not (match[1] or match[2]) or _is_reversed(match):
        return None
    if match[1]:
        start, end = _position(match[1]), min(_position(match[2]) + 1 if match[2] else size, size)
    else:
        start, end = max(0, size - _position(match[2])), size
    if start >= end:
        raise InvalidRange(headers={"Content-Range": f"bytes */{size}"}, ActualObjectSize=str(size))
    return Span(start, end)


def parse_copy_range(header: str | None, size: int) -> Span | None:
    """Parses `x-amz-copy-source-range`: both ends are needed, and must lie within the source."""
    if header is None:
        return None
    match = _RANGE.fullmatch(header.strip())
    if match is None or not (match[1] and match[2]) or _is_reversed(match):
        raise InvalidArgument(
            "x-amz-copy-source-range must be bytes=first-last.", ArgumentName="x-amz-copy-source-range"
        )
    if _position(match[2]) >= size:
        raise InvalidRange(f"The range lies outside the source of {size} bytes.")
    return Span(_position(match[1]), _position(match[2]) + 1)


def parse_part_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= MAX_PARTS:
        raise InvalidArgument(
            f"Part numbers are whole numbers from 1 to {MAX_PARTS}.", ArgumentName="partNumber"
        )
    return int(text)


def _position(digits: str) -> int:
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) <= 18 else _BEYOND_ALL


def _is_reversed(match: re.Match[str]) -> bool:
    """Tells whether the ends are reversed, by their digits: these may be too many for a number."""
    first, last = (digits.lstrip("0") for digits in match.groups())
    return bool(match[1] and match[2]) and (len(last), last) < (len(first), first)
