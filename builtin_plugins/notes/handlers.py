"""HTTP in and out."""

from builtin_plugins.notes import service
from guildhall_sdk import Reply, RequestContext, created, no_content, page, page_bounds
from guildhall_sdk.services import Events, Quotas, SearchIndex


async def create_note(ctx: RequestContext) -> Reply:
    index = ctx.service(SearchIndex)
    prepared = await index.prepare(ctx.principal.org_id, ctx.body.get("body", ""))
    async with ctx.write() as writer:
        note, etag = await service.create(
            writer,
            ctx.service(Quotas),
            index,
            ctx.service(Events),
            ctx.principal,
            ctx.body,
            ctx.now_ms,
            prepared,
        )
    return created(note, f"/api/notes/{note['id']}", etag=etag)


async def list_notes(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    across_company = _across_company(ctx)
    async with ctx.read() as reader:
        notes, next_cursor = await service.list_page(
            reader, ctx.principal, before, fetched, across_company=across_company
        )
    return page(notes, next_cursor)


async def read_note(ctx: RequestContext) -> Reply:
    across_company = _across_company(ctx)
    async with ctx.read() as reader:
        note, etag = await service.read(
            reader, ctx.principal, ctx.params["id"], across_company=across_company
        )
    return Reply(note, etag=etag)


async def update_note(ctx: RequestContext) -> Reply:
    index, note_id = ctx.service(SearchIndex), ctx.params["id"]
    async with ctx.read() as reader:
        text = await service.text_to_index(reader, ctx.principal, note_id, ctx.body, ctx.check_if_match)
    prepared = await index.prepare(ctx.principal.org_id, text)
    async with ctx.write() as writer:
        note, etag = await service.update(
            writer,
            ctx.service(Quotas),
            index,
            ctx.service(Events),
            ctx.principal,
            note_id,
            ctx.body,
            ctx.check_if_match,
            ctx.now_ms,
            prepared,
        )
    return Reply(note, etag=etag)


async def delete_note(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await service.delete(
            writer,
            ctx.service(Quotas),
            ctx.service(SearchIndex),
            ctx.service(Events),
            ctx.principal,
            ctx.params["id"],
            ctx.check_if_match,
        )
    return no_content()


async def share_note(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        note, etag = await service.share(
            writer,
            ctx.service(Events),
            ctx.principal,
            ctx.params["id"],
            ctx.body,
            ctx.check_if_match,
            ctx.now_ms,
        )
    return Reply(note, etag=etag)


async def unshare_note(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await service.unshare(
            writer, ctx.service(Events), ctx.principal, ctx.params["id"], ctx.body, ctx.check_if_match
        )
    return no_content()


def _across_company(ctx: RequestContext) -> bool:
    if ctx.query["scope"] != "org":
        return False
    ctx.require("org:read")
    return True


HANDLERS = {
    handler.__name__: handler
    for handler in (create_note, list_notes, read_note, update_note, delete_note, share_note, unshare_note)
}
