"""Moves runs on: the end of a step's job, its output and the next jobs are one transaction."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from builtin_plugins.workflows.runs.lanes import Lanes
from builtin_plugins.workflows.runs.maps import Maps
from builtin_plugins.workflows.runs.notices import tell_of_ends
from builtin_plugins.workflows.runs.preparation import Preparation
from builtin_plugins.workflows.runs.statements import map_sql, sql, sql_for, wait_sql
from builtin_plugins.workflows.runs.values import (
    KnownValues,
    Needs,
    Place,
    Plan,
    Plans,
    RecentValues,
    StepEnd,
    is_long,
)
from builtin_plugins.workflows.runs.waits import Waits
from builtin_plugins.workflows.runs.walk import Lane, Walk, lane_of
from builtin_plugins.workflows.spec.model import ChoiceStep, Step
from guildhall_sdk import Host, Job, NewJob, Origin, TooManyRequests, Writer
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.subscriptions import RUN_ENDED, Events, RunEnded
from libs.change_watch import Followers
from libs.deadlines import Deadlines
from libs.fair_slots import RESULTS

#: The run of a step that begins, its number and name, its job, its revision and kind, and its branch.
_NewStep = tuple[str, int, str, str, int, str, int | None, int | None]
_STEP_BINDS = ("run_id", "number", "name", "job_id", "revision", "kind")


class Onward(NamedTuple):
    """A run, and the step that it goes on with; None is the end of the run, or of the branch."""

    walk: Walk
    plan: Plan
    step: Step | None
    lane: Lane = None


class RunFollowers(Followers):
    """Woken when their run has moved."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.news("runs"), partial(TooManyRequests, headers={"Retry-After": "5"}))


