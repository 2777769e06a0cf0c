"""Workflows and runs over HTTP."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from builtin_plugins.workflows.definitions import Definition, Definitions
from builtin_plugins.workflows.runs import ending
from builtin_plugins.workflows.runs.engine import RunFollowers
from builtin_plugins.workflows.runs.reading import RunStore, written_if_long
from builtin_plugins.workflows.runs.starting import RunRetrier, RunStarter
from builtin_plugins.workflows.runs.stream import RunStream
from builtin_plugins.workflows.spec.flow import KnownTool, warnings_of
from builtin_plugins.workflows.spec.format import DESCRIPTION, MAX_VERSION
from builtin_plugins.workflows.spec.model import Spec, read_spec
from builtin_plugins.workflows.spec.validation import validate_spec
from guildhall_sdk import (
    InvalidRequest,
    NotFound,
    Reader,
    Reply,
    RequestContext,
    Tool,
    accepted,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.events import event_stream
from guildhall_sdk.services import Plugins, Tools
from libs.fair_slots import BODIES

_EVENT_ID = re.compile("[0-9]{1,18}")


async def publish_workflow(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        tools = await _known_tools(ctx, reader)
    warnings = await BODIES.run(ctx.principal.org_id, _validated, ctx.body, tools)
    async with ctx.write() as writer:
        made = await Definitions(ctx.host).publish(writer, ctx.principal, ctx.body)
    workflow_json = {**made.public(), "spec": {**ctx.body, "version": made.version}, "warnings": warnings}
    return created(workflow_json, f"/api/workflows/{made.slug}")


async def list_workflows(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    definitions, caller = Definitions(ctx.host), ctx.principal
    await definitions.materialize(caller.org_id, caller.team_id)
    async with ctx.read() as reader:
        found = await definitions.page(reader, caller.team_id, after, fetched)
    on_page, next_cursor = cut_page(found, fetched, lambda one: one.slug)
    # Of many workflows with long defaults this takes a while.
    items = await BODIES.run(caller.org_id, lambda: [one.public() for one in on_page])
    return page(items, next_cursor)


async def read_workflow(ctx: RequestContext) -> Reply:
    definitions, caller = Definitions(ctx.host), ctx.principal
    found = await _found(ctx, definitions)
    async with ctx.read() as reader:
        tools = await _known_tools(ctx, reader)
    return Reply(await BODIES.run(caller.org_id, _shown, found, tools))


async def list_versions(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    if before is not None and not (before.isascii() and before.isdigit() and len(before) < 19):
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    definitions, caller = Definitions(ctx.host), ctx.principal
    await _found(ctx, definitions)
    until = MAX_VERSION + 1 if before is None else int(before)
    async with ctx.read() as reader:
        found = await definitions.versions(reader, caller.team_id, ctx.params["slug"], until, fetched)
    on_page, next_cursor = cut_page(found, fetched, lambda one: str(one.version))
    items = await BODIES.run(caller.org_id, lambda: [one.public() for one in on_page])
    return page(items, next_cursor)


async def _found(ctx: RequestContext, definitions: Definitions) -> Definition:
    """Returns what `_find` does, once the team has what plugins ship; raises `NotFound`."""
    found = await _find(ctx, definitions)
    if found is not None and found.is_new:
        await definitions.materialize(ctx.principal.org_id, ctx.principal.team_id)
        found = await _find(ctx, definitions)
    if found is None:
        raise NotFound("The team has no such workflow.")
    return found


async def _find(ctx: RequestContext, definitions: Definitions) -> Definition | None:
    """Returns the version that the caller asked for, or the current one."""
    team_id, slug = ctx.principal.team_id, ctx.params["slug"]
    async with ctx.read() as reader:
        current = await definitions.find(reader, team_id, slug)
        if current is None or current.is_new or "version" not in ctx.query:
            return current
        return await definitions.at_version(reader, team_id, slug, ctx.query["version"])


async def describe_format(_ctx: RequestContext) -> Reply:
    return Reply(DESCRIPTION)


async def _known_tools(ctx: RequestContext, reader: Reader) -> dict[str, KnownTool]:
    """Returns the tools that there are; those that the team does not have count as turned off."""
    declared = {
        tool.name: KnownTool(enabled=False, schema=tool.function_schema()["parameters"])
        for tool in ctx.service(Plugins).declared(Tool)
    }
    listed = await ctx.service(Tools).listing(reader, ctx.principal.team_id)
    return declared | {
        one["name"]: KnownTool(enabled=one["enabled"], schema=one["schema"]["parameters"]) for one in listed
    }


def _validated(raw: Mapping[str, Any], tools: Mapping[str, KnownTool]) -> list[dict[str, str]]:
    """Checks a posted spec, and returns what to know before it is run."""
    validate_spec(raw, tools=tools)
    return _warnings(read_spec(raw), tools)


def _shown(definition: Definition, tools: Mapping[str, KnownTool]) -> dict[str, Any]:
    """Returns a workflow with its spec, and what to know before it is run."""
    return {**definition.public_with_spec(), "warnings": _warnings(definition.spec, tools)}


def _warnings(spec: Spec, tools: Mapping[str, KnownTool]) -> list[dict[str, str]]:
    return [one.public() for one in warnings_of(spec, tools)]


async def run_workflow(ctx: RequestContext) -> Reply:
    starter, store = RunStarter(ctx.host), RunStore(ctx.host)
    async with ctx.write() as writer:
        begun = await starter.start(writer, ctx.principal, ctx.params["slug"], ctx.body.get("input", {}))
        run = await store.find(writer, ctx.principal, begun.id)
        run_json = await store.show(writer, ctx.principal, run)
    return accepted(run_json, f"/api/runs/{begun.id}")


async def list_runs(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    store = RunStore(ctx.host)
    async with ctx.read() as reader:
        found = await store.page(
            reader,
            ctx.principal.team_id,
            workflow=ctx.query.get("workflow"),
            state=ctx.query.get("state"),
            before=before,
            limit=fetched,
        )
        runs, next_cursor = cut_page(found, fetched, lambda run: str(run["id"]))
        items = await store.show_listed(reader, ctx.principal, runs)
    return page(items, next_cursor)


async def read_run(ctx: RequestContext) -> Reply:
    store = RunStore(ctx.host)
    async with ctx.read() as reader:
        run = await store.find(reader, ctx.principal, ctx.params["id"])
        run_json = await store.show(reader, ctx.principal, run)
    text = await written_if_long(run_json)
    return Reply(run_json) if text is None else Reply(content=text.encode("utf-8", "replace"))


async def cancel_run(ctx: RequestContext) -> Reply:
    store = RunStore(ctx.host)
    async with ctx.write() as writer:
        await ending.cancel_run(ctx.host, writer, ctx.principal.team_id, ctx.params["id"])
        run = await store.find(writer, ctx.principal, ctx.params["id"])
        run_json = await store.show(writer, ctx.principal, run)
    return Reply(run_json)


async def retry_run(ctx: RequestContext) -> Reply:
    retrier, store = RunRetrier(ctx.host), RunStore(ctx.host)
    async with ctx.write() as writer:
        begun = await retrier.retry(
            writer,
            ctx.principal,
            ctx.params["id"],
            start=ctx.body.get("from", "failed"),
            version=ctx.body.get("version", "same"),
        )
        run = await store.find(writer, ctx.principal, begun.id)
        run_json = await store.show(writer, ctx.principal, run)
    return accepted(run_json, f"/api/runs/{begun.id}")


async def follow_run(ctx: RequestContext) -> Reply:
    """Answers a follower who has seen the end with 204, which tells a browser not to come back."""
    seen = ctx.headers.get("last-event-id", "").strip() or "0"
    if not _EVENT_ID.fullmatch(seen):
        raise InvalidRequest(
            "Last-Event-ID is not the id of an event of this run; leave it out to begin anew."
        )
    async with ctx.read() as reader:
        run = await RunStore(ctx.host).find(reader, ctx.principal, ctx.params["id"])
    if run["state"] != "running" and int(seen) >= run["revision"]:
        return no_content()
    stream = RunStream(ctx.host, ctx.principal, run["id"], int(seen))
    ctx.service(RunFollowers).admit(stream, ctx.principal)
    return event_stream(stream.events())


HANDLERS: dict[str, Callable[[RequestContext], Awaitable[Reply]]] = {
    handler.__name__: handler
    for handler in (
        publish_workflow,
        list_workflows,
        read_workflow,
        list_versions,
        describe_format,
        run_workflow,
        list_runs,
        read_run,
        cancel_run,
        retry_run,
        follow_run,
    )
}
