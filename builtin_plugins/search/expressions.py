"""A question in the two databases' own words, each with the marks that it carries in the index."""

from collections.abc import Callable, Sequence

from builtin_plugins.search.query_parser import ParsedQuery, Term
from builtin_plugins.search.words import OFTEN_MARK, TITLE_MARK

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
