"""Publishing workflows and looking at them."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.workflows.definitions import Definition, Definitions
from builtin_plugins.workflows.spec.format import DESCRIPTION, MAX_VERSION
from builtin_plugins.workflows.spec.judging import judge_spec
from builtin_plugins.workflows.spec.model import Spec
from builtin_plugins.workflows.spec.reading import read_spec
from builtin_plugins.workflows.spec.warnings import KnownTool, warnings_of
from guildhall_sdk import (
    Call,
    InvalidRequest,
    NotFound,
    Reader,
    Reply,
    Tool,
    created,
    cut_page,
    page,
    page_bounds,
)
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.toggles import Tools
from libs.fair_slots import BODIES


async def publish_workflow(call: Call) -> Reply:
    async with call.read() as reader:
        tools = await _known_tools(call, reader)
    warnings = await BODIES.run(call.principal.org_id, _judged, call.body, tools)
    async with call.write() as writer:
        made = await Definitions(call.host).publish(writer, call.principal, call.body)
    workflow_json = {**made.public(), "spec": {**call.body, "version": made.version}, "warnings": warnings}
    return created(workflow_json, f"/api/workflows/{made.slug}")


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
    return Reply(await BODIES.run(caller.org_id, _shown, found, tools))


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


async def describe_format(_ctx: Call) -> Reply:
    return Reply(DESCRIPTION)


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


def _judged(raw: Mapping[str, Any], tools: Mapping[str, KnownTool]) -> list[dict[str, str]]:
    """Judges a posted spec, and returns what to know before it is run."""
    judge_spec(raw, tools=tools)
    return _warnings(read_spec(raw), tools)


def _shown(definition: Definition, tools: Mapping[str, KnownTool]) -> dict[str, Any]:
    """Returns a workflow with its spec, and what to know before it is run."""
    return {**definition.public_with_spec(), "warnings": _warnings(definition.spec, tools)}


def _warnings(spec: Spec, tools: Mapping[str, KnownTool]) -> list[dict[str, str]]:
    return [one.public() for one in warnings_of(spec, tools)]


HANDLERS = {
    handler.__name__: handler
    for handler in (publish_workflow, list_workflows, read_workflow, list_versions, describe_format)
}
