"""A question in the two databases' own words.

Each word carries a mark of its company. A company's words are then a place of their own in the index: a
search walks past nobody else's, and how common a word is elsewhere can be told from nothing.
"""

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache

from builtin_plugins.search.asked import Asked, Term

_MARK_LENGTH = 4

Spell = Callable[[Term, str], str]


@lru_cache(maxsize=4096)
def company_mark(org_id: str) -> str:
    """Short, for it stands before every word; two companies that share one still see only their own."""
    digest = hashlib.blake2b(org_id.encode(), digest_size=5).digest()
    return base64.b32encode(digest).decode().lower()[:_MARK_LENGTH]


def fts5(asked: Asked, mark: str) -> dict[str, str]:
    """What each tier asks for that no better one finds."""
    every, any_one = _join(asked.wanted, mark, _fts5, " AND "), _join(asked.wanted, mark, _fts5, " OR ")
    without = f" NOT ({_join(asked.unwanted, mark, _fts5, ' OR ')})" if asked.unwanted else ""
    in_title, often = f"({{title}} : ({every}))", f"({{title often}} : ({every}))"
    partly_in_title = f"({{title}} : ({any_one}))"
    return {
        "fts_4": f"{in_title}{without}",
        "fts_3": f"({often} NOT {in_title}){without}",
        "fts_2": f"((({every}) AND {partly_in_title}) NOT {often}){without}",
        "fts_1": f"(({every}) NOT ({often} OR {partly_in_title})){without}",
    }


def tsqueries(asked: Asked, mark: str) -> dict[str, str]:
    every, any_one = _join(asked.wanted, mark, _tsquery, " & "), _join(asked.wanted, mark, _tsquery, " | ")
    without = f" & !({_join(asked.unwanted, mark, _tsquery, ' | ')})" if asked.unwanted else ""
    return {"ts_matching": f"({every}){without}", "ts_every": every, "ts_any": any_one}


def _join(terms: Sequence[Term], mark: str, spell: Spell, by: str) -> str:
    return by.join(spell(term, mark) for term in terms)


def _fts5(term: Term, mark: str) -> str:
    """Words are letters and digits alone, so that nothing in them needs quoting."""
    return '"' + " ".join(mark + word for word in term.words) + '"' + (" *" if term.beginning else "")


def _tsquery(term: Term, mark: str) -> str:
    return (
        "(" + " <-> ".join(f"'{mark}{word}'" for word in term.words) + (":*" if term.beginning else "") + ")"
    )
