"""Objects by key and by id."""

from builtin_plugins.repo import finding, listing, provenance
from builtin_plugins.repo.handlers.preconditions import (
    across_company,
    check_if_match,
    object_reply,
    repository,
)
from guildhall_sdk import Reply, RequestContext, no_content, page


async def list_objects(ctx: RequestContext) -> Reply:
    caller, query = ctx.principal, ctx.query
    wide = across_company(ctx)
    start, after_id = listing.place_of(query.get("cursor"))
    only_given = query["shared"] == "1"
    ways = listing.given(caller) if only_given else listing.everywhere(caller, across_company=wide)
    limit: int = query["limit"]
    async with ctx.read() as reader:
        records = await listing.objects(
            reader,
            caller,
            ways,
            ctx.now_ms,
            prefix=query["prefix"],
            start=start,
            after_id=after_id,
            limit=limit + 1,
        )
        visible = records[:limit]
        versions = await finding.versions_of_many(reader, caller.org_id, visible)
    more = listing.cursor_of(visible[-1]) if len(records) > limit else None
    return page([record.to_json(versions[record.id]) for record in visible], more)


async def read_object(ctx: RequestContext) -> Reply:
    wide = across_company(ctx)
    async with ctx.read() as reader:
        record = await finding.readable(
            reader, ctx.principal, ctx.params["id"], ctx.now_ms, across_company=wide
        )
        return await object_reply(reader, record)


async def delete_object(ctx: RequestContext) -> Reply:
    repo = repository(ctx)
    async with ctx.write() as writer:
        await repo.removing.delete(
            writer, ctx.principal, ctx.params["id"], lambda record: check_if_match(ctx, record)
        )
    return no_content()


async def read_derivations(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.readable(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        return Reply(await provenance.read_derivations(reader, ctx.principal, record, ctx.now_ms))


async def read_processing(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.readable(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        made = await provenance.read_derivations(reader, ctx.principal, record, ctx.now_ms)
    return Reply({**made, "runs": []})
