"""HTTP in and out."""

from builtin_plugins.knowledge import editing, entities, similar
from builtin_plugins.knowledge.extraction import mark_derived_unread
from builtin_plugins.knowledge.graphs import neighbourhood, overview
from builtin_plugins.knowledge.names import TYPES
from builtin_plugins.knowledge.statements import Readable
from guildhall_sdk import Call, InvalidRequest, Reply, page, page_bounds
from guildhall_sdk.replies import accepted
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import SearchIndex
from guildhall_sdk.services.workflows import Workflows
from libs.request_body import unless_gone

WORKFLOW = "index-knowledge"


async def list_entities(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    readable, q, object_id = _readable(call), call.query["q"], call.query.get("object")
    if call.query["order"] == "connected" and not q and object_id is None:
        async with call.read() as reader:
            return page(*await entities.list_connected(reader, readable, _types(call), before, fetched))
    async with call.read() as reader:
        items, next_cursor = await entities.list_page(
            reader,
            readable,
            q,
            call.query.get("type"),
            before,
            fetched,
            object_id=object_id,
        )
    return page(items, next_cursor)


async def read_entity(call: Call) -> Reply:
    readable = _readable(call)
    async with call.read() as reader:
        return Reply(await entities.read(reader, readable, call.params["id"]))


async def read_graph(call: Call) -> Reply:
    readable = _readable(call)
    async with call.read() as reader:
        return Reply(await neighbourhood(reader, readable, call.params["id"], call.query["depth"]))


async def read_overview(call: Call) -> Reply:
    readable, types = _readable(call), _types(call)
    async with call.read() as reader:
        return Reply(await overview(reader, readable, types, call.query["limit"]))


async def list_similar(call: Call) -> Reply:
    readable = _readable(call)
    async with call.read() as reader:
        found = await similar.candidates(reader, readable, call.params["id"])
    twins = await unless_gone(call, similar.twins(found, call.principal.org_id))
    return page(twins.items, None, partial=twins.partial)


async def change_entity(call: Call) -> Reply:
    readable = _readable(call)
    async with call.read() as reader:
        await editing.check_visible(reader, readable, call.params["id"])
    async with call.write() as writer:
        await editing.change(writer, call.service(SearchIndex), readable, call.params["id"], call.body)
        return Reply(await entities.read(writer, readable, call.params["id"]))


async def merge_entities(call: Call) -> Reply:
    readable = _readable(call)
    async with call.read() as reader:
        await editing.check_visible(reader, readable, call.params["id"], call.body["from"])
    async with call.write() as writer:
        await editing.merge(writer, readable, call.params["id"], call.body["from"])
        return Reply(await entities.read(writer, readable, call.params["id"]))


async def unmerge_entities(call: Call) -> Reply:
    readable = _readable(call)
    async with call.read() as reader:
        await editing.check_visible(reader, readable, call.params["id"])
    async with call.write() as writer:
        await editing.unmerge(writer, readable, call.params["id"], call.body.get("from"))
        return Reply(await entities.read(writer, readable, call.params["id"]))


async def extract_knowledge(call: Call) -> Reply:
    workflows = call.service(Workflows)
    readable = _readable(call)
    async with call.write() as writer:
        if call.body.get("include_derived", False):
            await mark_derived_unread(writer, readable)
        run = await workflows.start(writer, call.principal, WORKFLOW, {})
        fields = await workflows.read(writer, call.principal, run.id)
    return accepted(fields, f"/api/runs/{run.id}")


def _types(call: Call) -> list[str]:
    """Returns the types that are asked for, all of them where none is."""
    if "type" in call.query:
        return [call.query["type"]]
    wanted = [one for one in call.query.get("types", "").split(",") if one]
    for one in wanted:
        if one not in TYPES:
            raise InvalidRequest.at("?types", f"must be some of {', '.join(TYPES)}, with commas between")
    return [*dict.fromkeys(wanted)] or [*TYPES]


def _readable(call: Call) -> Readable:
    wide = call.query.get("scope") == "org"
    if wide:
        call.require("org:read")
    return Readable(call.service(Repository), call.principal, call.now_ms, across_company=wide)


HANDLERS = {
    "list_entities": list_entities,
    "read_entity": read_entity,
    "change_entity": change_entity,
    "read_graph": read_graph,
    "read_overview": read_overview,
    "list_similar": list_similar,
    "merge_entities": merge_entities,
    "unmerge_entities": unmerge_entities,
    "extract_knowledge": extract_knowledge,
}
