"""Moves runs on: the end of a step's job, its output and the next jobs are one transaction."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from builtin_plugins.workflows.runs.notices import tell_of_ends
from builtin_plugins.workflows.runs.preparation import Preparation
from builtin_plugins.workflows.runs.statements import MAX_OUTPUT_BYTES, map_sql, sql, sql_for
from builtin_plugins.workflows.runs.values import (
    KnownValues,
    Place,
    Plan,
    Plans,
    RecentValues,
    StepEnd,
    is_long,
)
from builtin_plugins.workflows.runs.walk import WINDOW, Walk
from builtin_plugins.workflows.spec.model import MapStep, Step, ToolStep
from guildhall_sdk import Host, Job, NewJob, Origin, Row, TooManyRequests, Writer
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.subscriptions import RUN_ENDED, Events, RunEnded
from libs.change_watch import Followers
from libs.deadlines import Deadlines
from libs.fair_slots import RESULTS

_TOO_LARGE = (
    "result_too_large",
    "The results of the map are over 1 MiB: keep what is long in the repository, and give its key.",
)
#: The run of a tool step that begins, its number and name, the id of its job, and its revision.
_NewStep = tuple[str, int, str, str, int]
#: A run, and the step that it goes on with; None is the end.
Onward = tuple[Walk, Plan, Step | None]


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

    async def jobs_ended(self, writer: Writer, jobs: Sequence[Job]) -> None:
        """Takes the ends of step jobs into their runs, however they came, and moves these on."""
        if any(is_long(job.result) for job in jobs):
            ends = await RESULTS.run(jobs[0].org_id, lambda: [StepEnd.of(job) for job in jobs])
        else:
            ends = [StepEnd.of(job) for job in jobs]
        await self.take_ends(writer, ends)

    async def take_ends(self, writer: Writer, ends: Sequence[StepEnd]) -> None:
        ids = sorted({end.run_id for end in ends})
        rows = await writer.all(sql_for(len(ids)).lock_runs, ids=json.dumps(ids))
        walks = {row["id"]: Walk.of(row) for row in rows}
        ends = [end for end in ends if end.run_id in walks]
        onward = await self._end_steps(writer, walks, [end for end in ends if end.index is None])
        onward += await self._end_items(writer, walks, [end for end in ends if end.index is not None])
        await self.go_on(writer, onward)
        await self.save(writer, walks.values())

    async def go_on(
        self, writer: Writer, onward: Iterable[Onward], values: KnownValues | None = None
    ) -> None:
        """Walks runs on from these steps; None is the end. What is in `values` is not read again."""
        onward, values = list(onward), values or KnownValues()
        needs = {walk.id: plan.entry_needs(step) for walk, plan, step in onward if step is not None}
        await values.load(writer, needs.items())
        for walk, plan, step in onward:
            known = walk.values(values)
            if walk.id in needs and values.are_long(walk.id, needs[walk.id]):
                await asyncio.to_thread(walk.go_on, plan.spec, step, known)
            else:
                walk.go_on(plan.spec, step, known)

    async def save(self, writer: Writer, walks: Iterable[Walk], *, following: bool = True) -> None:
        """Writes what became of runs, with the jobs that they want."""
        walks, now = [walk for walk in walks if walk.changed], self._host.clock.now_ms()
        if not walks:
            return
        statements = sql_for(len(walks))
        wanted = [job.new for walk in walks for job in walk.jobs]
        wanted += [new for walk in walks for start in walk.maps for new in start.jobs]
        ids = await self._enqueue(writer, wanted, following=following)
        steps = [
            (walk.id, job.number, job.name, next(ids), job.revision) for walk in walks for job in walk.jobs
        ]
        starts = [(walk, start, [next(ids) for _ in start.jobs]) for walk in walks for start in walk.maps]
        under_way = [walk for walk in walks if walk.new is None]
        for walk in walks:
            if walk.new is None:
                continue
            if len(walks) == len(steps) == 1:
                steps = steps[await _insert_begun_run(writer, walk, steps[0], now) :]
            else:
                await insert_run(writer, walk, now)
        if len(steps) == 1:
            await writer.run(sql.insert_tool_step, **_step_binds(steps[0]), now=now)
        elif steps:
            await writer.run(statements.insert_tool_steps, steps=json.dumps(steps), now=now)
        await self._insert_rows(writer, walks)
        for walk, start, job_ids in starts:
            await writer.run(
                map_sql.insert_items,
                run_id=walk.id,
                number=start.number,
                items=json.dumps(start.items),
                job_ids=json.dumps(job_ids),
            )
        if moved := [walk.place() for walk in under_way if walk.state == "running"]:
            await writer.run(statements.move_runs, runs=json.dumps(moved), now=now)
        if ended := [walk.ending() for walk in under_way if walk.state != "running"]:
            await writer.run(statements.end_runs, runs=json.dumps(ended), now=now)
        await self._tell_ended(writer, [walk for walk in walks if walk.state != "running"])
        changed = [walk.id for walk in walks]
        writer.after_commit(lambda: self._host.service(RunFollowers).notify(changed))
        if walks:
            teams = {walk.team_id for walk in walks}
            writer.after_commit(partial(self._host.service(LiveLists).changed, "/api/runs", *teams))

    async def _tell_ended(self, writer: Writer, ended: Sequence[Walk]) -> None:
        events = self._host.service(Events)
        if ended and events.wanted(RUN_ENDED):
            await events.emit_many(writer, RUN_ENDED, map(_ended, ended))
        await tell_of_ends(self._host, writer, ended)

    async def _insert_rows(self, writer: Writer, walks: Iterable[Walk]) -> None:
        rows = [walk.rows.pop(0) for walk in walks for _ in list(walk.rows)]
        if rows:
            await writer.run(sql.insert_steps, steps=json.dumps(rows), now=self._host.clock.now_ms())

    async def _enqueue(self, writer: Writer, wanted: Sequence[NewJob], *, following: bool) -> Iterator[str]:
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
        rows = [end.row(walks[end.run_id].next_revision()) for end in ends]
        text, now = json.dumps(rows), self._host.clock.now_ms()
        ended = await writer.all(sql_for(len(rows), length=len(text)).end_steps, ends=text, now=now)
        onward: list[Onward] = []
        outputs = {(end.run_id, end.number): end.output for end in ends}
        kept: list[tuple[Place, str, str]] = []
        for row in ended:
            walk = walks[row["run_id"]]
            if walk.state != "running":
                continue
            if row["state"] == "succeeded":
                onward.append(await self._after(writer, walk, row["name"]))
                place = (row["run_id"], row["number"])
                if (output := outputs[place]) is not None:
                    kept.append((place, row["name"], output))
            elif row["state"] == "cancelled":
                walk.end("cancelled")
            else:
                walk.end("failed", (row["error_code"], row["error_message"], row["name"]))
        if kept:
            writer.after_commit(lambda: self.recent.store(kept))
        return onward

    async def _after(self, writer: Writer, walk: Walk, name: str) -> Onward:
        plan = await self.plan_of(writer, walk)
        step = plan.spec.step(name)
        assert isinstance(step, ToolStep | MapStep)
        return walk, plan, plan.spec.after(step)

    async def _end_items(
        self, writer: Writer, walks: dict[str, Walk], ends: Sequence[StepEnd]
    ) -> list[Onward]:
        if not ends:
            return []
        by_place = {(end.run_id, end.number, end.index): end for end in ends}
        landed = await writer.all(map_sql.end_items, ends=json.dumps([end.row(0) for end in ends]))
        counts: dict[tuple[str, int], list[StepEnd]] = defaultdict(list)
        for row in landed:
            counts[row["run_id"], row["number"]].append(by_place[row["run_id"], row["number"], row["idx"]])
        if not counts:
            return []
        counted = [_count(run_id, number, of, walks[run_id]) for (run_id, number), of in counts.items()]
        onward: list[Onward] = []
        for row in await writer.all(map_sql.count_items, counts=json.dumps(counted)):
            walk = walks[row["run_id"]]
            if walk.state == "running" and row["state"] == "running":
                onward += await self._advance_map(writer, walk, row)
        return onward

    async def _advance_map(
        self, writer: Writer, walk: Walk, row: Row, *, following: bool = True
    ) -> Sequence[Onward]:
        """Ends a map whose items are over, and else sees to it that enough of them have jobs."""
        over = row["done"] + row["failed"] + row["cancelled"]
        if row["bytes"] > MAX_OUTPUT_BYTES:
            await self._fail_map(writer, walk, row, *_TOO_LARGE)
            await self.cancel_waiting(writer, walk)
        elif over == row["total"] and row["failed"]:
            first = await writer.one(map_sql.first_failed_item, run_id=walk.id, number=row["number"])
            assert first is not None
            message = f"Item {first['idx']}: {first['error_message']}"
            await self._fail_map(writer, walk, row, first["error_code"], message)
        elif over == row["total"] and row["cancelled"]:
            now, revision = self._host.clock.now_ms(), walk.next_revision()
            await writer.run(map_sql.cancel_maps, run_id=walk.id, now=now, revision=revision)
            walk.end("cancelled")
        elif over == row["total"]:
            await writer.run(
                map_sql.end_map,
                run_id=walk.id,
                number=row["number"],
                revision=walk.next_revision(),
                now=self._host.clock.now_ms(),
            )
            return [await self._after(writer, walk, row["name"])]
        elif row["waiting"] and row["total"] - over - row["waiting"] <= WINDOW // 2:
            await self.refill(writer, walk, row, following=following)
        return ()

    async def resume_map(self, writer: Writer, walk: Walk) -> "list[Onward]":
        """Goes on with the map that a walk has just begun and whose items were copied."""
        await self._insert_rows(writer, [walk])
        row = await writer.one(map_sql.map_row, run_id=walk.id, number=walk.last_number)
        assert row is not None
        return list(await self._advance_map(writer, walk, row, following=False))

    async def _fail_map(self, writer: Writer, walk: Walk, row: Row, code: str, message: str) -> None:
        end = StepEnd(run_id=walk.id, number=row["number"], state="failed", code=code, message=message)
        ends = json.dumps([end.row(walk.next_revision())])
        await writer.all(sql.end_steps, ends=ends, now=self._host.clock.now_ms())
        walk.end("failed", (code, message, row["name"]))

    async def refill(self, writer: Writer, walk: Walk, row: Row, *, following: bool = True) -> None:
        """Enqueues more items of a map, up to its window."""
        place = {"run_id": walk.id, "number": row["number"]}
        indexes = await self._next_indexes(writer, place, row)
        if not indexes:
            return
        plan = await self.plan_of(writer, walk)
        step = plan.spec.step(row["name"])
        assert isinstance(step, MapStep)
        new = [walk.new_job(step, row["number"], index) for index in indexes]
        job_ids = await self._enqueue(writer, new, following=following)
        begun = [[walk.id, row["number"], *pair] for pair in zip(indexes, job_ids, strict=True)]
        await writer.run(map_sql.begin_items, begun=json.dumps(begun))
        await writer.run(map_sql.count_begun, **place, begun=len(begun), next_index=indexes[-1] + 1)

    @staticmethod
    async def _next_indexes(writer: Writer, place: Mapping[str, Any], row: Row) -> Sequence[int]:
        """Returns the items whose turn it is; those of a retried run are read, as some are done already."""
        first, total = row["next_index"], row["total"]
        capacity = WINDOW - (total - row["done"] - row["failed"] - row["cancelled"] - row["waiting"])
        if row["waiting"] == total - first:
            return range(first, min(first + capacity, total))
        found = await writer.all(map_sql.waiting_items, **place, next_index=first, limit=capacity)
        return [item["idx"] for item in found]

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
    binds = {**_step_binds(step), "step_revision": step[-1], **walk.new, **walk.written()}
    statement = sql_for(1, length=len(walk.new["input"])).insert_begun_run
    begun: int = await writer.value(statement, **binds, now=now)
    walk.new = None
    return begun


def _step_binds(step: _NewStep) -> dict[str, Any]:
    return dict(zip(("run_id", "number", "name", "job_id", "revision"), step, strict=True))


def _count(run_id: str, number: int, ends: Sequence[StepEnd], walk: Walk) -> tuple[str | int, ...]:
    """Returns what `count_items` takes: where, the revision, how many are done, failed and cancelled."""
    done = sum(end.state == "succeeded" for end in ends)
    cancelled = sum(end.state == "cancelled" for end in ends)
    size = sum(end.size for end in ends)
    return run_id, number, walk.next_revision(), done, len(ends) - done - cancelled, size, cancelled
