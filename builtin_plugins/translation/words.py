"""Texts taken apart into words, in languages with spaces between them and without, on a shared thread."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple, TypeVar

from libs.fair_slots import TEXTS, Steps, finished
from libs.names import folded

Result = TypeVar("Result")
# Characters that are read in about a millisecond.
_AT_ONCE = 2_000

MAX_TERM = 200
# After so many words another company may have its turn.
_WORDS_PER_STEP = 2_000
# Scripts that put no space between words, or glue their particles to them: each character stands alone.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
_ASCII_PIECE = re.compile(r"\s+|\w+|.", re.ASCII | re.DOTALL)


@cache
def _piece_of_any_script() -> re.Pattern[str]:
    """Compiles it for the first text that has more than ASCII: that takes some milliseconds."""
    return re.compile(
        rf"(?P<space>[\s\u200b]+)|(?P<alone>[{_UNSPACED}])|(?P<word>(?:(?![{_UNSPACED}])\w)+)|(?P<sign>.)",
        re.DOTALL,
    )


async def compute(org_id: str, size: int, steps: Steps[Result]) -> Result:
    """Takes the steps of some work on so many characters without holding the event loop."""
    return finished(steps) if size <= _AT_ONCE else await TEXTS.run_steps(org_id, steps)


class Word(NamedTuple):
    """A word, a sign or a gap of a text; those with the same key are the same, whatever their case."""

    begin: int
    end: int
    key: str


def split_words(text: str, begin: int = 0, end: int | None = None) -> Sequence[Word]:
    """Takes a text apart, or a part of it, in time that grows with its length."""
    return [*_words(text, begin, len(text) if end is None else end)]


def split_in_steps(text: str, begin: int, end: int) -> Steps[Sequence[Word]]:
    """Takes a part of a text apart in steps, between which others may have their turn."""
    words: list[Word] = []
    rest = _words(text, begin, end)
    while some := [*islice(rest, _WORDS_PER_STEP)]:
        words += some
        yield
    return words


def _words(text: str, begin: int, end: int) -> Iterator[Word]:
    if text.isascii():
        for found in _ASCII_PIECE.finditer(text, begin, end):
            yield Word(*found.span(), " " if found[0].isspace() else found[0].lower())
    else:
        for first, after in _pieces(text, begin, end):
            yield Word(first, after, _key(text[first:after]))


def _pieces(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    piece: tuple[int, int] | None = None
    # What the last piece is, and whether something attached to it: a word or a gap then goes on behind that.
    last, attached_to = "", False
    for found in _piece_of_any_script().finditer(text, begin, end):
        kind, after = found.lastgroup or "", found.end()
        attached = kind in ("alone", "sign") and last != "" and _is_attached(found[0], last)
        if attached or (attached_to and kind == last and kind in ("word", "space")):
            piece = (found.start() if piece is None else piece[0], after)
            attached_to = attached
        else:
            if piece is not None:
                yield piece
            piece = (found.start(), after)
            last, attached_to = kind, False
    if piece is not None:
        yield piece


def _key(text: str) -> str:
    # No term is so long, and sorting the accents of a word may cost the square of their number.
    return text if len(text) > MAX_TERM else _short_key(text)


@lru_cache(maxsize=16_384)
def _short_key(text: str) -> str:
    bare = fold(text)
    return " " if text.startswith("\u200b") or bare.isspace() else bare


def fold(text: str) -> str:
    """Returns what two texts are compared by: width, case and invisible characters do not matter."""
    if text.isascii():
        return text.lower()
    return "".join(char for char in folded(text) if unicodedata.category(char) != "Cf")


def _is_attached(char: str, kind: str) -> bool:
    """Returns whether a character belongs to the one before: accents, vowel signs, joiners."""
    return unicodedata.category(char) in (("Cf",) if kind == "space" else ("Mn", "Mc", "Me", "Cf"))
