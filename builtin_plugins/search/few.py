"""Callers who may read little: what that is, so that a search looks at it alone, not at everybody's hits."""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from builtin_plugins.search.indexing import sql
from guildhall_sdk import Principal, Problem, Reader, SearchSource, Statement

# Documents of one source. More than this are not little: then most searches meet enough of them on their way.
MAX_FEW = 500
# How long it is remembered of a caller that they may read more.
_REMEMBERED_MS = 300_000
_MAX_REMEMBERED = 10_000
_HERE = "SELECT '' AS ref_id WHERE 1 = 0 /* few */"
_OTHER = re.compile(r"SELECT '' AS ref_id WHERE 1 = 0 /\* few: (\w+) \*/")


class Few(NamedTuple):
    """The documents of somebody who may read little: by their ids in the index, and by what they are."""

    ids: list[int]
    documents: list[tuple[str, str]]


Key = tuple[str, str, tuple[str, ...]]

# Of this process, until when; what is out of date costs time alone.
_read_more: "OrderedDict[Key, int]" = OrderedDict()


async def documents_of(
    reader: Reader,
    caller: Principal,
    sources: Sequence[SearchSource],
    declared: Sequence[SearchSource],
    binds: Mapping[str, Any],
    now_ms: int,
) -> Few | None:
    """Returns all documents that the caller could read; None where they are many."""
    asked = _with_those_they_go_by(sources, declared)
    key = (caller.user_id, caller.team_id, tuple(sorted(source.type for source in asked)))
    if _read_more.get(key, 0) > now_ms or any(source.few is None for source in asked):
        return None
    found = Few([], [])
    for source in asked:
        rows = await _rows_of(reader, source, tuple(asked), binds)
        if rows is None or len(rows) > MAX_FEW:
            _remember(key, now_ms + _REMEMBERED_MS)
            return None
        if source in sources:
            for row in rows:
                if row["id"] is not None:
                    found.ids.append(row["id"])
                    found.documents.append((source.type, row["ref_id"]))
    return found


def _with_those_they_go_by(
    sources: Sequence[SearchSource], declared: Sequence[SearchSource]
) -> list[SearchSource]:
    """Returns the sources and those of others that they name: what these give must be all of it as well."""
    named = {name for source in sources if source.few for name in _OTHER.findall(source.few.sqlite)}
    return [*sources, *(one for one in declared if one.type in named and one not in sources)]


async def _rows_of(
    reader: Reader, source: SearchSource, others: tuple[SearchSource, ...], binds: Mapping[str, Any]
) -> Sequence[Any] | None:
    """Returns None where the source fails: the search proper will find out, and say so."""
    try:
        return await reader.all(
            _statement(source, others),
            **{
                **binds,
                "type": source.type,
                "by_role": binds[f"by_role_{source.type}"],
                "limit": MAX_FEW + 1,
            },
        )
    except Problem:
        raise
    except Exception:
        return None


@lru_cache(maxsize=64)
def _statement(source: SearchSource, others: tuple[SearchSource, ...]) -> Statement:
    def spelt(dialect: str) -> str:
        by_type = {one.type: getattr(one.few, dialect) for one in others if one.few is not None}
        text = _OTHER.sub(lambda found: by_type.get(found[1], found[0]), getattr(source.few, dialect))
        return str(getattr(sql.few_documents, dialect).replace(_HERE, text))

    return Statement("few_documents", spelt("sqlite"), spelt("postgresql"))


def _remember(key: Key, until: int) -> None:
    _read_more[key] = until
    _read_more.move_to_end(key)
    while len(_read_more) > _MAX_REMEMBERED:
        _read_more.popitem(last=False)
