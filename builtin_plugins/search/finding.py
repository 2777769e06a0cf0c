"""Finding: question, rights and page are one statement, so that nothing is told of the rest.

Sources whose statements fail are left out for a while, and named in the log.
"""

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from builtin_plugins.search.few import Few, documents_of
from builtin_plugins.search.indexing import company_mark, sql
from builtin_plugins.search.query_parser import ParsedQuery, fts5, read_query, tsqueries
from builtin_plugins.search.snippets import hits_of, snippet
from guildhall_sdk import InvalidRequest, Principal, Problem, Reader, Row, SearchSource, Statement, cut_page
from guildhall_sdk.plugin import Plugins
from libs.fair_slots import TEXTS, TURNS

_LEFT_OUT_MS = 60_000
_log = logging.getLogger("guildhall.search")

# Of this process: whoever shares the database finds out for itself.
_until: dict[SearchSource, int] = {}


def note_failure(plugins: Plugins, now_ms: int, source: SearchSource, error: Exception) -> None:
    """Logs the failure and leaves the source out for a minute: each search would pay for trying it again."""
    _until[source] = now_ms + _LEFT_OUT_MS
    owners = [plugin for plugin, one in plugins.owned(SearchSource) if one is source]
    fields = {"source": source.type, "plugin": owners[0] if owners else None}
    _log.error("search.source_failed", exc_info=error, extra={"fields": fields})


def working(sources: Sequence[SearchSource], now_ms: int) -> tuple[SearchSource, ...]:
    """Returns the sources that did not fail lately."""
    if not _until:
        return tuple(sources)
    return tuple(source for source in sources if _until.get(source, 0) <= now_ms)


# What a caller sees of a tier; best is all words in the title, last is all of them somewhere.
SCORES = {4: 1.0, 3: 0.75, 2: 0.5, 1: 0.25}
_ABOVE_ALL = max(SCORES) + 1
_AFTER_EVERY_ID = 2**62
_CURSOR = re.compile(r"([1-4])\.([0-9]{1,18})")
_HERE = "1 = 0 /* readable */"
_OTHER = re.compile(r"1 = 0 /\* readable: (\w+) \*/")
# A page with more text than this is put together on a thread.
_LONG = 20_000
_MARKED_AT_ONCE = 10

Failed = Callable[[SearchSource, Exception], None]
RowsOf = Callable[[tuple[SearchSource, ...]], Awaitable[Sequence[Row]]]


class Question(NamedTuple):
    """What is looked for, among which sources, from where on."""

    typed: str
    sources: Sequence[SearchSource]
    across_company: bool
    after: str | None
    fetched: int
    #: All that there are: the rule of one may refer to another's.
    declared: Sequence[SearchSource] = ()


class Found(NamedTuple):
    """A page as the database gave it; `query` is None where nothing was looked for.

    `unavailable` are the types whose source failed, and of which nothing could be found.
    """

    query: ParsedQuery | None
    rows: Sequence[Row]
    next_cursor: str | None
    unavailable: Sequence[str] = ()


async def find(reader: Reader, caller: Principal, question: Question, now_ms: int, failed: Failed) -> Found:
    """Finds hits, the best first, of the same tier the newest first."""
    tier, before = _position(question.after)
    query = read_query(question.typed)
    # A right that the credential's scope leaves out is nobody's through it: not the owner's either.
    sources = tuple(source for source in question.sources if caller.scope_allows(source.permission))
    if not query.wanted or not sources:
        return Found(None, (), None)
    mark = company_mark(caller.org_id)
    binds = {
        **fts5(query, mark),
        **tsqueries(query, mark),
        **_rights(caller, question, sources, now_ms),
        **_places(tier, before),
        "limit": question.fetched,
    }
    tried = working(sources, now_ms)
    few = await few_of(reader, caller, question, now_ms)
    among = None if few is None else json.dumps(few.ids)

    async def rows_of(some: tuple[SearchSource, ...]) -> Sequence[Row]:
        statement = _statement(_FIND if few is None else _FIND_AMONG, some, question)
        return await reader.all(statement, **binds, among=among)

    able, rows = await _rows_of_those_that_work(rows_of, tried, failed)
    page_rows, next_cursor = cut_page(rows, question.fetched, lambda row: f"{row['tier']}.{row['id']}")
    unavailable = [source.type for source in sources if source not in able]
    return Found(query, page_rows, next_cursor, unavailable)


def _rights(
    caller: Principal, question: Question, sources: Sequence[SearchSource], now_ms: int
) -> dict[str, Any]:
    """Returns the binds by which rights are told."""
    return {
        **{_by_role(source): int(caller.may(source.permission)) for source in (*sources, *question.declared)},
        "user_id": caller.user_id,
        "team_id": caller.team_id,
        "org_id": caller.org_id,
        "now": now_ms,
    }


def _readable_sources(caller: Principal, question: Question, now_ms: int) -> tuple[SearchSource, ...]:
    return working([one for one in question.sources if caller.scope_allows(one.permission)], now_ms)


async def few_of(reader: Reader, caller: Principal, question: Question, now_ms: int) -> Few | None:
    """Returns all that the caller could read, where that is little."""
    if question.across_company:
        return None
    sources = _readable_sources(caller, question, now_ms)
    binds = _rights(caller, question, sources, now_ms)
    return await documents_of(reader, caller, sources, question.declared, binds, now_ms)


