"""What somebody typed into the search box, parsed, and in the two databases' own words.

Whatever it is, it means something or nothing; never an error.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from builtin_plugins.search.indexing import OFTEN_MARK, TITLE_MARK, runs_of, words_of_runs

MAX_TERMS = 32
MAX_WORDS = 64
# One letter begins nearly everything.
_SHORTEST_BEGINNING = 2

_PIECE = re.compile(r'(?P<without>(?<!\S)-(?=[^\s]))?(?:"(?P<phrase>[^"]*)"?|(?P<plain>[^\s"]+))')
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))


class Term(NamedTuple):
    """Words that must stand side by side; the last of a `beginning` may go on.

    `runs` are the words as typed, folded, for whoever shows where they were found.
    """

    runs: tuple[str, ...]
    words: tuple[str, ...]
    beginning: bool


class ParsedQuery(NamedTuple):
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


Spell = Callable[[Term, str], str]


def fts5(query: ParsedQuery, mark: str) -> dict[str, str | None]:
    """Returns what each tier asks for that no better one finds; `exact_…` is the part that is cheap."""
    every = _join(query.wanted, mark, _fts5, " AND ")
    every_often = _join(query.wanted, OFTEN_MARK + mark, _fts5, " AND ")
    all_in_title = _join(query.wanted, TITLE_MARK + mark, _fts5, " AND ")
    any_in_title = _join(query.wanted, TITLE_MARK + mark, _fts5, " OR ")
    exact = [term for term in query.wanted if not term.beginning]
    without = f" NOT ({_join(query.unwanted, mark, _fts5, ' OR ')})" if query.unwanted else ""
    return {
        "exact_4": _join(exact, TITLE_MARK + mark, _fts5, " AND ") or None,
        "exact_3": _join(exact, OFTEN_MARK + mark, _fts5, " AND ") or None,
        "fts_all": f"({every}){without}",
        "fts_4": f"({all_in_title}){without}",
        "fts_3": f"(({every_often}) NOT ({all_in_title})){without}",
        "fts_2": f"((({every}) AND ({any_in_title})) NOT ({every_often})){without}",
        "fts_1": f"(({every}) NOT (({every_often}) OR {any_in_title})){without}",
    }


def tsqueries(query: ParsedQuery, mark: str) -> dict[str, str]:
    every, any_one = _join(query.wanted, mark, _tsquery, " & "), _join(query.wanted, mark, _tsquery, " | ")
    unwanted = _join(query.unwanted, mark, _tsquery, " | ")
    matching = f"({every}) & !({unwanted})" if unwanted else every
    return {"ts_matching": matching, "ts_every": every, "ts_any": any_one, "ts_unwanted": unwanted}


def _join(terms: Sequence[Term], mark: str, spell: Spell, by: str) -> str:
    return by.join(spell(term, mark) for term in terms)


def _fts5(term: Term, mark: str) -> str:
    """Returns a term in FTS5; words are letters and digits alone, so that nothing needs quoting."""
    return '"' + " ".join(mark + word for word in term.words) + '"' + (" *" if term.beginning else "")


def _tsquery(term: Term, mark: str) -> str:
    return (
        "(" + " <-> ".join(f"'{mark}{word}'" for word in term.words) + (":*" if term.beginning else "") + ")"
    )
