"""Which bytes of an object are meant: by Range, by part number, by the range of a copied part."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from builtin_plugins.s3.wire.errors import InvalidArgument, InvalidPart, InvalidRange, InvalidRequest

MAX_PARTS = 10_000

_RANGE = re.compile(r"bytes=(\d*+)-(\d*+)", re.ASCII | re.IGNORECASE)
# No object is as long; a number of more digits stands for this one.
_BEYOND_ALL = 10**18


@dataclass(frozen=True, slots=True)
class Span:
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


def part_span(part_sizes: Sequence[int], number: int, range_header: str | None = None) -> Span:
    """Returns the bytes of one part; an object that was uploaded whole is its own first part."""
    if range_header is not None:
        raise InvalidRequest("Range and partNumber cannot be used together.")
    if number > len(part_sizes):
        raise InvalidPart("The object has no such part.")
    start = sum(part_sizes[: number - 1])
    return Span(start, start + part_sizes[number - 1])


def _position(digits: str) -> int:
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) <= 18 else _BEYOND_ALL


def _is_reversed(match: re.Match[str]) -> bool:
    """Tells whether the ends are reversed, by their digits: these may be too many for a number."""
    first, last = (digits.lstrip("0") for digits in match.groups())
    return bool(match[1] and match[2]) and (len(last), last) < (len(first), first)
