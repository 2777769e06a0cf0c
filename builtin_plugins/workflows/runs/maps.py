"""Maps: the items of a list on their way, a window of them at a time."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from builtin_plugins.workflows.runs.statements import MAX_OUTPUT_BYTES, lane_sql, map_sql, sql
from builtin_plugins.workflows.runs.values import StepEnd
from builtin_plugins.workflows.runs.walk import WINDOW, Walk, lane_of
from builtin_plugins.workflows.spec.model import MapStep
from guildhall_sdk import Host, Row, Writer

if TYPE_CHECKING:
    from builtin_plugins.workflows.runs.engine import Onward, RunEngine

_TOO_LARGE = (
    "result_too_large",
    "The results of the map are over 1 MiB: keep what is long in the repository, and give its key.",
)


class Maps:
    """The maps of all runs."""

    def __init__(self, host: Host, engine: "RunEngine") -> None:
        self._host = host
        self._engine = engine

    async def end_items(
        self, writer: Writer, walks: dict[str, Walk], ends: Sequence[StepEnd]
    ) -> "list[Onward]":
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
    ) -> "Sequence[Onward]":
        """Ends a map whose items are over, and else sees to it that enough of them have jobs."""
        over = row["done"] + row["failed"] + row["cancelled"]
        if row["bytes"] > MAX_OUTPUT_BYTES:
            onward = await self._fail_map(writer, walk, row, *_TOO_LARGE)
            await self._cancel_items(writer, walk, row["number"])
            return onward
        if over == row["total"] and row["failed"]:
            first = await writer.one(map_sql.first_failed_item, run_id=walk.id, number=row["number"])
            assert first is not None
            message = f"Item {first['idx']}: {first['error_message']}"
            return await self._fail_map(writer, walk, row, first["error_code"], message)
        if over == row["total"] and row["cancelled"]:
            now, revision = self._host.clock.now_ms(), walk.next_revision()
            await writer.run(map_sql.cancel_without_job, run_id=walk.id, now=now, revision=revision)
            await self._engine.lanes.stop_run(writer, walk)
            walk.end("cancelled")
        elif over == row["total"]:
            await writer.run(
                map_sql.end_map,
                run_id=walk.id,
                number=row["number"],
                revision=walk.next_revision(),
                now=self._host.clock.now_ms(),
            )
            return [await self._engine.after(writer, walk, row["name"], lane_of(row))]
        elif row["waiting"] and row["total"] - over - row["waiting"] <= WINDOW // 2:
            await self.refill(writer, walk, row, following=following)
        return ()

    async def resume_map(self, writer: Writer, walk: Walk) -> "list[Onward]":
        """Goes on with the map that a walk has just begun and whose items were copied."""
        await self._engine.write_steps(writer, [walk])
        row = await writer.one(map_sql.map_row, run_id=walk.id, number=walk.last_number)
        assert row is not None
        return list(await self._advance_map(writer, walk, row, following=False))

    async def _fail_map(
        self, writer: Writer, walk: Walk, row: Row, code: str, message: str
    ) -> "Sequence[Onward]":
        end = StepEnd(run_id=walk.id, number=row["number"], state="failed", code=code, message=message)
        ends = json.dumps([end.row(walk.next_revision())])
        await writer.all(sql.end_steps, ends=ends, now=self._host.clock.now_ms())
        return await self._engine.fail_step(
            writer, walk, row["name"], (code, message, row["name"]), lane_of(row)
        )

    async def _cancel_items(self, writer: Writer, walk: Walk, number: int) -> None:
        rows = await writer.all(lane_sql.item_jobs, run_id=walk.id, number=number)
        walk.dead_jobs += [row["job_id"] for row in rows]

    async def refill(self, writer: Writer, walk: Walk, row: Row, *, following: bool = True) -> None:
        """Enqueues more items of a map, up to its window."""
        place = {"run_id": walk.id, "number": row["number"]}
        indexes = await self._next_indexes(writer, place, row)
        if not indexes:
            return
        plan = await self._engine.plan_of(writer, walk)
        step = plan.spec.step(row["name"])
        assert isinstance(step, MapStep)
        new = [walk.new_job(step, row["number"], index) for index in indexes]
        job_ids = await self._engine.enqueue(writer, new, following=following)
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


def _count(run_id: str, number: int, ends: Sequence[StepEnd], walk: Walk) -> tuple[str | int, ...]:
    """Returns what `count_items` takes: where, the revision, how many are done, failed and cancelled."""
    done = sum(end.state == "succeeded" for end in ends)
    cancelled = sum(end.state == "cancelled" for end in ends)
    size = sum(end.size for end in ends)
    return run_id, number, walk.next_revision(), done, len(ends) - done - cancelled, size, cancelled
