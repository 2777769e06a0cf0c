"""A message of a language: its status, its history, and the lists in which it is shown."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import InvalidRequest, Reader, Row, Writer, cut_page, load_queries, rfc3339
from libs.fair_slots import TEXTS
from libs.names import folded

sql = load_queries(Path(__file__).with_name("queries.sql"))

MISSING, MACHINE, SUBMITTED = "missing", "machine", "submitted"
RETURNED, APPROVED, STALE = "returned", "approved", "stale"
STATUSES = (MISSING, MACHINE, SUBMITTED, RETURNED, APPROVED, STALE)
#: Of a key that the source has no more: neither listed nor counted.
GONE = "gone"
#: The list that is another with every change of a message.
MESSAGES = "/api/l10n/messages"
BY_FILE, BY_MACHINE, BY_HUMAN = "file", "machine", "human"

_NEWEST = 2**62
_SCAN = 500
OpenRead = Callable[[], AbstractAsyncContextManager[Reader]]


class Message(NamedTuple):
    """A row of the manager's table."""

    id: str
    locale: str
    key: str
    ns: str
    status: str
    origin: str | None
    version: int
    submitted_by: str | None
    reviewed_by: str | None
    updated_at: int
    source: str
    previous_source: str | None
    text: str | None
    approved_text: str | None
    comment: str | None
    problem: str | None

    @classmethod
    def from_row(cls, row: Row) -> "Message":
        return cls(**{name: row[name] for name in cls._fields})

    @property
    def etag(self) -> str:
        return etag_of(self.version)

    def public(self) -> dict[str, Any]:
        """Returns the message as the API shows it."""
        return {**self._asdict(), "updated_at": rfc3339(self.updated_at)}

    def standing(self) -> Mapping[str, Any]:
        """Returns what somebody needs to know whose own text came too late."""
        names = ("text", "status", "submitted_by", "reviewed_by", "comment", "version")
        return {**{name: getattr(self, name) for name in names}, "updated_at": rfc3339(self.updated_at)}


def etag_of(version: int) -> str:
    """Returns the tag that `If-Match` names a version by."""
    return f'"{version}"'


async def record_change(
    writer: Writer,
    message_id: str,
    version: int,
    action: str,
    now_ms: int,
    *,
    user_id: str | None = None,
    text: str | None = None,
    comment: str | None = None,
) -> None:
    """Records what made this version of the message, in the transaction that makes it."""
    await writer.run(
        sql.record_change,
        message_id=message_id,
        version=version,
        action=action,
        now=now_ms,
        user_id=user_id,
        text=text,
        comment=comment,
    )


async def list_history(
    reader: Reader, message_id: str, before: str | None, fetched: int
) -> tuple[Sequence[dict[str, Any]], str | None]:
    """Returns what happened to a message, the newest first."""
    rows = await reader.all(sql.history, id=message_id, before=_bound(before), limit=fetched)
    page, next_cursor = cut_page(rows, fetched, lambda row: str(row["version"]))
    return [_to_json(row) for row in page], next_cursor


def _bound(before: str | None) -> int:
    if before is None:
        return _NEWEST
    if not (before.isascii() and before.isdigit() and len(before) < 19):
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return int(before)


def _to_json(row: Row) -> dict[str, Any]:
    by = None if row["user_id"] is None else {"id": row["user_id"], "name": row["user_name"]}
    return {
        "version": row["version"],
        "action": row["action"],
        "by": by,
        "text": row["text"],
        "comment": row["comment"],
        "at": rfc3339(row["at"]),
    }


class Wanted(NamedTuple):
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