class RunEngine:
    """Walks runs from step to step, many in one transaction."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.plans = Plans(host)
        self.recent = RecentValues()
        self.preparation = Preparation(host, self.plans, self.recent)
        self.deadlines = Deadlines()
        self.lanes = Lanes(host, self)
        self.maps = Maps(host, self)
        self.waits = Waits(host, self)

    async def jobs_ended(self, writer: Writer, jobs: Sequence[Job]) -> None:
        """Takes the ends of step jobs into their runs, however they came, and moves these on."""
        if any(is_long(job.result) for job in jobs):
            ends = await RESULTS.run(jobs[0].org_id, lambda: [StepEnd.of(job) for job in jobs])
        else:
            ends = [StepEnd.of(job) for job in jobs]
        await self.take_ends(writer, ends)

    async def take_ends(self, writer: Writer, ends: Sequence[StepEnd], *, waited: bool = False) -> None:
        """Takes in the ends of steps; `waited` are of such as have waited, and are the run's own again."""
        ids = sorted({end.run_id for end in ends})
        rows = await writer.all(sql_for(len(ids)).lock_runs, ids=json.dumps(ids))
        walks = {row["id"]: Walk.of(row) for row in rows}
        ends = [end for end in ends if end.run_id in walks]
        for walk in walks.values():
            walk.may_wait = waited
        onward = await self._end_steps(writer, walks, [end for end in ends if end.index is None])
        onward += await self.maps.end_items(writer, walks, [end for end in ends if end.index is not None])
        await self.go_on(writer, onward)
        await self.save(writer, walks.values())

    async def go_on(
        self, writer: Writer, onward: Iterable[Onward], values: KnownValues | None = None
    ) -> None:
        """Walks runs on from these steps; None is the end. What is in `values` is not read again."""
        todo, values = list(onward), values or KnownValues()
        while todo:
            needs: dict[str, Needs] = {}
            for walk, plan, step, _ in todo:
                if step is not None:
                    needs[walk.id] = needs.get(walk.id, Needs()) | plan.entry_needs(step)
            await values.load(writer, needs.items())
            for walk, plan, step, lane in todo:
                if walk.state != "running":
                    continue
                known = walk.values(values)
                if walk.id in needs and values.are_long(walk.id, needs[walk.id]):
                    await asyncio.to_thread(walk.go_on, plan.spec, step, known, lane)
                else:
                    walk.go_on(plan.spec, step, known, lane)
            branched = {walk.id: (walk, plan) for walk, plan, _, _ in todo if walk.joins or walk.lost}
            # What branches gave has been stored since the values were read.
            todo, values = [], KnownValues()
            for walk, plan in branched.values():
                todo += await self.lanes.settle(writer, walk, plan)

    async def save(self, writer: Writer, walks: Iterable[Walk], *, following: bool = True) -> None:
        """Writes what became of runs, with the jobs that they want."""
        walks = [walk for walk in walks if walk.changed]
        if not walks:
            return
        under_way = [walk for walk in walks if walk.new is None]
        statements, now = sql_for(len(walks)), self._host.clock.now_ms()
        await self.write_steps(writer, walks, following=following)
        if moved := [walk.place() for walk in under_way if walk.state == "running"]:
            await writer.run(statements.move_runs, runs=json.dumps(moved), now=now)
        if ended := [walk.ending() for walk in under_way if walk.state != "running"]:
            await writer.run(statements.end_runs, runs=json.dumps(ended), now=now)
        await self._tell_ended(writer, [walk for walk in walks if walk.state != "running"])
        if waiting := [walk.id for walk in walks if walk.may_wait and walk.state == "running"]:
            await writer.run(wait_sql.note_waits, ids=json.dumps(waiting))
        for walk in walks:
            if walk.dead_jobs:
                await self._host.service(Jobs).cancel_waiting(writer, walk.team_id, walk.dead_jobs)
        changed = [walk.id for walk in walks]
        writer.after_commit(lambda: self._host.service(RunFollowers).notify(changed))
        teams = {walk.team_id for walk in walks}
        lists = self._host.service(LiveLists)
        writer.after_commit(partial(lists.changed, "/api/runs", *teams))
        if any(walk.may_wait for walk in walks):
            writer.after_commit(partial(lists.changed, "/api/approvals", *teams))

    async def write_steps(self, writer: Writer, walks: Sequence[Walk], *, following: bool = True) -> None:
        """Writes the steps that runs have begun so far, with their jobs, and runs that are new."""
        statements, now = sql_for(len(walks)), self._host.clock.now_ms()
        wanted = [job.new for walk in walks for job in walk.jobs]
        wanted += [new for walk in walks for start in walk.maps for new in start.jobs]
        ids = await self.enqueue(writer, wanted, following=following)
        steps: list[_NewStep] = []
        for walk in walks:
            for job in walk.jobs:
                parent, branch = job.lane or (None, None)
                begun = (walk.id, job.number, job.name, next(ids), job.revision, job.kind)
                steps.append((*begun, parent, branch))
            walk.jobs = []
        starts = [(walk, start, [next(ids) for _ in start.jobs]) for walk in walks for start in walk.maps]
        for walk in walks:
            walk.maps = []
            if walk.new is None:
                continue
            if len(walks) == len(steps) == 1 and steps[0][-1] is None:
                steps = steps[await _insert_begun_run(writer, walk, steps[0], now) :]
            else:
                await insert_run(writer, walk, now)
        if len(steps) == 1 and steps[0][-1] is None:
            await writer.run(sql.insert_begun_step, **_step_binds(steps[0]), now=now)
        elif steps:
            await writer.run(statements.insert_begun_steps, steps=json.dumps(steps), now=now)
        await self._insert_rows(writer, walks)
        for walk, start, job_ids in starts:
            await writer.run(
                map_sql.insert_items,
                run_id=walk.id,
                number=start.number,
                items=json.dumps(start.items),
                job_ids=json.dumps(job_ids),
            )

    async def _tell_ended(self, writer: Writer, ended: Sequence[Walk]) -> None:
        if children := [walk.id for walk in ended if walk.parent_run is not None]:
            now = self._host.clock.now_ms()
            await writer.run(wait_sql.fire_parents, ids=json.dumps(children), now=now)
            writer.after_commit(self.waits.wake)
        events = self._host.service(Events)
        if ended and events.wanted(RUN_ENDED):
            await events.emit_many(writer, RUN_ENDED, map(_ended, ended))
        await tell_of_ends(self._host, writer, ended)

    async def _insert_rows(self, writer: Writer, walks: Iterable[Walk]) -> None:
        rows = [walk.rows.pop(0) for walk in walks for _ in list(walk.rows)]
        if rows:
            await writer.run(sql.insert_steps, steps=json.dumps(rows), now=self._host.clock.now_ms())

    async def enqueue(self, writer: Writer, wanted: Sequence[NewJob], *, following: bool) -> Iterator[str]:
        if not wanted:
            return iter(())
        return iter(await self._host.service(Jobs).enqueue_for_ids(writer, wanted, following=following))

    async def plan_of(self, writer: Writer, walk: Walk) -> Plan:
        """Returns the plan of the version that a run began with."""
        return await self.plans.at_version(writer, walk.team_id, walk.slug, walk.version)

    async def _end_steps(
        self, writer: Writer, walks: dict[str, Walk], ends: Sequence[StepEnd]
    ) -> list[Onward]:
        if not ends:
            return []
        waiting = {(end.run_id, end.number) for end in ends if end.wait is not None}
        for end in ends:
            if end.wait is not None and walks[end.run_id].state != "running":
                end.state = "cancelled"
        rows = [end.row(walks[end.run_id].next_revision()) for end in ends]
        text, now = json.dumps(rows), self._host.clock.now_ms()
        ended = await writer.all(sql_for(len(rows), length=len(text)).end_steps, ends=text, now=now)
        onward: list[Onward] = []
        by_place = {(end.run_id, end.number): end for end in ends}
        kept: list[tuple[Place, str, str]] = []
        for row in ended:
            walk, end = walks[row["run_id"]], by_place[row["run_id"], row["number"]]
            if walk.state != "running":
                continue
            lane = lane_of(row)
            walk.may_wait = walk.may_wait or lane is not None
            if row["state"] == "succeeded":
                onward.append(await self.after(writer, walk, row["name"], lane, end.turn))
                if end.output is not None:
                    kept.append(((row["run_id"], row["number"]), row["name"], end.output))
            elif row["state"] == "waiting":
                waiting.discard((row["run_id"], row["number"]))
                await self.waits.begin(writer, walk, end)
            elif row["state"] == "cancelled":
                await self.lanes.stop_run(writer, walk)
                walk.end("cancelled")
            else:
                error = (row["error_code"], row["error_message"], row["name"])
                onward += await self.fail_step(writer, walk, row["name"], error, lane)
        for run_id, number in waiting:
            # Its run, or its branch, was over before it began to wait.
            await self.waits.forget(writer, run_id, number)
        if kept:
            writer.after_commit(lambda: self.recent.store(kept))
        return onward

    async def fail_step(
        self, writer: Writer, walk: Walk, name: str, error: tuple[str, str, str], lane: Lane
    ) -> Sequence[Onward]:
        """Goes on where the failure of a step is caught; else its branch fails, or the run."""
        plan = await self.plan_of(writer, walk)
        caught = walk.fail(plan.spec, plan.spec.step(name), error, lane)
        if caught is not None:
            return [Onward(walk, plan, caught, lane)]
        return await self.lanes.settle(writer, walk, plan) if walk.lost else ()

    async def after(
        self, writer: Writer, walk: Walk, name: str, lane: Lane = None, turn: str | None = None
    ) -> Onward:
        """Returns where a run goes on once a step has succeeded."""
        plan = await self.plan_of(writer, walk)
        step = plan.spec.step(name)
        assert not isinstance(step, ChoiceStep)
        return Onward(walk, plan, plan.spec.after(step, turn), lane)

    async def cancel_waiting(self, writer: Writer, walk: Walk) -> None:
        """Cancels the jobs of a run that nobody executes yet; the others finish."""
        job_ids = [row["job_id"] for row in await writer.all(sql.live_jobs, run_id=walk.id)]
        if job_ids:
            await self._host.service(Jobs).cancel_waiting(writer, walk.team_id, job_ids)


