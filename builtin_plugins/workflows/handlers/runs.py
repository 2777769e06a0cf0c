"""Running workflows and looking at their runs."""

import re
from collections.abc import Awaitable, Callable

from builtin_plugins.workflows.runs import cancelling
from builtin_plugins.workflows.runs.followers import RunFollowers
from builtin_plugins.workflows.runs.presentation import written_if_long
from builtin_plugins.workflows.runs.retrying import RunRetrier
from builtin_plugins.workflows.runs.starting import RunStarter
from builtin_plugins.workflows.runs.store import RunStore
from builtin_plugins.workflows.runs.stream import RunStream
from guildhall_sdk import (
    InvalidRequest,
    Reply,
    RequestContext,
    accepted,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.events import event_stream

_EVENT_ID = re.compile("[0-9]{1,18}")


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
        await cancelling.cancel_run(ctx.host, writer, ctx.principal.team_id, ctx.params["id"])
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
    for handler in (run_workflow, list_runs, read_run, cancel_run, retry_run, follow_run)
}
