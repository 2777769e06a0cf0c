"""Extracting one document: read as the caller may, asked piece by piece, stored in one transaction."""

import json
from collections.abc import Mapping
from typing import Any

from builtin_plugins.knowledge.documents import forget_if_gone
from builtin_plugins.knowledge.extraction.candidates import Found, judge
from builtin_plugins.knowledge.extraction.pieces import Cut, cut
from builtin_plugins.knowledge.extraction.prompts import turn_for
from builtin_plugins.knowledge.extraction.storing import replace_mentions
from builtin_plugins.knowledge.statements import READ, Readable, changes, sql
from guildhall_sdk import Host, PermissionDenied, Principal, UserError, Writer
from guildhall_sdk.services.models import ModelFormat, Models
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import ReadText, StoredObject
from libs.fair_slots import BODIES, TEXTS

MAX_DOCUMENTS = 40
CHAT = "chat:use"


async def list_unextracted(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> list[str]:
    """Returns the ids of documents whose newest version was not extracted, and has a text or waits for it."""
    readable = Readable(host.service(Repository), caller, host.clock.now_ms())
    if not readable.anything:
        raise PermissionDenied(READ)
    derived = int(arguments.get("include_derived", False))
    async with host.data.read() as reader:
        rows = await reader.all(
            readable(sql.unextracted), limit=MAX_DOCUMENTS, include_derived=derived, **readable.binds
        )
    return [row["id"] for row in rows]


async def ask_for_derived(writer: Writer, readable: Readable) -> None:
    """Has the next run read documents that were made from others, as many as a run takes."""
    if readable.anything:
        await writer.run(readable(changes.ask_for_derived), limit=MAX_DOCUMENTS, **readable.binds)


async def extract(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Replaces what is known of a document by what a model finds in its newest version."""
    if not caller.may(CHAT):
        raise PermissionDenied(CHAT)
    read = await _read(host, caller, arguments["object"])
    source, found = read.found, Found()
    parts = await TEXTS.run(caller.org_id, cut, read.text or "")
    try:
        for number, piece in enumerate(parts.pieces):
            found.restore(await _found_in(host, caller, source, parts, number, piece))
    except ModelFormat:
        await _note_failure(host, source)
        await forget_if_gone(host, caller, source.id)
        raise
    async with host.data.write(within=caller.org_id) as writer:
        stored = await replace_mentions(host, writer, caller, source, found)
    await forget_if_gone(host, caller, source.id)
    return {
        "object_id": source.id,
        "version": source.current.number,
        "entities": len(found.names) if stored else 0,
        "relations": len(found.relations) if stored else 0,
        "mentions": sum(map(len, found.passages.values())) if stored else 0,
        "dropped": found.dropped,
        "dropped_count": found.dropped_count,
        "pieces": len(parts.pieces),
        "characters": parts.characters,
        "truncated": parts.truncated,
        "outdated": not stored,
        "without_text": read.reason if read.text is None else None,
    }


async def _read(host: Host, caller: Principal, object_id: str) -> ReadText:
    """Returns a document with the text of its newest version, which is read now where it was not before."""
    read = await host.service(Repository).read_text(caller, object_id)
    if read.found.team_id != caller.team_id:
        raise UserError("The document belongs to another team, whose graph it is part of.", code="other_team")
    return read


async def _found_in(
    host: Host, caller: Principal, source: StoredObject, parts: Cut, number: int, piece: str
) -> Mapping[str, Any]:
    """Returns what stands in a piece; of a long document each is kept, so that no model is paid twice."""
    long = len(parts.pieces) > 1
    version = {"object_id": source.id, "version_id": source.current.id, "org_id": source.org_id}
    if long:
        async with host.data.read() as reader:
            row = await reader.one(changes.piece, number=number, **version)
        if row is not None:
            kept: Mapping[str, Any] = json.loads(row["found"])
            return kept
    reply = await host.service(Models).ask(caller, turn_for(piece), role="utility")
    found = await BODIES.run_steps(caller.org_id, judge(piece, reply.parsed))
    if long:
        async with host.data.write(within=caller.org_id) as writer:
            await host.service(Repository).get(writer, caller, source.id)
            await writer.run(changes.delete_older_pieces, **version)
            version["team_id"] = source.team_id
            await writer.run(changes.extraction_begun, **version)
            await writer.run(changes.keep_piece, number=number, found=json.dumps(found), **version)
    return found


async def _note_failure(host: Host, source: StoredObject) -> None:
    """Records that no answer could be had for this version, so that others have their turn before it."""
    async with host.data.write(within=source.org_id) as writer:
        await writer.run(
            changes.extraction_failed,
            object_id=source.id,
            org_id=source.org_id,
            team_id=source.team_id,
            version_id=source.current.id,
            now=host.clock.now_ms(),
        )
