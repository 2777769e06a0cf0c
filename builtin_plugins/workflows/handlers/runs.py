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
from guildhall_sdk import Call, InvalidRequest, Reply, cut_page, no_content, page, page_bounds
from guildhall_sdk.replies import accepted, event_stream

_EVENT_ID = re.compile("[0-9]{1,18}")


async def run_workflow(call: Call) -> Reply:
    starter, store = RunStarter(call.host), RunStore(call.host)
    async with call.write() as writer:
        begun = await starter.start(writer, call.principal, call.params["slug"], call.body.get("input", {}))
        run = await store.find(writer, call.principal, begun.id)
        run_json = await store.show(writer, call.principal, run)
    return accepted(run_json, f"/api/runs/{begun.id}")


async def list_runs(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    store = RunStore(call.host)
    async with call.read() as reader:
        found = await store.page(
            reader,
            call.principal.team_id,
            workflow=call.query.get("workflow"),
            state=call.query.get("state"),
            before=before,
            limit=fetched,
        )
        runs, next_cursor = cut_page(found, fetched, lambda run: str(run["id"]))
        items = await store.show_listed(reader, call.principal, runs)
    return page(items, next_cursor)


async def read_run(call: Call) -> Reply:
    store = RunStore(call.host)
    async with call.read() as reader:
        run = await store.find(reader, call.principal, call.params["id"])
        run_json = await store.show(reader, call.principal, run)
    text = await written_if_long(run_json)
    return Reply(run_json) if text is None else Reply(content=text.encode("utf-8", "replace"))


async def cancel_run(call: Call) -> Reply:
    store = RunStore(call.host)
    async with call.write() as writer:
        await cancelling.cancel_run(call.host, writer, call.principal.team_id, call.params["id"])
        run = await store.find(writer, call.principal, call.params["id"])
        run_json = await store.show(writer, call.principal, run)
    return Reply(run_json)


async def retry_run(call: Call) -> Reply:
    retrier, store = RunRetrier(call.host), RunStore(call.host)
    async with call.write() as writer:
        begun = await retrier.retry(
            writer,
            call.principal,
            call.params["id"],
            start=call.body.get("from", "failed"),
            version=call.body.get("version", "same"),
        )
        run = await store.find(writer, call.principal, begun.id)
        run_json = await store.show(writer, call.principal, run)
    return accepted(run_json, f"/api/runs/{begun.id}")


async def follow_run(call: Call) -> Reply:
    """Answers a follower who has seen the end with 204, which tells a browser not to come back."""
    seen = call.headers.get("last-event-id", "").strip() or "0"
    if not _EVENT_ID.fullmatch(seen):
        raise InvalidRequest(
            "Last-Event-ID is not the id of an event of this run; leave it out to begin anew."
        )
    async with call.read() as reader:
        run = await RunStore(call.host).find(reader, call.principal, call.params["id"])
    if run["state"] != "running" and int(seen) >= run["revision"]:
        return no_content()
    stream = RunStream(call.host, call.principal, run["id"], int(seen))
    who = call.principal
    call.service(RunFollowers).admit(stream, credential=who.credential.id, company=who.org_id)
    return event_stream(stream.events())


HANDLERS: dict[str, Callable[[Call], Awaitable[Reply]]] = {
    handler.__name__: handler
    for handler in (run_workflow, list_runs, read_run, cancel_run, retry_run, follow_run)
}
