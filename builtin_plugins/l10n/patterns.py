"""ICU messages taken apart: what a reader sees, the slots in it, and the frames of plurals and selects."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from libs.icu_messages import Argument, Message, parse_message

PLURALS = ("plural", "selectordinal")
BRANCHED = (*PLURALS, "select")
_PIECE = re.compile(r"[^'#]+|''|'|#")
_TO_QUOTE = re.compile(r"[{}][{}']*|'+")
_TO_QUOTE_IN_PLURAL = re.compile(r"[{}#][{}#']*|'+")


class Text(NamedTuple):
    """What a reader sees, without the quoting of messages."""

    text: str


class Slot(NamedTuple):
    """A place that is filled in: the name of its argument, and how it is written, such as `#`."""

    name: str
    written: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A plural or a select: its argument, and a pattern for each selector."""

    name: str
    kind: str
    offset: int
    forms: Mapping[str, "Pattern"] = field(hash=False)

    @property
    def plural(self) -> bool:
        """Whether `#` stands for its number."""
        return self.kind in PLURALS


Piece = Text | Slot | Frame
Pattern = Sequence[Piece]


def read_pattern(text: str, message: Message | None = None) -> Pattern:
    """Takes a message apart, in time that grows with its length. Raises `MessageFault`."""
    parsed = parse_message(text) if message is None else message
    return _Reader(text, parsed.arguments).read(0, len(text), None)


def write_pattern(pattern: Pattern, *, inside: Frame | None = None) -> str:
    """Writes a message, or the form of a frame that it stands inside."""
    return "".join(
        _write_piece(piece, inside, last=inside is None and number == len(pattern) - 1)
        for number, piece in enumerate(pattern)
    )


def frames_of(pattern: Pattern) -> Iterator[Frame]:
    """Yields every frame of a pattern, the outer before the inner ones."""
    for piece in pattern:
        if isinstance(piece, Frame):
            yield piece
            for form in piece.forms.values():
                yield from frames_of(form)


def merge_texts(pieces: Iterable[Piece]) -> Pattern:
    """Returns the pattern with texts that follow one another as one, and without empty ones."""
    merged: list[Piece] = []
    for are_texts, some in groupby(pieces, key=lambda piece: isinstance(piece, Text)):
        if not are_texts:
            merged += some
        elif text := "".join(piece.text for piece in some if isinstance(piece, Text)):
            merged.append(Text(text))
    return tuple(merged)


def _write_piece(piece: Piece, inside: Frame | None, *, last: bool) -> str:
    if isinstance(piece, Text):
        return _quote(piece.text, plural=inside is not None and inside.plural, last=last)
    if isinstance(piece, Slot):
        return piece.written
    offset = f"offset:{piece.offset} " if piece.offset else ""
    forms = " ".join(
        f"{selector} {{{write_pattern(form, inside=piece)}}}" for selector, form in piece.forms.items()
    )
    return f"{{{piece.name}, {piece.kind}, {offset}{forms}}}"


def _quote(text: str, *, plural: bool, last: bool) -> str:
    """Writes a text so that it is read as it is; `last` says that nothing at all follows it."""
    special = "{}#" if plural else "{}"

    def quoted(found: "re.Match[str]") -> str:
        doubled = found[0].replace("'", "''")
        if found[0][0] != "'":
            return f"'{doubled}'"
        # One apostrophe alone is read as it is, unless something that it would quote follows it.
        following = text[found.end() : found.end() + 1]
        alone = found[0] == "'" and (following not in special if following else last)
        return found[0] if alone else doubled

    return (_TO_QUOTE_IN_PLURAL if plural else _TO_QUOTE).sub(quoted, text)


class _Reader:
    """Goes through the arguments of a message in their order."""

    def __init__(self, text: str, arguments: Sequence[Argument]) -> None:
        self._text = text
        self._arguments = arguments
        self._next = 0

    def read(self, begin: int, end: int, plural: str | None) -> Pattern:
        """Returns the pattern between two places; `plural` names the argument that it stands in directly."""
        pieces: list[Piece] = []
        while self._next < len(self._arguments) and self._arguments[self._next].span[0] < end:
            argument = self._arguments[self._next]
            self._next += 1
            pieces += _texts(self._text[begin : argument.span[0]], plural)
            pieces.append(self._piece(argument))
            begin = argument.span[1]
        return merge_texts([*pieces, *_texts(self._text[begin:end], plural)])

    def _piece(self, argument: Argument) -> Piece:
        if argument.kind not in BRANCHED:
            first, after = argument.span
            return Slot(argument.name, self._text[first:after])
        plural = argument.name if argument.kind in PLURALS else None
        forms = {branch.selector: self.read(*branch.span, plural) for branch in argument.branches}
        return Frame(argument.name, argument.kind, argument.offset, forms)


def _texts(written: str, plural: str | None) -> Iterator[Text | Slot]:
    """Yields what stands between two arguments; the number of the plural is a slot."""
    quoted = False
    special = "{}#" if plural is not None else "{}"
    for found in _PIECE.finditer(written):
        piece = found[0]
        if piece == "''":
            yield Text("'")
        elif piece == "'" and quoted:
            quoted = False
        elif piece == "'":
            following = written[found.end() : found.end() + 1]
            quoted = following != "" and following in special
            if not quoted:
                yield Text("'")
        elif piece == "#" and plural is not None and not quoted:
            yield Slot(plural, "#")
        else:
            yield Text(piece)
