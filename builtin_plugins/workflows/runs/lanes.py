"""Branches that run beside one another: where they join, and what becomes of the others when one fails."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from builtin_plugins.workflows.runs.statements import (
    MAX_OUTPUT_BYTES,
    approval_sql,
    lane_sql,
    map_sql,
    sql,
    wait_sql,
)
from builtin_plugins.workflows.runs.values import Plan, StepEnd
from builtin_plugins.workflows.runs.walk import Walk, lane_of
from builtin_plugins.workflows.spec.model import ParallelStep
from guildhall_sdk import Host, Row, Writer

if TYPE_CHECKING:
    from builtin_plugins.workflows.runs.engine import Onward, RunEngine

_TOO_LARGE = (
    "result_too_large",
    "The outputs of the branches are over 1 MiB: keep what is long in the repository, and give its key.",
)


class Lanes:
    """The branches of all runs. The run is locked meanwhile: of two branches that end, one is the last."""

    def __init__(self, host: Host, engine: "RunEngine") -> None:
        self._host = host
        self._engine = engine

    async def settle(self, writer: Writer, walk: Walk, plan: Plan) -> "list[Onward]":
        """Takes in the branches that have ended and failed; returns where the run goes on for it."""
        await self._engine.write_steps(writer, [walk])
        onward: list[Onward] = []
        while walk.lost or walk.joins:
            if walk.lost:
                (number, _), error = walk.lost.pop(0)
                onward += await self._fail(writer, walk, plan, number, error)
            else:
                number, _ = walk.joins.pop(0)
                onward += await self._join(writer, walk, plan, number)
        return onward

    async def _join(self, writer: Writer, walk: Walk, plan: Plan, number: int) -> "Sequence[Onward]":
        place = {"run_id": walk.id, "number": number}
        row = await writer.one(lane_sql.end_branch, **place, revision=walk.next_revision())
        if row is None or row["done"] < row["total"]:
            return ()
        if await writer.value(lane_sql.branch_sizes, **place) > MAX_OUTPUT_BYTES:
            return await self._fail(writer, walk, plan, number, (*_TOO_LARGE, row["name"]))
        rows = await writer.all(lane_sql.branch_outputs, **place)
        # Each is JSON already.
        output = f'{{"result":[{",".join(one["output"] for one in rows)}]}}'
        await self._end(
            writer, walk, StepEnd(run_id=walk.id, number=number, state="succeeded", output=output)
        )
        return [await self._engine.after(writer, walk, row["name"], lane_of(row))]

    async def _fail(
        self, writer: Writer, walk: Walk, plan: Plan, number: int, error: tuple[str, str, str]
    ) -> "Sequence[Onward]":
        """Fails the step that holds a branch, and ends what the other branches do."""
        from builtin_plugins.workflows.runs.engine import Onward

        row = await writer.one(lane_sql.running_parent, run_id=walk.id, number=number)
        if row is None:
            return ()
        await self._cancel_below(writer, walk, number)
        code, message, name = error
        end = StepEnd(run_id=walk.id, number=number, state="failed", code=code, message=message)
        await self._end(writer, walk, end)
        step, lane = plan.spec.step(row["name"]), lane_of(row)
        assert isinstance(step, ParallelStep)
        caught = walk.fail(plan.spec, step, (code, message, name), lane)
        return () if caught is None else [Onward(walk, plan, caught, lane)]

    async def _end(self, writer: Writer, walk: Walk, end: StepEnd) -> None:
        ends = json.dumps([end.row(walk.next_revision())])
        await writer.all(sql.end_steps, ends=ends, now=self._host.clock.now_ms())

    async def _cancel_below(self, writer: Writer, walk: Walk, number: int) -> None:
        now, todo = self._host.clock.now_ms(), [number]
        while todo:
            place = {"run_id": walk.id, "number": todo.pop()}
            rows = await writer.all(lane_sql.cancel_below, **place, now=now, revision=walk.next_revision())
            for row in rows:
                await self._cancel_step(writer, walk, row, todo)

    async def _cancel_step(self, writer: Writer, walk: Walk, row: Row, todo: list[int]) -> None:
        place = {"run_id": walk.id, "number": row["number"]}
        if row["kind"] == "parallel":
            todo.append(row["number"])
        elif row["kind"] == "map":
            walk.dead_jobs += [one["job_id"] for one in await writer.all(lane_sql.item_jobs, **place)]
        else:
            if row["job_id"] is not None:
                walk.dead_jobs.append(row["job_id"])
            await self._engine.waits.forget(writer, walk.id, row["number"])

    async def stop_run(self, writer: Writer, walk: Walk) -> None:
        """Ends what has no job that would end it: maps, branches, and steps that wait."""
        now, revision = self._host.clock.now_ms(), walk.next_revision()
        await writer.run(map_sql.cancel_without_job, run_id=walk.id, now=now, revision=revision)
        await writer.run(wait_sql.forget_waits, run_id=walk.id)
        await writer.run(approval_sql.close_of_run, run_id=walk.id)
        await writer.run(approval_sql.close_people_of_run, run_id=walk.id)
        writer.after_commit(self._engine.waits.look_for_children)
        walk.may_wait = True
