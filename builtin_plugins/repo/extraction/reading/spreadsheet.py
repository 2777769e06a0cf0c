"""XLSX: each sheet under its name, a line for a row, a tab between cells."""

from collections.abc import Mapping, Sequence

from .cell_values import Formats, spell_number
from .limits import ReadingLimits
from .markup import local
from .parts import Parts
from .refusal import ReadingRefused
from .transcript import Transcript
from .workbook import find_workbook

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
    for name, sheet in book.sheets:
        transcript.separate("\n\n")
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
