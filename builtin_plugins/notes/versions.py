"""Versions of a note: what it was before each change of its text."""

import json
from collections.abc import Mapping
from typing import Any

from builtin_plugins.notes import service
from builtin_plugins.notes.note import Note, sql
from guildhall_sdk import InvalidRequest, NotFound, Principal, Reader, rfc3339

_MAX_NUMBER = 2**53


async def list_page(
    reader: Reader, caller: Principal, note_id: str, after: str | None, fetched: int
) -> list[dict[str, Any]]:
    """Returns versions, the newest first, which is what the note is now; one more than a page shows."""
    note = await service.find_readable(reader, caller, note_id)
    before = note.version + 1 if after is None else _number(after)
    if before is None:
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    found = [_current(note)] if before > note.version else []
    rows = await reader.all(
        sql.versions, id=note_id, org_id=caller.org_id, before=min(before, note.version), limit=fetched
    )
    return [*found, *(_described(row) for row in rows)][:fetched]


async def read(reader: Reader, caller: Principal, note_id: str, number: str) -> dict[str, Any]:
    """Returns one version with its text; raises `NotFound`."""
    note = await service.find_readable(reader, caller, note_id)
    wanted = _number(number)
    if wanted == note.version:
        return {**_current(note), "body": note.body, "tags": json.loads(note.tags)}
    row = None
    if wanted is not None:
        row = await reader.one(sql.version, id=note_id, org_id=caller.org_id, number=wanted)
    if row is None:
        raise NotFound()
    return {**_described(row), "body": row["body"], "tags": json.loads(row["tags"])}


def as_fields(version: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what makes a note that version again."""
    return {name: version[name] for name in ("title", "body", "tags")}


def _number(text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        return None
    number = int(text)
    return number if 1 <= number <= _MAX_NUMBER else None


def _current(note: Note) -> dict[str, Any]:
    return {
        "version": note.version,
        "title": note.title,
        "created_at": rfc3339(note.version_at),
        "created_by": note.version_by or note.owner_id,
    }


def _described(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "version": row["number"],
        "title": row["title"],
        "created_at": rfc3339(row["created_at"]),
        "created_by": row["created_by"],
    }