async def readable_among(
    reader: Reader,
    caller: Principal,
    question: Question,
    documents: Sequence[tuple[str, str]],
    now_ms: int,
    failed: Failed,
) -> Mapping[tuple[str, str], Row]:
    """Returns those of the documents that the caller may read, by type and id."""
    sources = _readable_sources(caller, question, now_ms)
    binds = _rights(caller, question, sources, now_ms)

    async def rows_of(some: tuple[SearchSource, ...]) -> Sequence[Row]:
        statement = _statement(_AMONG, some, question)
        return await reader.all(statement, **binds, among=json.dumps([*map(list, documents)]))

    _, rows = await _rows_of_those_that_work(rows_of, sources, failed)
    return {(row["type"], row["ref_id"]): row for row in rows}


async def _rows_of_those_that_work(
    rows_of: RowsOf, sources: tuple[SearchSource, ...], failed: Failed
) -> tuple[tuple[SearchSource, ...], Sequence[Row]]:
    """Runs one statement for all; where it fails, adds source by source those with which it does not."""
    try:
        return sources, await rows_of(sources)
    except Problem:
        raise
    except Exception:
        rows = await rows_of(())  # raises where it is not a source that fails
    able: tuple[SearchSource, ...] = ()
    for source in sources:
        try:
            rows = await rows_of((*able, source))
        except Problem:
            raise
        except Exception as error:
            failed(source, error)
        else:
            able = (*able, source)
    return able, rows


async def present(found: Found, caller: Principal, question: Question) -> list[dict[str, Any]]:
    """Returns what a caller sees of a hit. Needs no database: give the connection back before."""
    if found.query is None or not found.rows:
        return []
    urls = {source.type: source.url for source in question.sources}
    own_team = caller.team_id if question.across_company else None
    marked = await _snippets(caller.org_id, found.query, found.rows)
    return [
        _result_json(row, urls[row["type"]], own_team, text)
        for row, text in zip(found.rows, marked, strict=True)
    ]


async def _snippets(org_id: str, query: ParsedQuery, rows: Sequence[Row]) -> list[str]:
    hits = hits_of(query)

    def mark(some: Sequence[Row]) -> list[str]:
        return [snippet(hits, row["title"], row["excerpt"]) for row in some]

    if sum(len(row["excerpt"]) for row in rows) > _LONG:
        return await TEXTS.run(org_id, mark, rows)
    marked: list[str] = []
    for start in range(0, len(rows), _MARKED_AT_ONCE):
        await TURNS.take(org_id)
        marked += mark(rows[start : start + _MARKED_AT_ONCE])
    return marked


def _position(after: str | None) -> tuple[int, int]:
    if after is None:
        return _ABOVE_ALL, 0
    match = _CURSOR.fullmatch(after)
    if match is None:
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return int(match[1]), int(match[2])


def _places(tier: int, before: int) -> dict[str, int]:
    """Returns where a page goes on: as a whole, and in each tier."""
    on = {one: 0 if one > tier else before if one == tier else _AFTER_EVERY_ID for one in SCORES}
    return {"tier": tier, "before": before, **{f"before_{one}": id_ for one, id_ in on.items()}}


def _result_json(row: Row, url: str, own_team: str | None, marked: str) -> dict[str, Any]:
    """Returns one result; in a search across the company, `own_team` tells which scope reads it."""
    beyond = "" if own_team in (None, row["team_id"]) else "?scope=org"
    return {
        "type": row["type"],
        "id": row["ref_id"],
        "title": row["title"],
        "snippet": marked,
        "score": row["score"] if "score" in row else SCORES[row["tier"]],
        "url": url.replace("{id}", row["ref_id"]) + beyond,
    }


_FIND, _FIND_AMONG, _AMONG = sql.find, sql.find_among, sql.readable_among


def _statement(find: Statement, sources: tuple[SearchSource, ...], question: Question) -> Statement:
    return _statement_of(find, sources, tuple(question.declared), question.across_company)


@lru_cache(maxsize=64)
def _statement_of(
    find: Statement,
    sources: tuple[SearchSource, ...],
    others: tuple[SearchSource, ...],
    across_company: bool,
) -> Statement:
    """Returns the one statement of these sources, with the rights of each in its place."""

    def any_source(dialect: str) -> str:
        return " OR ".join(_readable(source, others, across_company, dialect) for source in sources) or _HERE

    return Statement(
        find.name,
        find.sqlite.replace(_HERE, any_source("sqlite")),
        find.postgresql.replace(_HERE, any_source("postgresql")),
        long=find.long,
    )


def _readable(
    source: SearchSource, others: Sequence[SearchSource], across_company: bool, dialect: str
) -> str:
    statement = source.readable_in_org if across_company else source.readable
    text = _with_rules_of_others(getattr(statement, dialect), others, across_company, dialect)
    text = re.sub(r":by_role\b", f":{_by_role(source)}", text)
    return f"(hit.type = '{source.type}' AND {readable_by(text)})"


def readable_by(text: str) -> str:
    """Returns a subquery for its value, not EXISTS: PostgreSQL would rather read all there is first."""
    # On lines of its own: it may end in a comment.
    return f"(SELECT 1 FROM (\n{text}\n) AS readable LIMIT 1) IS NOT NULL"


def _with_rules_of_others(
    text: str, others: Sequence[SearchSource], across_company: bool, dialect: str
) -> str:
    """Puts the rules of other sources where this one refers to them; one that is not there admits nobody."""
    rules = {one.type: one.readable_in_org if across_company else one.readable for one in others}

    def rule(found: re.Match[str]) -> str:
        other = rules.get(found[1])
        if other is None:
            return found[0]
        return f"(SELECT 1 FROM (\n{getattr(other, dialect)}\n) AS other LIMIT 1) IS NOT NULL"

    return _OTHER.sub(rule, text)


def _by_role(source: SearchSource) -> str:
    return f"by_role_{source.type}"
