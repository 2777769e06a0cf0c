"""What happened to a message, version by version."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.l10n.messages.statements import sql
from guildhall_sdk import InvalidRequest, Reader, Row, Writer, cut_page, rfc3339

_NEWEST = 2**62


async def record(
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


async def list_page(
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
