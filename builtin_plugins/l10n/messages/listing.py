"""Coverage, and the messages of a language."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from builtin_plugins.l10n.messages.message import STATUSES, Message
from builtin_plugins.l10n.messages.statements import sql
from guildhall_sdk import Reader, Row
from libs.fair_slots import TEXTS
from libs.names import folded

_SCAN = 500

OpenRead = Callable[[], AbstractAsyncContextManager[Reader]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which messages of a language are listed; `phrase` stands in the key, the source or the text."""

    locale: str
    status: str | None = None
    ns: str | None = None
    phrase: str | None = None


async def coverage(reader: Reader, after: str | None, fetched: int) -> Sequence[dict[str, Any]]:
    """Returns how many messages of each language have each status; they add up to `total`."""
    rows = await reader.all(sql.coverage, after=after or "", limit=fetched)
    return [_counted(row) for row in rows]


def _counted(row: Row) -> dict[str, Any]:
    counts = {name: row[name] for name in STATUSES}
    return {"locale": row["locale"], "total": sum(counts.values()), **counts}


async def list_messages(
    open_read: OpenRead, holder: str, wanted: Wanted, after: str | None, fetched: int
) -> Sequence[Message]:
    """Returns messages by key, from behind `after`; a phrase is looked for without case and width."""
    phrase = None if wanted.phrase is None else folded(wanted.phrase)
    if not phrase:
        return [Message.from_row(row) for row in await _rows(open_read, wanted, after, fetched)]
    found: list[Row] = []
    while len(found) < fetched:
        rows = await _rows(open_read, wanted, after, _SCAN)
        found += await TEXTS.run(holder, _with_phrase, rows, phrase)
        if len(rows) < _SCAN:
            break
        after = rows[-1]["key"]
    return [Message.from_row(row) for row in found[:fetched]]


async def _rows(open_read: OpenRead, wanted: Wanted, after: str | None, limit: int) -> Sequence[Row]:
    begin, end = _keys_of(wanted.ns)
    where = {"locale": wanted.locale, "after": max(begin, after or ""), "end": end, "limit": limit}
    async with open_read() as reader:
        if wanted.status is None:
            return await reader.all(sql.messages, **where)
        return await reader.all(sql.messages_of_status, status=wanted.status, **where)


def _keys_of(namespace: str | None) -> tuple[str, str]:
    """Returns what the keys of a namespace lie between; without one, those of all."""
    if namespace is None:
        return "", "~"
    # A namespace has no dot: keys deeper within one are no namespace of their own.
    return (f"{namespace}.", "" if "." in namespace else f"{namespace}/")


def _with_phrase(rows: Sequence[Row], phrase: str) -> list[Row]:
    return [
        row for row in rows if any(phrase in folded(row[name] or "") for name in ("key", "source", "text"))
    ]
