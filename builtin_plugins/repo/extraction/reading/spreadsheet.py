"""XLSX: each sheet under its name, a line for a row, a tab between cells; numbers as they are shown."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import NamedTuple

from .kinds import ReadingRefused
from .package import Parts, local, relation_id
from .task import ReadingLimits, Transcript

_BUILT_IN_MOMENTS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\[\]]*+\]|_.|\*.')
_MOMENT_LETTER = re.compile("[ymdhs]", re.IGNORECASE)
_LAST_DAY = 2_958_465
_LONGEST_NUMBER = 40


class Formats:
    """Which cell formats of a workbook show a moment; reads the part that lists them."""

    def __init__(self, *, from_1904: bool) -> None:
        self.epoch = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)
        self._own_moments: dict[str, bool] = {}
        self._by_style: list[bool] = []
        self._in_cell_formats = False

    def is_moment(self, style: str) -> bool:
        index = int(style) if style.isdecimal() and len(style) < 6 else len(self._by_style)
        return index < len(self._by_style) and self._by_style[index]

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt":
            code = _LITERAL.sub("", local(attributes, "formatCode"))
            self._own_moments[local(attributes, "numFmtId")] = bool(_MOMENT_LETTER.search(code))
        elif name == "cellXfs":
            self._in_cell_formats = True
        elif name == "xf" and self._in_cell_formats:
            number = local(attributes, "numFmtId")
            built_in = number.isdecimal() and len(number) < 6 and int(number) in _BUILT_IN_MOMENTS
            self._by_style.append(self._own_moments.get(number, built_in))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._in_cell_formats = False

    def text(self, text: str) -> None:
        pass


def spell_number(value: str, is_moment: bool, epoch: datetime) -> str:
    """Writes a number with the fifteen digits that a sheet counts with; what is none stays as it is."""
    if not value or len(value) > _LONGEST_NUMBER:
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    if is_moment and 0 <= number <= _LAST_DAY:
        return _spell_moment(number, epoch)
    return format(number, ".15g") if number % 1 else value


def _spell_moment(number: float, epoch: datetime) -> str:
    moment = epoch + timedelta(seconds=round(number * 86_400))
    if number < 1:
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d}" if number % 1 == 0 else f"{moment:%Y-%m-%d %H:%M:%S}"


SHEET = "xl/worksheets/sheet"
_SHARED_STRINGS = "xl/sharedStrings"
_STYLES = "xl/styles"


class Workbook(NamedTuple):
    sheets: Sequence[tuple[str, str | None]]
    """Each by its name, which may be empty, with its part, which may be missing."""
    shared_strings: Sequence[str]
    styles: Sequence[str]
    from_1904: bool


def find_workbook(parts: Parts, main: str) -> Workbook:
    """Finds the sheets by relations, or by the names of parts where nothing leads to them."""
    book = _Book()
    if main in parts:
        parts.parse(main, book)
    if parts.leads_on(main):
        return _listed(parts, main, book)
    names = [name for name, _ in book.sheets]
    return Workbook(
        [(name or "", part) for name, part in zip_longest(names, parts.named(SHEET))],
        parts.named(_SHARED_STRINGS),
        parts.named(_STYLES),
        book.from_1904,
    )


def _listed(parts: Parts, main: str, book: "_Book") -> Workbook:
    relations = parts.relations(main)
    targets = {relation.id: relation.target for relation in relations if relation.kind == "worksheet"}
    return Workbook(
        [(name, targets.get(sheet_id)) for name, sheet_id in book.sheets],
        [relation.target for relation in relations if relation.kind == "sharedStrings"],
        [relation.target for relation in relations if relation.kind == "styles"],
        book.from_1904,
    )


class _Book:
    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.from_1904 = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            self.sheets.append((local(attributes, "name"), relation_id(attributes)))
        elif name == "workbookPr":
            self.from_1904 = local(attributes, "date1904") in ("1", "true")

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


_SHARED_CHARACTERS = 32 << 20


def write_sheets(parts: Parts, main: str, transcript: Transcript, limits: ReadingLimits) -> None:
    book = find_workbook(parts, main)
    shared = _SharedStrings()
    for part in book.shared_strings:
        parts.parse(part, shared)
    formats = Formats(from_1904=book.from_1904)
    for part in book.styles:
        parts.parse(part, formats)
    transcript.partial = shared.full
    cells = _Cells(transcript, shared.strings, formats, limits)
    for number, (name, sheet) in enumerate(book.sheets):
        if number:
            transcript.end_page()
        transcript.write(name)
        transcript.separate("\n")
        if sheet is not None:
            cells.begin_sheet()
            parts.parse(sheet, cells)


class _SharedStrings:
    """The strings that cells point to by number; past a bound they are empty, and the text is partial."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self.full = False
        self._room = _SHARED_CHARACTERS
        self._pieces: list[str] = []
        self._in_text = False
        self._phonetic = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "si":
            self._pieces = []
        elif name == "rPh":
            self._phonetic = True
        elif name == "t":
            self._in_text = not self._phonetic

    def end(self, name: str) -> None:
        if name == "si":
            self.strings.append("".join(self._pieces))
        elif name == "rPh":
            self._phonetic = False
        elif name == "t":
            self._in_text = False

    def text(self, text: str) -> None:
        if self._in_text:
            self._room -= len(text)
            self.full = self._room < 0
            if not self.full:
                self._pieces.append(text)


class _Cells:
    """Writes each cell as it comes: many may point to one long string."""

    def __init__(
        self, transcript: Transcript, shared: Sequence[str], formats: Formats, limits: ReadingLimits
    ) -> None:
        self._transcript = transcript
        self._shared = shared
        self._formats = formats
        self._limits = limits
        self._cells = 0
        self.begin_sheet()

    def begin_sheet(self) -> None:
        self._rows = 0
        self._kind = self._style = ""
        self._pieces: list[str] = []
        self._in_value = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "row":
            self._rows += 1
            if self._rows > self._limits.rows:
                raise ReadingRefused(f"has a sheet of more than {self._limits.rows:,} rows")
        elif name == "c":
            self._cells += 1
            if self._cells > self._limits.cells:
                self._transcript.stop()
            self._kind, self._style = local(attributes, "t"), local(attributes, "s")
            self._pieces = []
        elif name in ("v", "t"):
            self._in_value = True

    def end(self, name: str) -> None:
        if name in ("v", "t"):
            self._in_value = False
        elif name == "c" and (spelled := self._spelled("".join(self._pieces))):
            self._transcript.write(spelled)
            self._transcript.separate("\t")
        elif name == "row":
            self._transcript.separate("\n")

    def text(self, text: str) -> None:
        if self._in_value:
            self._pieces.append(text)

    def _spelled(self, value: str) -> str:
        if self._kind == "s":
            index = int(value) if value.isdecimal() and len(value) < 10 else len(self._shared)
            value = self._shared[index] if index < len(self._shared) else ""
        elif self._kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        elif self._kind in ("", "n"):
            return spell_number(value, self._formats.is_moment(self._style), self._formats.epoch)
        return " ".join(value.split())
