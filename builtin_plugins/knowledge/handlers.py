"""HTTP in and out."""

from builtin_plugins.knowledge import editing, entities, similar
from builtin_plugins.knowledge.entities import neighbourhood
from builtin_plugins.knowledge.extraction import ask_for_derived
from builtin_plugins.knowledge.statements import Readable
from guildhall_sdk import Reply, RequestContext, accepted, page, page_bounds
from guildhall_sdk.callers import unless_gone
from guildhall_sdk.services import Repository, SearchIndex, Workflows

WORKFLOW = "index-knowledge"


async def list_entities(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    readable = _readable(ctx)
    async with ctx.read() as reader:
        items, next_cursor = await entities.list_page(
            reader,
            readable,
            ctx.query["q"],
            ctx.query.get("type"),
            before,
            fetched,
            object_id=ctx.query.get("object"),
        )
    return page(items, next_cursor)


async def read_entity(ctx: RequestContext) -> Reply:
    readable = _readable(ctx)
    async with ctx.read() as reader:
        return Reply(await entities.read(reader, readable, ctx.params["id"]))


async def read_graph(ctx: RequestContext) -> Reply:
    readable = _readable(ctx)
    async with ctx.read() as reader:
        return Reply(await neighbourhood(reader, readable, ctx.params["id"], ctx.query["depth"]))


async def list_similar(ctx: RequestContext) -> Reply:
    readable = _readable(ctx)
    async with ctx.read() as reader:
        found = await similar.candidates(reader, readable, ctx.params["id"])
    twins = await unless_gone(ctx, similar.twins(found, ctx.principal.org_id))
    return page(twins.items, None, partial=twins.partial)


async def change_entity(ctx: RequestContext) -> Reply:
    readable = _readable(ctx)
    async with ctx.read() as reader:
        await editing.check_visible(reader, readable, ctx.params["id"])
    async with ctx.write() as writer:
        await editing.change(writer, ctx.service(SearchIndex), readable, ctx.params["id"], ctx.body)
        return Reply(await entities.read(writer, readable, ctx.params["id"]))


async def merge_entities(ctx: RequestContext) -> Reply:
    readable = _readable(ctx)
    async with ctx.read() as reader:
        await editing.check_visible(reader, readable, ctx.params["id"], ctx.body["from"])
    async with ctx.write() as writer:
        await editing.merge(writer, readable, ctx.params["id"], ctx.body["from"])
        return Reply(await entities.read(writer, readable, ctx.params["id"]))


async def unmerge_entities(ctx: RequestContext) -> Reply:
    readable = _readable(ctx)
    async with ctx.read() as reader:
        await editing.check_visible(reader, readable, ctx.params["id"])
    async with ctx.write() as writer:
        await editing.unmerge(writer, readable, ctx.params["id"], ctx.body.get("from"))
        return Reply(await entities.read(writer, readable, ctx.params["id"]))


async def extract_knowledge(ctx: RequestContext) -> Reply:
    workflows = ctx.service(Workflows)
    readable = _readable(ctx)
    async with ctx.write() as writer:
        if ctx.body.get("include_derived", False):
            await ask_for_derived(writer, readable)
        run = await workflows.start(writer, ctx.principal, WORKFLOW, {})
        fields = await workflows.read(writer, ctx.principal, run.id)
    return accepted(fields, f"/api/runs/{run.id}")


def _readable(ctx: RequestContext) -> Readable:
    wide = ctx.query.get("scope") == "org"
    if wide:
        ctx.require("org:read")
    return Readable(ctx.service(Repository), ctx.principal, ctx.now_ms, across_company=wide)


HANDLERS = {
    "list_entities": list_entities,
    "read_entity": read_entity,
    "change_entity": change_entity,
    "read_graph": read_graph,
    "list_similar": list_similar,
    "merge_entities": merge_entities,
    "unmerge_entities": unmerge_entities,
    "extract_knowledge": extract_knowledge,
}
