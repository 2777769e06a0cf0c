"""What somebody typed into the search box. Whatever it is, it means something or nothing; never an error."""

import re
from dataclasses import dataclass

from builtin_plugins.search.words import runs_of, words_of_runs

MAX_TERMS = 32
MAX_WORDS = 64
# One letter begins nearly everything.
_SHORTEST_BEGINNING = 2

_PIECE = re.compile(r'(?P<without>(?<!\S)-(?=[^\s]))?(?:"(?P<phrase>[^"]*)"?|(?P<plain>[^\s"]+))')
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must stand side by side; the last of a `beginning` may go on.

    `runs` are the words as typed, folded, for whoever shows where they were found.
    """

    runs: tuple[str, ...]
    words: tuple[str, ...]
    beginning: bool


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """All of `wanted` must be there, none of `unwanted`."""

    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...]


def read_query(typed: str) -> ParsedQuery:
    """Parses words, "phrases" and -exclusions; the last word counts as the beginning of one.

    What is too long is cut: so many terms, so many words in all.
    """
    wanted: list[Term] = []
    unwanted: list[Term] = []
    room = MAX_WORDS
    pieces = list(_PIECE.finditer(typed.translate(_QUOTES)))
    for position, piece in enumerate(pieces):
        being_typed = position == len(pieces) - 1 and piece["plain"] is not None and not piece["without"]
        term = _term(piece["phrase"] or piece["plain"] or "", room, being_typed=being_typed)
        if term is None or len(wanted) + len(unwanted) == MAX_TERMS:
            continue
        room -= len(term.words)
        (unwanted if piece["without"] else wanted).append(term)
    return ParsedQuery(tuple(wanted), tuple(unwanted))


def _term(text: str, room: int, *, being_typed: bool) -> Term | None:
    runs = runs_of(text)[:room]
    if not runs:
        return None
    words, beginning = words_of_runs(runs)
    beginning = beginning or (being_typed and len(runs[-1]) >= _SHORTEST_BEGINNING)
    return Term(tuple(runs), tuple(words[:room]), beginning)
