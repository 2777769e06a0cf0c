"""Who writes in a note just now."""

from typing import Any

from builtin_plugins.notes import service
from builtin_plugins.notes.note import WRITE, sql
from guildhall_sdk import Principal, Reader, Writer

#: Who is not heard of again for so long writes no more; the console says so every ten seconds.
EDITING_MS = 25_000
_MAX_EDITORS = 20


async def editors(
    reader: Reader, caller: Principal, note_id: str, now_ms: int, *, across_company: bool = False
) -> list[dict[str, Any]]:
    """Returns the others who write in a note just now, for a caller who may read it."""
    await service.find_readable(reader, caller, note_id, across_company=across_company)
    return await _others(reader, caller, note_id, now_ms)


async def beat(writer: Writer, caller: Principal, note_id: str, now_ms: int) -> list[dict[str, Any]]:
    """Says that the caller, who may change the note, writes in it; returns the others who do."""
    note = await service.find_readable(writer, caller, note_id)
    note.require(WRITE, note.rights_of(caller))
    await writer.run(
        sql.put_editor,
        id=note_id,
        user_id=caller.user_id,
        org_id=caller.org_id,
        until=now_ms + EDITING_MS,
    )
    return await _others(writer, caller, note_id, now_ms)


async def stop(writer: Writer, caller: Principal, note_id: str, now_ms: int) -> None:
    """Says that the caller writes no more."""
    note = await service.find_readable(writer, caller, note_id)
    note.require(WRITE, note.rights_of(caller))
    await writer.run(sql.drop_editors, id=note_id, user_id=caller.user_id, org_id=caller.org_id, now=now_ms)


async def _others(reader: Reader, caller: Principal, note_id: str, now_ms: int) -> list[dict[str, Any]]:
    rows = await reader.all(
        sql.editors,
        id=note_id,
        org_id=caller.org_id,
        user_id=caller.user_id,
        now=now_ms,
        limit=_MAX_EDITORS,
    )
    return [{"user_id": row["user_id"], "name": row["name"]} for row in rows]
