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
from guildhall_sdk import Conflict, Host, PermissionDenied, Principal, UserError
from guildhall_sdk.dataclass import dataclass
from guildhall_sdk.fairness import BODIES, TEXTS
from guildhall_sdk.services import ModelFormat, Models, Repository, StoredObject

MAX_DOCUMENTS = 40
CHAT = "chat:use"
_TRIES = 3


async def list_unextracted(host: Host, caller: Principal, _arguments: Mapping[str, Any]) -> list[str]:
    """Returns the ids of documents whose newest version has a text and was not extracted."""
    readable = Readable(host.service(Repository), caller, host.clock.now_ms())
    if not readable.anything:
        raise PermissionDenied(READ)
    async with host.data.read() as reader:
        rows = await reader.all(readable(sql.unextracted), limit=MAX_DOCUMENTS, **readable.binds)
    return [row["id"] for row in rows]


@dataclass(frozen=True, slots=True)
class _Document:
    object: StoredObject
    text: str


async def extract(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Replaces what is known of a document by what a model finds in its newest version."""
    if not caller.may(CHAT):
        raise PermissionDenied(CHAT)
    document = await _read(host, caller, arguments["object"])
    parts = await TEXTS.run(caller.org_id, cut, document.text)
    found = Found()
    try:
        for number, piece in enumerate(parts.pieces):
            found.restore(await _found_in(host, caller, document.object, parts, number, piece))
    except ModelFormat:
        await _note_failure(host, document.object)
        await forget_if_gone(host, caller, document.object.id)
        raise
    async with host.data.write(within=caller.org_id) as writer:
        stored = await replace_mentions(host, writer, caller, document.object, found)
    await forget_if_gone(host, caller, document.object.id)
    return {
        "object_id": document.object.id,
        "version": document.object.current.number,
        "entities": len(found.names) if stored else 0,
        "relations": len(found.relations) if stored else 0,
        "mentions": sum(map(len, found.passages.values())) if stored else 0,
        "dropped": found.dropped,
        "dropped_count": found.dropped_count,
        "pieces": len(parts.pieces),
        "characters": parts.characters,
        "truncated": parts.truncated,
        "outdated": not stored,
    }


async def _read(host: Host, caller: Principal, object_id: str) -> _Document:
    """Returns an object with the text of its newest version, for a caller who may read it."""
    repository = host.service(Repository)
    async with host.data.read() as reader:
        before = await repository.get(reader, caller, object_id)
        for _ in range(_TRIES):
            text = await repository.text(reader, caller, object_id)
            after = await repository.get(reader, caller, object_id)
            if after.current.id == before.current.id:
                break
            before = after
        else:
            raise Conflict("The document changes while it is read; try again.", code="document_changed")
    if after.team_id != caller.team_id:
        raise UserError("The document belongs to another team, whose graph it is part of.", code="other_team")
    if text is None or after.text_status != "indexed":
        raise UserError(
            "The document has no text that was read; run the workflow index-documents first.", code="no_text"
        )
    return _Document(after, text)


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
    found = await BODIES.run(caller.org_id, judge, piece, reply.parsed)
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
