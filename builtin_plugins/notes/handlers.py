"""HTTP in and out."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.notes import bin as bins
from builtin_plugins.notes import service, versions
from builtin_plugins.notes.listing import ListQuery
from guildhall_sdk import Reply, RequestContext, created, cut_page, no_content, page, page_bounds
from guildhall_sdk.services import Events, SearchIndex


async def create_note(ctx: RequestContext) -> Reply:
    index = ctx.service(SearchIndex)
    prepared = await index.prepare(ctx.principal.org_id, ctx.body.get("body", ""))
    async with ctx.write() as writer:
        note, etag = await service.create(writer, ctx.host, ctx.principal, ctx.body, ctx.now_ms, prepared)
    return created(note, f"/api/notes/{note['id']}", etag=etag)


async def list_notes(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    query = ListQuery(
        sort=ctx.query["sort"],
        tag=ctx.query.get("tag"),
        across_company=_across_company(ctx),
        deleted=ctx.query["deleted"] == "1",
        floor=_floor_of_bin(ctx),
    )
    async with ctx.read() as reader:
        notes, next_cursor = await service.list_page(reader, ctx.principal, after, fetched, query)
    return page(notes, next_cursor)


async def read_note(ctx: RequestContext) -> Reply:
    across_company = _across_company(ctx)
    async with ctx.read() as reader:
        note, etag = await service.read(
            reader, ctx.principal, ctx.params["id"], across_company=across_company
        )
    return Reply(note, etag=etag)


async def update_note(ctx: RequestContext) -> Reply:
    return await _update(ctx, ctx.body)


async def _update(ctx: RequestContext, fields: Mapping[str, Any]) -> Reply:
    index, note_id = ctx.service(SearchIndex), ctx.params["id"]
    async with ctx.read() as reader:
        text = await service.text_to_index(reader, ctx.principal, note_id, fields, ctx.check_if_match)
    prepared = await index.prepare(ctx.principal.org_id, text)
    async with ctx.write() as writer:
        note, etag = await service.update(
            writer,
            ctx.host,
            ctx.principal,
            note_id,
            fields,
            check_if_match=ctx.check_if_match,
            now_ms=ctx.now_ms,
            prepared=prepared,
        )
    return Reply(note, etag=etag)


async def delete_note(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        if ctx.query["forever"] == "1":
            await bins.delete_forever(
                writer, ctx.principal, ctx.params["id"], ctx.check_if_match, _floor_of_bin(ctx)
            )
            return no_content()
        await bins.put(writer, ctx.host, ctx.principal, ctx.params["id"], ctx.check_if_match, ctx.now_ms)
    return no_content()


async def restore_note(ctx: RequestContext) -> Reply:
    index, note_id = ctx.service(SearchIndex), ctx.params["id"]
    async with ctx.read() as reader:
        text = await bins.text_to_index(reader, ctx.principal, note_id)
    prepared = await index.prepare(ctx.principal.org_id, text)
    async with ctx.write() as writer:
        note, etag = await bins.restore(
            writer,
            ctx.host,
            ctx.principal,
            note_id,
            check_if_match=ctx.check_if_match,
            oldest=_floor_of_bin(ctx),
            prepared=prepared,
        )
    return Reply(note, etag=etag)


async def list_note_versions(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        found = await versions.list_page(reader, ctx.principal, ctx.params["id"], after, fetched)
    visible, cursor = cut_page(found, fetched, lambda version: str(version["version"]))
    return page(visible, cursor)


async def read_note_version(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await versions.read(reader, ctx.principal, ctx.params["id"], ctx.params["number"]))


async def restore_note_version(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        version = await versions.read(reader, ctx.principal, ctx.params["id"], ctx.params["number"])
    return await _update(ctx, versions.as_fields(version))


async def share_note(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        note, etag = await service.share(
            writer,
            ctx.service(Events),
            ctx.principal,
            ctx.params["id"],
            ctx.body,
            check_if_match=ctx.check_if_match,
            now_ms=ctx.now_ms,
        )
    return Reply(note, etag=etag)


async def unshare_note(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await service.unshare(
            writer, ctx.service(Events), ctx.principal, ctx.params["id"], ctx.body, ctx.check_if_match
        )
    return no_content()


def _floor_of_bin(ctx: RequestContext) -> int:
    return bins.floor(ctx.now_ms, ctx.setting(bins.KEEP_DELETED_DAYS))


def _across_company(ctx: RequestContext) -> bool:
    if ctx.query["scope"] != "org":
        return False
    ctx.require("org:read")
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
    )
}
