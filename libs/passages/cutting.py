"""Cutting: a text becomes units that are never cut, and these become passages with some overlap."""

import re
from collections import deque
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["prose", "markdown", "code", "table", "workbook"]

#: In tokens: what a passage aims at, and what it never passes.
SHORTEST, LONGEST = 200, 400
_OVERLAP = 60
_BYTES_PER_TOKEN = 4
# A unit is at most this long, in characters: a passage can then be filled well.
_UNIT = 240
_HEADING_LENGTH = 200

_HEADING = re.compile(r"(#{1,6})[ \t]++(.*)")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_LINE = re.compile(r"[^\n\f]*(?:\n|\f|$)")
_SENTENCE = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)\]]*+\s++|[。！？]")
_SPACE = re.compile(r"\s")
_CODE = frozenset(
    """
    c cc cpp cs css dart ex erl go h hpp hs java jl js json jsx kt lua m mjs php pl py r rb rs scala
    sh sql swift tf toml ts tsx vue xml yaml yml zig
    """.split()  # noqa: SIM905
)
_KINDS: dict[str, Kind] = {
    "md": "markdown",
    "markdown": "markdown",
    "mdx": "markdown",
    "csv": "table",
    "tsv": "table",
    "xlsx": "workbook",
    "xlsm": "workbook",
    "ods": "workbook",
}


class Passage(NamedTuple):
    """A piece of a text as it stands; `line` counts from 1, and so does `page`."""

    text: str
    line: int
    heading: str | None = None
    page: int | None = None
    sheet: str | None = None


class _Place(NamedTuple):
    line: int
    heading: str | None
    page: int
    #: The first of a section, where a passage may rather end before.
    begins: bool


class _Unit(NamedTuple):
    start: int
    end: int
    tokens: int
    place: _Place


def kind_of(name: str) -> Kind:
    """Returns the kind of a text by the name of its file."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return "code" if ending in _CODE else _KINDS.get(ending, "prose")


def estimated_tokens(text: str) -> int:
    """Estimates the tokens of a text by its length in UTF-8."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // _BYTES_PER_TOKEN)


def passages(text: str, kind: Kind = "prose") -> Iterator[Passage]:
    """Yields the passages of a text in order; a text without a letter or digit has none."""
    paged, sheets = "\f" in text, _sheet_names(text) if kind == "workbook" else ()
    group: deque[_Unit] = deque()
    fresh = False
    for unit in _units(text, kind):
        if group and _is_full(group, unit):
            if fresh:
                yield _passage(text, group, paged, sheets)
            _keep_overlap(group, unit)
            fresh = False
        group.append(unit)
        fresh = True
    if group and fresh:
        last = _passage(text, group, paged, sheets)
        if any(map(str.isalnum, last.text)):
            yield last


def sections(text: str) -> list[Passage]:
    """Returns the pieces of a text in Markdown between its headings, each below its own."""
    groups: list[deque[_Unit]] = []
    for unit in _units(text, "markdown"):
        if not groups or unit.place.begins:
            groups.append(deque())
        groups[-1].append(unit)
    return [_passage(text, group, False, ()) for group in groups]


def _is_full(group: deque[_Unit], unit: _Unit) -> bool:
    """Tells whether a passage ends before this unit."""
    tokens = sum(one.tokens for one in group)
    if tokens + unit.tokens > LONGEST or unit.place.page != group[-1].place.page:
        return True
    return unit.place.begins and tokens >= SHORTEST


def _keep_overlap(group: deque[_Unit], unit: _Unit) -> None:
    """Leaves the last units of a passage as the beginning of the next; none where a page or section ends."""
    room = (
        0
        if unit.place.begins or unit.place.page != group[-1].place.page
        else min(_OVERLAP, LONGEST - unit.tokens)
    )
    kept: deque[_Unit] = deque()
    while group and group[-1].tokens <= room:
        room -= group[-1].tokens
        kept.appendleft(group.pop())
    group.clear()
    group.extend(kept)


def _passage(text: str, group: deque[_Unit], paged: bool, sheets: tuple[str, ...]) -> Passage:
    first = group[0].place
    heading = next((one.place.heading for one in group if one.place.heading is not None), None)
    body = text[group[0].start : group[-1].end].strip("\n\f\r\t ")
    sheet = sheets[first.page] if first.page < len(sheets) else None
    page = first.page + 1 if paged and not sheets else None
    return Passage(body, first.line, heading, page, sheet)


def _sheet_names(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\n").partition("\n")[0].strip()[:_HEADING_LENGTH] for part in text.split("\f"))


def _units(text: str, kind: Kind) -> Iterator[_Unit]:
    """Yields what is not cut further, in order; blank lines belong to none."""
    by_line = kind in ("code", "table", "workbook")
    heading: str | None = None
    fence = ""
    page, begins = 0, True
    start, line = -1, 0
    for number, found in enumerate(_LINE.finditer(text), 1):
        if found.start() == found.end() == len(text):
            break
        raw = found[0].rstrip("\n\f")
        ends_page = found[0].endswith("\f")
        title = None
        if kind == "markdown":
            fence, title = _read_markdown_line(raw, fence)
        blank = not raw or raw.isspace()
        edge = kind == "code" and not blank and not raw[0].isspace() and raw[0] not in ")]}"
        if start >= 0 and (blank or by_line or title is not None):
            yield from _cut(text, start, found.start(), _Place(line, heading, page, begins))
            start, begins = -1, False
        if title is not None:
            heading, begins = title or heading, True
        if not blank and start < 0:
            start, line = found.start(), number
            begins = begins or edge
        if ends_page or (start >= 0 and (by_line or title is not None)):
            if start >= 0:
                end = found.end() - int(ends_page)
                yield from _cut(text, start, end, _Place(line, heading, page, begins))
            start, begins = -1, False
        if ends_page:
            page, begins = page + 1, True
    if start >= 0:
        yield from _cut(text, start, len(text), _Place(line, heading, page, begins))


def _read_markdown_line(raw: str, fence: str) -> tuple[str, str | None]:
    """Returns the fence that is open behind a line, and the heading that the line is."""
    mark = _FENCE.match(raw)
    if fence:
        closes = mark is not None and mark[1].startswith(fence) and not raw[mark.end() :].strip()
        return ("" if closes else fence), None
    if mark is not None:
        return mark[1], None
    found = _HEADING.fullmatch(raw[: 4 * _HEADING_LENGTH])
    title = "" if found is None else found[2].rstrip(" \t").rstrip("#").rstrip(" \t")
    return "", None if found is None else title[:_HEADING_LENGTH]


def _cut(text: str, start: int, end: int, place: _Place) -> Iterator[_Unit]:
    """Yields a paragraph, cut at sentences, else at blanks, else anywhere, where it is long."""
    while end - start > _UNIT:
        stop = start + _cut_at(text[start : start + _UNIT])
        yield _Unit(start, stop, estimated_tokens(text[start:stop]), place)
        place = place._replace(line=place.line + text.count("\n", start, stop), begins=False)
        start = stop
    if start < end:
        yield _Unit(start, end, estimated_tokens(text[start:end]), place)


def _cut_at(piece: str) -> int:
    half = len(piece) // 2
    ends = [found.end() for found in _SENTENCE.finditer(piece) if found.end() >= half]
    ends = ends or [found.end() for found in _SPACE.finditer(piece, half)]
    return ends[-1] if ends else len(piece)
