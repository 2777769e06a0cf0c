"""HTTP in and out."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.notes import bin as bins
from builtin_plugins.notes import live, service, versions
from builtin_plugins.notes.listing import ListQuery
from builtin_plugins.notes.note import MANAGE, Neighbours, create
from guildhall_sdk import Call, Reply, cut_page, no_content, page, page_bounds


async def create_note(call: Call) -> Reply:
    neighbours = Neighbours.of(call.host)
    prepared = await neighbours.index.prepare(call.principal.org_id, call.body.get("body", ""))
    async with call.write() as writer:
        note = await create(writer, neighbours, call.principal, call.body, call.now_ms, prepared)
    rights, etag = note.rights_of(call.principal), note.etag
    shown = note.to_json(rights, [] if MANAGE in rights else None)
    return Reply(shown, 201, headers={"Location": f"/api/notes/{note.id}"}, etag=etag)


async def list_notes(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    query = ListQuery(
        sort=call.query["sort"],
        tag=call.query.get("tag"),
        across_company=_across_company(call),
        deleted=call.query["deleted"] == "1",
        floor=_floor_of_bin(call),
    )
    async with call.read() as reader:
        notes, next_cursor = await service.list_page(reader, call.principal, after, fetched, query)
    return page(notes, next_cursor)


async def read_note(call: Call) -> Reply:
    across_company = _across_company(call)
    async with call.read() as reader:
        note, etag = await service.read(
            reader, call.principal, call.params["id"], across_company=across_company
        )
    return Reply(note, etag=etag)


async def update_note(call: Call) -> Reply:
    return await _update(call, call.body, autosave=call.query["autosave"] == "1")


async def _update(call: Call, fields: Mapping[str, Any], *, autosave: bool = False) -> Reply:
    neighbours, note_id = Neighbours.of(call.host), call.params["id"]
    async with call.read() as reader:
        text = await service.text_to_index(reader, call.principal, note_id, fields, call.check_if_match)
    prepared = await neighbours.index.prepare(call.principal.org_id, text)
    async with call.write() as writer:
        note, etag = await service.update(
            writer,
            neighbours,
            call.principal,
            note_id,
            service.Change(fields, prepared, autosave),
            check_if_match=call.check_if_match,
            now_ms=call.now_ms,
        )
    return Reply(note, etag=etag)


async def delete_note(call: Call) -> Reply:
    async with call.write() as writer:
        if call.query["forever"] == "1":
            await bins.delete_forever(
                writer, call.principal, call.params["id"], call.check_if_match, _floor_of_bin(call)
            )
            return no_content()
        await bins.put(
            writer,
            Neighbours.of(call.host),
            call.principal,
            call.params["id"],
            call.check_if_match,
            call.now_ms,
        )
    return no_content()


async def restore_note(call: Call) -> Reply:
    neighbours, note_id = Neighbours.of(call.host), call.params["id"]
    async with call.read() as reader:
        text = await bins.text_to_index(reader, call.principal, note_id)
    prepared = await neighbours.index.prepare(call.principal.org_id, text)
    async with call.write() as writer:
        note, etag = await bins.restore(
            writer,
            neighbours,
            call.principal,
            note_id,
            check_if_match=call.check_if_match,
            oldest=_floor_of_bin(call),
            prepared=prepared,
        )
    return Reply(note, etag=etag)


async def list_note_versions(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        found = await versions.list_page(reader, call.principal, call.params["id"], after, fetched)
    visible, cursor = cut_page(found, fetched, lambda version: str(version["version"]))
    return page(visible, cursor)


async def read_note_version(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await versions.read(reader, call.principal, call.params["id"], call.params["number"]))


async def restore_note_version(call: Call) -> Reply:
    async with call.read() as reader:
        version = await versions.read(reader, call.principal, call.params["id"], call.params["number"])
    return await _update(call, versions.as_fields(version))


async def share_note(call: Call) -> Reply:
    async with call.write() as writer:
        note, etag = await service.share(
            writer,
            Neighbours.of(call.host),
            call.principal,
            call.params["id"],
            call.body,
            check_if_match=call.check_if_match,
            now_ms=call.now_ms,
        )
    return Reply(note, etag=etag)


async def unshare_note(call: Call) -> Reply:
    async with call.write() as writer:
        await service.unshare(
            writer,
            Neighbours.of(call.host),
            call.principal,
            call.params["id"],
            call.body,
            call.check_if_match,
        )
    return no_content()


async def list_note_editors(call: Call) -> Reply:
    across_company, note_id = _across_company(call), call.params["id"]
    async with call.read() as reader:
        found = await live.editors(
            reader, call.principal, note_id, call.now_ms, across_company=across_company
        )
    return page(found, None)


async def begin_editing_note(call: Call) -> Reply:
    async with call.write() as writer:
        return page(await live.beat(writer, call.principal, call.params["id"], call.now_ms), None)


async def stop_editing_note(call: Call) -> Reply:
    async with call.write() as writer:
        await live.stop(writer, call.principal, call.params["id"], call.now_ms)
    return no_content()


def _floor_of_bin(call: Call) -> int:
    return bins.floor(call.now_ms, call.setting(bins.KEEP_DELETED_DAYS))


def _across_company(call: Call) -> bool:
    if call.query["scope"] != "org":
        return False
    call.require("org:read")
    return True


HANDLERS = {
    handler.__name__: handler
    for handler in (
        create_note,
        list_notes,
        read_note,
        update_note,
        delete_note,
        restore_note,
        list_note_versions,
        read_note_version,
        restore_note_version,
        share_note,
        unshare_note,
        list_note_editors,
        begin_editing_note,
        stop_editing_note,
    )
}
