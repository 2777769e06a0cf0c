"""Runs as they are read: one with its steps, and pages of them."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.presentation import (
    MAX_SHOWN,
    head,
    may_see_contents,
    present,
    step_head,
)
from builtin_plugins.workflows.runs.statements import store_sql
from builtin_plugins.workflows.runs.values import decoded
from guildhall_sdk import Host, NotFound, Principal, Reader, Row

# In lists a run shows no more than this of its contents, and so many of its steps.
_LONGEST_LISTED = 4096
_MOST_LISTED_STEPS = 50
_AFTER_EVERY_ID = "~"


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
        room = MAX_SHOWN if contents else 0
        steps = await reader.all(store_sql.steps_after, run_id=run["id"], revision=-1, room=room)
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
        for row in await reader.all(store_sql.first_steps, ids=ids, most=_MOST_LISTED_STEPS):
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