def _ended(walk: Walk) -> tuple[RunEnded, Origin]:
    assert walk.state != "running"
    payload = RunEnded(
        run_id=walk.id,
        workflow_slug=walk.slug,
        state=walk.state,
        started_by=walk.started_by,
        error=None if walk.error is None else walk.error[0],
    )
    origin = Origin(
        org_id=walk.org_id,
        team_id=walk.team_id,
        user_id=walk.created_by,
        credential_id=walk.asked_with,
        scope=walk.scope,
    )
    return payload, origin


async def insert_run(writer: Writer, walk: Walk, now: int) -> None:
    """Inserts a run as far as it has come."""
    assert walk.new is not None
    finished_at = None if walk.state == "running" else now
    await writer.run(sql.insert_run, **walk.new, **walk.written(), now=now, finished_at=finished_at)
    walk.new = None


async def _insert_begun_run(writer: Writer, walk: Walk, step: _NewStep, now: int) -> int:
    """Inserts a run whose first job is the step's; returns whether the row of that one was too."""
    assert walk.new is not None
    binds = {**_step_binds(step), "step_revision": step[4], **walk.new, **walk.written()}
    statement = sql_for(1, length=len(walk.new["input"])).insert_begun_run
    begun: int = await writer.value(statement, **binds, now=now)
    walk.new = None
    return begun


def _step_binds(step: _NewStep) -> dict[str, Any]:
    return dict(zip(_STEP_BINDS, step, strict=False))
