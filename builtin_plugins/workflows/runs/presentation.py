"""Runs as the API shows them: to whom their contents, and to whom no more than how far they are."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.workflows.runs.plans import Plan
from builtin_plugins.workflows.runs.values import LONG
from builtin_plugins.workflows.spec.bindings import Values, resolve
from builtin_plugins.workflows.spec.model import MapStep, ToolStep
from guildhall_sdk import Host, Principal, Problem, Reader, Row, rfc3339, rfc3339_or_none
from guildhall_sdk.services.repository import Repository
from libs.fair_slots import RESULTS
from libs.strict_json import encode_steps, room_after

# Of the outputs of one run, and of what its steps were given, as much is shown together, in characters; the
# later ones are left out.
MAX_SHOWN = 8 * 1024 * 1024
# What it takes to show a step, as if it were so much of its contents.
_PER_STEP = 256
_LONG_ANSWER = 128 * 1024
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


async def may_see_contents(host: Host, reader: Reader, principal: Principal, run: Row) -> bool:
    """Tells whether inputs and outputs of a run are for this caller.

    They are for its creator: with a scope, only for the credential that started the run, or for one whose
    scope includes the run's. Those of a triggered run are also for whoever may read the object.
    """
    if run["created_by"] == principal.user_id and _covers(principal, run):
        return True
    if run["trigger_id"] is None or run["object_id"] is None:
        return False
    repository = host.find_service(Repository)
    if repository is None or not principal.scope_allows("files:read"):
        return False
    try:
        await repository.get(reader, principal, run["object_id"])
    except Problem:
        return False
    return True


def _covers(principal: Principal, run: Row) -> bool:
    scope = principal.credential.scope
    if scope is None or run["asked_with"] == principal.credential.id:
        return True
    return run["scope"] is not None and scope.issuperset(json.loads(run["scope"]))


async def present(run: Row, steps: Sequence[Row], plan: Plan, *, contents: bool) -> dict[str, Any]:
    """Returns a run with its steps as the API shows it."""
    step_list = await present_steps(run, steps, plan, contents=contents)
    last = step_list[-1] if step_list and run["state"] == "succeeded" else None
    return {
        **head(run, plan, contents=contents),
        "input": await _computed(json.loads, run["input"]) if contents else None,
        "output": None if last is None else last["output"],
        "steps": step_list,
    }


def head(run: Row, plan: Plan, *, contents: bool) -> dict[str, Any]:
    """Returns what a run shows beside its contents."""
    error = None
    if run["error_code"] is not None:
        message = run["error_message"] if contents else None
        error = {"code": run["error_code"], "message": message, "step": run["error_step"]}
    return {
        "id": run["id"],
        "workflow": {"slug": run["slug"], "version": run["version"]},
        "state": run["state"],
        "input": None,
        "output": None,
        "error": error,
        "steps": [],
        "steps_used": run["steps_used"],
        "max_steps": plan.spec.max_steps,
        "trigger_id": run["trigger_id"],
        "retry_of": run["retry_of"],
        "created_by": run["created_by"],
        "created_at": rfc3339(run["created_at"]),
        "finished_at": rfc3339_or_none(run["finished_at"]),
    }


async def present_steps(
    run: Row, steps: Sequence[Row], plan: Plan, *, contents: bool
) -> list[dict[str, Any]]:
    """Returns the steps of a run; what they were given is resolved once more from what never changes."""
    work = _with_contents if contents else _without_contents
    size = len(run["input"]) + sum(_PER_STEP + len(step["output"] or "") for step in steps)
    return work(run, steps, plan) if size <= LONG else await asyncio.to_thread(work, run, steps, plan)


def _without_contents(_run: Row, steps: Sequence[Row], _plan: Plan) -> list[dict[str, Any]]:
    return [step_head(step, contents=False) for step in steps]


def step_head(step: Row, *, contents: bool) -> dict[str, Any]:
    """Returns a step without its contents."""
    error = None
    if step["error_code"] is not None:
        error = {"code": step["error_code"], "message": step["error_message"] if contents else None}
    step_json: dict[str, Any] = {
        "name": step["name"],
        "kind": step["kind"],
        "state": step["state"],
        "attempt": step["tries"] + 1,
        "input": None,
        "output": None,
        "error": error,
        "started_at": rfc3339(step["started_at"]),
        "finished_at": rfc3339_or_none(step["finished_at"]),
    }
    if step["total"] is not None:
        step_json["items"] = {"total": step["total"], "done": step["done"], "failed": step["failed"]}
        if step["cancelled"]:
            step_json["items"]["cancelled"] = step["cancelled"]
    return step_json


def _with_contents(run: Row, steps: Sequence[Row], plan: Plan) -> list[dict[str, Any]]:
    outputs: dict[str, Mapping[str, Any]] = {}
    values = Values(
        json.loads(run["input"]), outputs, run["locale"], run["id"], run["team_id"], run["created_by"]
    )
    entries, complete, room = [], True, MAX_SHOWN
    for step in steps:
        one = step_head(step, contents=True)
        # Without the outputs before it, what a step was given cannot be told.
        given = _input_of(plan, step["name"], values) if complete and room > 0 else None
        # However often a run gives a long text to a step, what is shown of it has an end.
        room = room_after(given, room)
        one["input"] = given if room > 0 else None
        if step["output"] is not None:
            one["output"] = outputs[step["name"]] = json.loads(step["output"])
        elif step["state"] == "succeeded":
            complete = False
        entries.append(one)
    return entries


def _input_of(plan: Plan, name: str, values: Values) -> Any:
    step = plan.spec.step(name)
    if isinstance(step, ToolStep):
        return resolve(step.arguments, values)
    return {"over": resolve(step.over, values)} if isinstance(step, MapStep) else None


async def written_if_long(run_json: Mapping[str, Any]) -> str | None:
    """Writes a run that is long as JSON, aside from the event loop; None for one that is not."""
    if room_after(run_json, _LONG_ANSWER) > 0:
        return None
    return await RESULTS.run_steps(f"{id(run_json):x}", encode_steps(run_json, _encode))


async def _computed(work: Any, text: str) -> Any:
    return work(text) if len(text) <= LONG else await asyncio.to_thread(work, text)
