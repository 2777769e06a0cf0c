"""Runs as the API shows them, one with its steps or pages of them: to whom their contents."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import store_sql
from builtin_plugins.workflows.runs.values import LONG, Plan, decoded
from builtin_plugins.workflows.runs.walk import starter
from builtin_plugins.workflows.spec.bindings import Values, resolve
from builtin_plugins.workflows.spec.model import ActionStep, MapStep, ToolStep
from guildhall_sdk import Host, NotFound, Principal, Problem, Reader, Row, rfc3339, rfc3339_or_none
from guildhall_sdk.services.repository import Repository
from libs.fair_slots import RESULTS
from libs.strict_json import capacity_after, encode_steps

# Of the outputs of one run, and of what its steps were given, as much is shown together, in characters; the
# later ones are left out.
MAX_SHOWN = 8 * 1024 * 1024
# What it takes to show a step, as if it were so much of its contents.
_PER_STEP = 256
_LONG_ANSWER = 128 * 1024
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

# In lists a run shows no more than this of its contents, and so many of its steps.
_LONGEST_LISTED = 4096
_MAX_LISTED_STEPS = 50
_AFTER_EVERY_ID = "~"


async def may_see_contents(host: Host, reader: Reader, principal: Principal, run: Row) -> bool:
    """Tells whether inputs and outputs of a run are for this caller.

    They are for its creator: with a scope, only for the credential that started the run, or for one whose
    scope includes the run's. Those of a triggered run are also for whoever may read the object.
    """
    if run["created_by"] == principal.user_id and _covers(principal, run):
        return True
    if starter(run["trigger_id"], run["object_version"]) != "trigger":
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
    # Those outside of branches follow one another.
    whole = [one for one, row in zip(step_list, steps, strict=True) if row["parent"] is None]
    last = whole[-1] if whole and run["state"] == "succeeded" else None
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
    if step["total"] is not None and step["kind"] == "map":
        step_json["items"] = {"total": step["total"], "done": step["done"], "failed": step["failed"]}
        if step["cancelled"]:
            step_json["items"]["cancelled"] = step["cancelled"]
    return step_json


def _with_contents(run: Row, steps: Sequence[Row], plan: Plan) -> list[dict[str, Any]]:
    outputs: dict[str, Mapping[str, Any]] = {}
    values = Values(
        json.loads(run["input"]), outputs, run["locale"], run["id"], run["team_id"], run["created_by"]
    )
    entries, complete, capacity = [], True, MAX_SHOWN
    for step in steps:
        one = step_head(step, contents=True)
        # Without the outputs before it, what a step was given cannot be told.
        given = _input_of(plan, step["name"], values) if complete and capacity > 0 else None
        # However often a run gives a long text to a step, what is shown of it has an end.
        capacity = capacity_after(given, capacity)
        one["input"] = given if capacity > 0 else None
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
    if isinstance(step, ActionStep):
        return resolve(step.fields, values)
    return {"over": resolve(step.over, values)} if isinstance(step, MapStep) else None


async def written_if_long(run_json: Mapping[str, Any]) -> str | None:
    """Writes a run that is long as JSON, aside from the event loop; None for one that is not."""
    if capacity_after(run_json, _LONG_ANSWER) > 0:
        return None
    return await RESULTS.run_steps(f"{id(run_json):x}", encode_steps(run_json, _encode))


async def _computed(work: Any, text: str) -> Any:
    return work(text) if len(text) <= LONG else await asyncio.to_thread(work, text)


class RunStore:
    """Reads runs for a caller."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def find(self, reader: Reader, principal: Principal, run_id: str) -> Row:
        """Returns a run of the caller's team; raises `NotFound`."""
        run = await reader.one(store_sql.run, id=run_id, team_id=principal.team_id)
        if run is None:
            raise NotFound
        return run

    async def show(self, reader: Reader, principal: Principal, run: Row) -> dict[str, Any]:
        """Returns a run with its steps as the caller may see it."""
        contents = await may_see_contents(self._host, reader, principal, run)
        capacity = MAX_SHOWN if contents else 0
        steps = await reader.all(store_sql.steps_after, run_id=run["id"], revision=-1, capacity=capacity)
        plan = await self._plan(reader, run)
        return await present(run, steps, plan, contents=contents)

    async def page(
        self,
        reader: Reader,
        team_id: str,
        *,
        workflow: str | None,
        state: str | None,
        before: str | None,
        limit: int,
    ) -> Sequence[Row]:
        """Returns runs of the team, newest first."""
        bounds = {"team_id": team_id, "before": before or _AFTER_EVERY_ID, "limit": limit}
        if workflow is None and state is None:
            return await reader.all(store_sql.page_of_runs, **bounds)
        if workflow is None:
            return await reader.all(store_sql.page_by_state, state=state, **bounds)
        if state is None:
            return await reader.all(store_sql.page_by_workflow, slug=workflow, **bounds)
        return await reader.all(store_sql.page_by_workflow_and_state, slug=workflow, state=state, **bounds)

    async def show_listed(
        self, reader: Reader, principal: Principal, runs: Sequence[Row]
    ) -> list[dict[str, Any]]:
        """Returns runs as lists show them: of their contents what is short, and the first of their steps."""
        ids = json.dumps([run["id"] for run in runs])
        steps = defaultdict(list)
        for row in await reader.all(store_sql.first_steps, ids=ids, most=_MAX_LISTED_STEPS):
            steps[row["run_id"]].append(row)
        outputs = {
            row["id"]: row["output"]
            for row in await reader.all(store_sql.last_outputs, ids=ids, longest=_LONGEST_LISTED)
        }
        entries = []
        for run in runs:
            contents = await may_see_contents(self._host, reader, principal, run)
            one = head(run, await self._plan(reader, run), contents=contents)
            one["steps"] = [step_head(step, contents=contents) for step in steps[run["id"]]]
            if contents and len(run["input"]) <= _LONGEST_LISTED:
                one["input"] = await decoded(run["input"])
            if contents and (output := outputs.get(run["id"])) is not None:
                one["output"] = await decoded(output)
            entries.append(one)
        return entries

    async def _plan(self, reader: Reader, run: Row) -> Any:
        plans = self._host.service(RunEngine).plans
        return await plans.at_version(reader, run["team_id"], run["slug"], run["version"])
