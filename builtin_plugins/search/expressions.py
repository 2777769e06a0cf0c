"""A question in the two databases' own words.

Each word carries a mark of its company. A company's words are then a place of their own in the index: a
search walks past nobody else's, and how common a word is elsewhere can be told from nothing. In SQLite's
index the words of titles, and those that come often, carry one more: a column alone would not keep a search
for them from walking past all the texts.
"""

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache

from builtin_plugins.search.query_parser import ParsedQuery, Term

_MARK_LENGTH = 4
_TITLE, _OFTEN = "t", "o"

Spell = Callable[[Term, str], str]


@lru_cache(maxsize=4096)
def company_mark(org_id: str) -> str:
    """Returns a company's mark, short as it stands before every word; two that share one see their own."""
    digest = hashlib.blake2b(org_id.encode(), digest_size=5).digest()
    return base64.b32encode(digest).decode().lower()[:_MARK_LENGTH]


def in_title(words: str) -> str:
    """Returns words as they stand in SQLite's index for a title, apart from those of a text."""
    return _before_each(_TITLE, words)


def often(words: str) -> str:
    """Returns words as they stand in SQLite's index for a title and for what comes often in a text."""
    return _before_each(_OFTEN, words)


def fts5(query: ParsedQuery, mark: str) -> dict[str, str | None]:
    """Returns what each tier asks for that no better one finds; `exact_…` is the part that is cheap."""
    every = _join(query.wanted, mark, _fts5, " AND ")
    every_often = _join(query.wanted, _OFTEN + mark, _fts5, " AND ")
    all_in_title = _join(query.wanted, _TITLE + mark, _fts5, " AND ")
    any_in_title = _join(query.wanted, _TITLE + mark, _fts5, " OR ")
    exact = [term for term in query.wanted if not term.beginning]
    without = f" NOT ({_join(query.unwanted, mark, _fts5, ' OR ')})" if query.unwanted else ""
    return {
        "exact_4": _join(exact, _TITLE + mark, _fts5, " AND ") or None,
        "exact_3": _join(exact, _OFTEN + mark, _fts5, " AND ") or None,
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


def _before_each(mark: str, words: str) -> str:
    return mark + words.replace(" ", " " + mark) if words else ""


def _join(terms: Sequence[Term], mark: str, spell: Spell, by: str) -> str:
    return by.join(spell(term, mark) for term in terms)


def _fts5(term: Term, mark: str) -> str:
    """Returns a term in FTS5; words are letters and digits alone, so that nothing needs quoting."""
    return '"' + " ".join(mark + word for word in term.words) + '"' + (" *" if term.beginning else "")


def _tsquery(term: Term, mark: str) -> str:
    return (
        "(" + " <-> ".join(f"'{mark}{word}'" for word in term.words) + (":*" if term.beginning else "") + ")"
    )
