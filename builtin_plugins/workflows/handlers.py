"""Workflows and runs over HTTP."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from builtin_plugins.workflows.approvals.handlers import HANDLERS as APPROVAL_HANDLERS
from builtin_plugins.workflows.changing import WorkflowChanges
from builtin_plugins.workflows.definitions import Definition, Definitions
from builtin_plugins.workflows.runs import ending
from builtin_plugins.workflows.runs.engine import RunFollowers
from builtin_plugins.workflows.runs.events import check_event
from builtin_plugins.workflows.runs.reading import RunStore, written_if_long
from builtin_plugins.workflows.runs.starting import RunRetrier, RunStarter
from builtin_plugins.workflows.runs.stream import RunStream
from builtin_plugins.workflows.spec.flow import KnownTool, warnings_of
from builtin_plugins.workflows.spec.format import MAX_VERSION
from builtin_plugins.workflows.spec.model import ActionStep, Spec
from builtin_plugins.workflows.spec.problems import pointer
from builtin_plugins.workflows.spec.validation import Formats, validate_in_steps
from builtin_plugins.workflows.templates import Templates, template, templates
from builtin_plugins.workflows.trying import WholeTry, try_step
from guildhall_sdk import (
    Call,
    InvalidRequest,
    NotFound,
    Reader,
    Reply,
    Tool,
    UserError,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.replies import accepted, event_stream
from guildhall_sdk.services.computing import JsonSchemas
from guildhall_sdk.tools import Tools
from libs.fair_slots import BODIES

_EVENT_ID = re.compile("[0-9]{1,18}")


async def publish_workflow(call: Call) -> Reply:
    warnings = await _checked(call, call.body)
    async with call.write() as writer:
        made = await Definitions(call.host).publish(writer, call.principal, call.body)
    workflow_json = {**made.public(), "spec": {**call.body, "version": made.version}, "warnings": warnings}
    return created(workflow_json, f"/api/workflows/{made.slug}")


async def _checked(call: Call, raw: Mapping[str, Any]) -> list[dict[str, str]]:
    """Checks a spec, and returns what to know before it is run; raises `InvalidRequest`."""
    async with call.read() as reader:
        tools = await _known_tools(call, reader)
    how, org_id = call.service(Formats).current(), call.principal.org_id
    spec = await BODIES.run_steps(org_id, validate_in_steps(raw, tools, how))
    await _admit_fields(call, spec)
    return await BODIES.run(org_id, _warnings, spec, tools)


async def list_workflows(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    definitions, caller = Definitions(call.host), call.principal
    await definitions.materialize(caller.org_id, caller.team_id)
    async with call.read() as reader:
        found = await definitions.page(reader, caller.team_id, after, fetched)
    on_page, next_cursor = cut_page(found, fetched, lambda one: one.slug)
    # Of many workflows with long defaults this takes a while.
    items = await BODIES.run(caller.org_id, lambda: [one.public() for one in on_page])
    return page(items, next_cursor)


async def read_workflow(call: Call) -> Reply:
    definitions, caller = Definitions(call.host), call.principal
    found = await _found(call, definitions)
    async with call.read() as reader:
        tools = await _known_tools(call, reader)
    return Reply(await BODIES.run(caller.org_id, _described, found, tools))


async def list_versions(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    if before is not None and not (before.isascii() and before.isdigit() and len(before) < 19):
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    definitions, caller = Definitions(call.host), call.principal
    await _found(call, definitions)
    until = MAX_VERSION + 1 if before is None else int(before)
    async with call.read() as reader:
        found = await definitions.versions(reader, caller.team_id, call.params["slug"], until, fetched)
    on_page, next_cursor = cut_page(found, fetched, lambda one: str(one.version))
    items = await BODIES.run(caller.org_id, lambda: [one.public() for one in on_page])
    return page(items, next_cursor)


async def _found(call: Call, definitions: Definitions) -> Definition:
    """Returns what `_find` does, once the team has what plugins ship; raises `NotFound`."""
    found = await _find(call, definitions)
    if found is not None and found.is_new:
        await definitions.materialize(call.principal.org_id, call.principal.team_id)
        found = await _find(call, definitions)
    if found is None:
        raise NotFound("The team has no such workflow.")
    return found


async def _find(call: Call, definitions: Definitions) -> Definition | None:
    """Returns the version that the caller asked for, or the current one."""
    team_id, slug = call.principal.team_id, call.params["slug"]
    async with call.read() as reader:
        current = await definitions.find(reader, team_id, slug)
        if current is None or current.is_new or "version" not in call.query:
            return current
        return await definitions.at_version(reader, team_id, slug, call.query["version"])


async def change_workflow(call: Call) -> Reply:
    changes, slug = WorkflowChanges(call.host), call.params["slug"]
    async with call.read() as reader:
        tools = await _known_tools(call, reader)
    async with call.write() as writer:
        changed = await changes.set_enabled(writer, call.principal, slug, call.body["enabled"])
    return Reply(await BODIES.run(call.principal.org_id, _described, changed, tools))


async def delete_workflow(call: Call) -> Reply:
    async with call.write() as writer:
        await WorkflowChanges(call.host).delete(writer, call.principal, call.params["slug"])
    return no_content()


async def check_workflow(call: Call) -> Reply:
    """Answers what an editor shows at its place while somebody draws."""
    try:
        return Reply({"problems": [], "warnings": await _checked(call, call.body["spec"])})
    except InvalidRequest as refusal:
        found = refusal.errors or [{"pointer": "", "message": refusal.detail}]
        return Reply({"problems": list(found), "warnings": []})


async def try_workflow_step(call: Call) -> Reply:
    how, raw = call.service(Formats).current(), call.body["spec"]
    spec = await BODIES.run_steps(call.principal.org_id, validate_in_steps(raw, None, how))
    return Reply(await try_step(call, spec, call.body["step"], call.body))


async def try_workflow(call: Call) -> Reply:
    how, raw = call.service(Formats).current(), call.body["spec"]
    spec = await BODIES.run_steps(call.principal.org_id, validate_in_steps(raw, None, how))
    return await _reply(await WholeTry(call, spec, call.body).run())


async def list_templates(_call: Call) -> Reply:
    return page([*templates().values()], None)


async def use_template(call: Call) -> Reply:
    raw, slug = template(call.params["slug"])["spec"], call.body.get("slug")
    warnings = await _checked(call, {**raw, "slug": slug or raw["slug"]})
    async with call.write() as writer:
        made = await Templates(call.host).use(writer, call.principal, raw, slug)
    return created({**made.public_with_spec(), "warnings": warnings}, f"/api/workflows/{made.slug}")


async def describe_format(call: Call) -> Reply:
    return Reply(call.service(Formats).current().description)


async def _known_tools(call: Call, reader: Reader) -> dict[str, KnownTool]:
    """Returns the tools that there are; those that the team does not have count as turned off."""
    declared = {
        tool.name: KnownTool(enabled=False, schema=tool.function_schema()["parameters"])
        for tool in call.service(Plugins).declared(Tool)
    }
    listed = await call.service(Tools).listing(reader, call.principal.team_id)
    return declared | {
        one["name"]: KnownTool(enabled=one["enabled"], schema=one["schema"]["parameters"]) for one in listed
    }


async def _admit_fields(call: Call, spec: Spec) -> None:
    """Raises `InvalidRequest` at a form that is no schema, and at an event that no plugin declares."""
    for step, place in zip(spec.every, spec.places, strict=True):
        if not isinstance(step, ActionStep):
            continue
        if step.kind == "approve" and "form" in step.fields:
            at = pointer((*place, "form"))
            await call.service(JsonSchemas).admit(call.principal.org_id, step.fields["form"], pointer=at)
        if step.kind == "wait" and "event" in step.fields:
            try:
                check_event(call.host, step.fields["event"])
            except UserError as fault:
                raise InvalidRequest.at(pointer((*place, "event")), fault.detail) from None


def _described(definition: Definition, tools: Mapping[str, KnownTool]) -> dict[str, Any]:
    """Returns a workflow with its spec, and what to know before it is run."""
    return {**definition.public_with_spec(), "warnings": _warnings(definition.spec, tools)}


def _warnings(spec: Spec, tools: Mapping[str, KnownTool]) -> list[dict[str, str]]:
    return [one.public() for one in warnings_of(spec, tools)]


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
    return await _reply(run_json)


async def _reply(content: dict[str, Any]) -> Reply:
    text = await written_if_long(content)
    return Reply(content) if text is None else Reply(content=text.encode("utf-8", "replace"))


async def cancel_run(call: Call) -> Reply:
    store = RunStore(call.host)
    async with call.write() as writer:
        await ending.cancel_run(call.host, writer, call.principal.team_id, call.params["id"])
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
    for handler in (
        publish_workflow,
        list_workflows,
        read_workflow,
        change_workflow,
        delete_workflow,
        check_workflow,
        try_workflow_step,
        try_workflow,
        list_templates,
        use_template,
        list_versions,
        describe_format,
        run_workflow,
        list_runs,
        read_run,
        cancel_run,
        retry_run,
        follow_run,
        *APPROVAL_HANDLERS,
    )
}
