"""Approvals and calls that steps wait for, over HTTP."""

import json
from typing import Any

from builtin_plugins.workflows.approvals.service import Approvals, decided, public
from builtin_plugins.workflows.kinds.wait import HOOK_KEY
from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import wait_sql
from builtin_plugins.workflows.runs.step_job import is_too_deep
from guildhall_sdk import Call, InvalidRequest, Reply, cut_page, page, page_bounds
from libs.fair_slots import BODIES

_HOLDER = "hooks"


async def list_approvals(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        found = await Approvals(call.host).page(
            reader, call.principal, mine="mine" in call.query, before=before, fetched=fetched
        )
    rows, next_cursor = cut_page(found, fetched, lambda row: str(row["id"]))
    items = await BODIES.run(call.principal.org_id, lambda: [public(row) for row in rows])
    return page(items, next_cursor)


async def decide_approval(call: Call) -> Reply:
    approvals, approval_id = Approvals(call.host), call.params["id"]
    async with call.read() as reader:
        asked = await approvals.find(reader, call.principal, approval_id)
    if asked["open"] and call.body["decision"] == "approve":
        await approvals.check_form(call.principal, asked, call.body.get("form"))
    async with call.write() as writer:
        row = await approvals.decide(writer, call.principal, approval_id, call.body)
    return Reply(decided(row))


async def call_wait(call: Call) -> Reply:
    """Answers 202 also where nobody waits, or no longer: whoever asks learns nothing of it."""
    key = f"{HOOK_KEY}{call.params['id']}"
    async with call.read() as reader:
        team_id = await reader.value(wait_sql.team_of_key, key=key)
    body = await BODIES.run(_HOLDER, _read, call.body)
    if team_id is not None:
        waits = call.host.service(RunEngine).waits
        async with call.write() as writer:
            await waits.fire(writer, team_id, key, {"body": body}, data={})
    return Reply({"accepted": True}, status=202)


def _read(content: bytes) -> Any:
    """Reads a body: JSON where it is some, else text."""
    try:
        value = json.loads(content) if content else None
    except (ValueError, RecursionError):
        return content.decode("utf-8", "replace")
    if is_too_deep(value):
        raise InvalidRequest("The body is nested too deep; send a flatter one.")
    return value


HANDLERS = (list_approvals, decide_approval, call_wait)
