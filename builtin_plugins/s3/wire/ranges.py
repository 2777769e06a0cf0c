"""Which bytes of an object are meant: by Range, by part number, by the range of a copied part."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from builtin_plugins.s3.wire.errors import InvalidArgument, InvalidPart, InvalidRange, InvalidRequest

MOST_PARTS = 10_000

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


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
    """None for the whole object; so are several ranges and what is no range, as S3 has it."""
    told = _RANGE.fullmatch(header.strip()) if header else None
    if told is None or not (told[1] or told[2]):
        return None
    if told[1]:
        start, end = int(told[1]), min(int(told[2]) + 1 if told[2] else size, size)
        if told[2] and int(told[2]) < start:
            return None
    else:
        start, end = max(0, size - int(told[2])), size
    if start >= end:
        raise InvalidRange(headers={"Content-Range": f"bytes */{size}"}, ActualObjectSize=str(size))
    return Span(start, end)


def parse_copy_range(header: str | None, size: int) -> Span | None:
    """`x-amz-copy-source-range`: both ends are needed, and must lie within the source."""
    if header is None:
        return None
    told = _RANGE.fullmatch(header.strip())
    if told is None or not (told[1] and told[2]) or int(told[2]) < int(told[1]):
        raise InvalidArgument(
            "x-amz-copy-source-range must be bytes=first-last.", ArgumentName="x-amz-copy-source-range"
        )
    if int(told[2]) >= size:
        raise InvalidRange(f"The range lies outside the source of {size} bytes.")
    return Span(int(told[1]), int(told[2]) + 1)


def parse_part_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= MOST_PARTS:
        raise InvalidArgument(
            f"Part numbers are whole numbers from 1 to {MOST_PARTS}.", ArgumentName="partNumber"
        )
    return int(text)


def part_span(part_sizes: Sequence[int], number: int, range_header: str | None = None) -> Span:
    """The bytes of one part; an object that was uploaded whole is its own first part."""
    if range_header is not None:
        raise InvalidRequest("Range and partNumber cannot be used together.")
    if number > len(part_sizes):
        raise InvalidPart("The object has no such part.")
    start = sum(part_sizes[: number - 1])
    return Span(start, start + part_sizes[number - 1])
