"""What a reader is given, what a document or a picture may cost, and the text as it is gathered."""

import re
import time
import unicodedata
from typing import BinaryIO, NamedTuple, Protocol

from .kinds import Kind

_MIB = 1 << 20


class ReadingLimits(NamedTuple):
    """The limits of reading one document.

    What is too large, too deep or too slow is refused; of too much text, pages or cells the first are read.
    """

    input_bytes: int = 256 * _MIB
    plain_bytes: int = 8 * _MIB
    """Of a plain file, this much is looked at."""
    text_bytes: int = 2 * _MIB
    """UTF-8, of what comes out."""
    memory_bytes: int = 512 * _MIB
    """Address space of the child, the interpreter included."""
    cpu_seconds: int = 20
    wall_seconds: int = 60
    pages: int = 2_000
    cells: int = 1_000_000
    rows: int = 1_048_576
    """A sheet with more is none that a spreadsheet program could have written."""
    depth: int = 256
    parts: int = 20_000
    expanded_bytes: int = 256 * _MIB
    """Of all parts of a package that are read, together."""
    expansion: int = 200
    """How many times its packed size a part may be, once it is large."""


class DrawingLimits(NamedTuple):
    """What one small picture may cost."""

    input_bytes: int = 64 * _MIB
    output_bytes: int = _MIB
    pixels: int = 64_000_000
    """Of a picture; a JPEG is read at an eighth of its sides where that is enough."""
    memory_bytes: int = 512 * _MIB
    cpu_seconds: int = 10
    wall_seconds: int = 30


_LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile("[\0-\b\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_FIXED_SPACE = re.compile("[\u00a0\u2007\u202f]")
_BLANK_LINES = re.compile("\n{3,}")

#: What stands before the pages of a text but for the first.
PAGE_MARK = "\f"
# No text brings it: it is half of a character.
_PAGE_ENDS = "\udbff"

_STRENGTH = {mark: strength for strength, mark in enumerate(("", " ", "\t", "\n", "\n\n"))}


class Full(Exception):
    """Enough was read; what there is stands."""


class Transcript:
    """Takes text until there is enough of it, or until reading has taken most of its time.

    `kind` is what the document turned out to be; a package says so only once it is open.
    """

    def __init__(self, max_bytes: int, patience_seconds: float) -> None:
        self.kind: Kind | None = None
        self.partial = False
        self._pieces: list[str] = []
        self._gap = ""
        self._max_bytes = max_bytes
        self._room = max_bytes
        self._patience_seconds = patience_seconds

    def write(self, text: str) -> None:
        self._put(text.replace(_PAGE_ENDS, "\ufffd"))

    def _put(self, text: str) -> None:
        # No letter takes less than a byte; the last cut is made in bytes.
        self._pieces += (self._gap, text[: self._room + 1])
        self._room -= len(self._gap) + len(text)
        self._gap = ""
        if self._room < 0 or time.process_time() > self._patience_seconds:
            self.stop()

    def separate(self, mark: str) -> None:
        """Separates two pieces by the strongest of the marks that were given between them."""
        if _STRENGTH[mark] > _STRENGTH[self._gap]:
            self._gap = mark

    def end_page(self) -> None:
        """Ends a page, slide or sheet: between two stand an empty line and a form feed."""
        self._put(_PAGE_ENDS)

    def stop(self) -> None:
        self.partial = True
        raise Full

    def finished(self) -> bytes:
        encoded = tidy("".join(self._pieces)).encode()
        if len(encoded) > self._max_bytes:
            self.partial = True
            encoded = encoded[: self._max_bytes].decode(errors="ignore").encode()
        return encoded


def tidy(text: str) -> str:
    pieces: list[str] = []
    begun = False
    for number, page in enumerate(map(_tidy_page, text.split(_PAGE_ENDS))):
        mark = PAGE_MARK if number else ""
        pieces.append(f"\n\n{mark}{page}" if begun and page else mark + page)
        begun = begun or bool(page)
    return "".join(pieces).rstrip(f"\n{PAGE_MARK}")


def _tidy_page(text: str) -> str:
    text = _LINE_ENDS.sub("\n", text)
    text = _UNSEEN.sub("", text)
    text = _LONE_SURROGATE.sub("\ufffd", text)
    text = unicodedata.normalize("NFC", _FIXED_SPACE.sub(" ", text))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


class Task(NamedTuple):
    declared: Kind
    charset: str | None
    limits: ReadingLimits


class DocumentReader(Protocol):
    """A module that reads one kind of document."""

    def read(self, document: BinaryIO, transcript: Transcript, task: Task) -> None:
        """Writes what it finds to the transcript, which may stop it; raises `Unreadable` if it cannot."""
