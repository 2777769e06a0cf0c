"""Steps that wait: without a job and without a connection, until a time or until what they wait for comes."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from builtin_plugins.workflows.runs.statements import approval_sql, sql_for, wait_sql
from builtin_plugins.workflows.runs.values import StepEnd, decoded, encoded, output_of
from builtin_plugins.workflows.runs.walk import Walk
from builtin_plugins.workflows.spec.bindings import equal
from builtin_plugins.workflows.spec.model import REJECTED, ActionStep
from guildhall_sdk import Host, Row, Unavailable, Writer
from guildhall_sdk.context import BackgroundWork

if TYPE_CHECKING:
    from builtin_plugins.workflows.runs.engine import RunEngine

#: The keys of those that wait for a run, followed by its id.
RUN_KEY = "run:"
EVENT_KEY = "event:"
_REJECTED = "Somebody said no."
_AT_ONCE = 50
# News of another process may be lost; what is due there is due here.
_POLL_SECONDS = 1.0
# What cannot be ended stands in nobody's way.
_LATER_MS = 60_000
_log = logging.getLogger("guildhall.workflows")


class Waits:
    """The steps of all runs that wait; any process ends what is due: every write has its condition."""

    def __init__(self, host: Host, engine: "RunEngine") -> None:
        self._host = host
        self._engine = engine
        self._own_context = copy_context()
        self._work: BackgroundWork | None = None
        self._is_woken = False
        self._has_lost_children = False

    async def begin(self, writer: Writer, walk: Walk, end: StepEnd) -> None:
        """Has a step wait, in the transaction that ends its job."""
        assert end.wait is not None
        wait, now = end.wait, self._host.clock.now_ms()
        is_over, key = False, wait["key"] or ""
        if key.startswith(EVENT_KEY):
            await writer.run(wait_sql.note_team, team_id=walk.team_id, org_id=walk.org_id)
        if key.startswith(RUN_KEY):
            run_id = key.removeprefix(RUN_KEY)
            run = await writer.one(wait_sql.run_end, id=run_id, team_id=walk.team_id)
            # One without a job is over before anybody waits for it.
            is_over = run is None or run["state"] != "running"
        due_at = now if is_over else wait["until"]
        await writer.run(
            wait_sql.insert_wait,
            run_id=walk.id,
            number=end.number,
            org_id=walk.org_id,
            team_id=walk.team_id,
            key=wait["key"],
            due_at=due_at,
            fired=int(is_over),
            now=now,
            ending=encoded({**wait["ending"], "match": wait["match"]}),
        )
        walk.may_wait = True
        if due_at is not None and due_at <= now:
            writer.after_commit(self.wake)

    async def fire(
        self,
        writer: Writer,
        team_id: str,
        key: str,
        result: Any,
        *,
        data: Mapping[str, Any],
        begun_by: int | None = None,
        may: Callable[[Writer, str], Awaitable[bool]] | None = None,
    ) -> bool:
        """Has those with this key end with a result, after the commit; tells whether there are any.

        They are those whose `match` has nothing else than `data`, that began to wait by then, and whose run
        `may` have it.
        """
        now = self._host.clock.now_ms()
        begun_by = now if begun_by is None else begun_by
        rows = await writer.all(wait_sql.by_key, team_id=team_id, key=key, begun_by=begun_by)
        ending, fired = encoded({"result": result}), False
        for row in rows:
            match = (await decoded(row["ending"])).get("match") or {}
            if not all(equal(data.get(name), value) for name, value in match.items()):
                continue
            if may is not None and not await may(writer, row["run_id"]):
                continue
            place = {"run_id": row["run_id"], "number": row["number"], "team_id": team_id}
            fired = bool(await writer.all(wait_sql.fire, **place, ending=ending, now=now)) or fired
        if fired:
            writer.after_commit(self.wake)
        return fired

    def wake(self) -> None:
        """Has what is due looked at now, for the server itself and not for whoever wakes it."""
        self._is_woken = True
        if self._work is None:
            self._work = self._own_context.run(self._host.background, "enqueueing jobs", self._end_woken)

    async def _end_woken(self) -> None:
        try:
            while self._is_woken:
                self._is_woken = False
                await self._end_due_or_later()
        finally:
            self._work = None

    def look_for_children(self) -> None:
        """Has runs cancelled that somebody waited for who has ended."""
        self._has_lost_children = True
        self.wake()

    async def forget(self, writer: Writer, run_id: str, number: int) -> None:
        """Forgets that a step waits, and whom it asked."""
        place = {"run_id": run_id, "number": number}
        await writer.run(wait_sql.forget_wait, **place)
        await writer.run(approval_sql.close, **place)
        await writer.run(approval_sql.close_people, **place)

    async def run(self) -> None:
        """Ends what is due, until it is cancelled."""
        while True:
            await self._end_due_or_later()
            await asyncio.sleep(_POLL_SECONDS)

    async def _end_due_or_later(self) -> None:
        try:
            await self.end_due()
        except Unavailable as trouble:
            _log.warning("waits.put_off", extra={"fields": {"reason": trouble.detail}})

    async def end_due(self) -> int:
        """Ends the steps whose time has come; returns how many."""
        if self._has_lost_children:
            self._has_lost_children = False
            await self.cancel_children()
        ended, now = 0, self._host.clock.now_ms()
        async with self._host.data.read() as reader:
            first = await reader.value(wait_sql.next_due)
        while first is not None and first <= now:
            async with self._host.data.read() as reader:
                rows = await reader.all(wait_sql.due, now=now, limit=_AT_ONCE)
            ended += await self._end_some(rows)
            if len(rows) < _AT_ONCE:
                break
        return ended

    async def _end_some(self, rows: Sequence[Row]) -> int:
        """Ends steps in one transaction; where that fails, each in its own."""
        places = [(row["run_id"], row["number"]) for row in rows]
        try:
            async with self._host.data.write() as writer:
                return await self.end(writer, places)
        except Unavailable:
            raise
        except Exception as fault:
            if len(rows) > 1:
                return sum([await self._end_some([row]) for row in rows])
            run_id, number = places[0]
            _log.error("wait.failed", exc_info=fault, extra={"fields": {"run": run_id, "step": number}})
        async with self._host.data.write() as writer:
            later = self._host.clock.now_ms() + _LATER_MS
            await writer.run(wait_sql.put_off, run_id=run_id, number=number, later=later)
        return 0

    async def end(self, writer: Writer, places: Sequence[tuple[str, int]], ending: Any = None) -> int:
        """Ends steps that wait, as their rows say or with `ending`; returns how many waited still."""
        ids = json.dumps(sorted({run_id for run_id, _ in places}))
        runs = {row["id"]: row for row in await writer.all(sql_for(len(places)).lock_runs, ids=ids)}
        at = json.dumps(places)
        waits = await writer.all(wait_sql.waits_at, places=at)
        steps = {
            (row["run_id"], row["number"]): row for row in await writer.all(wait_sql.wake_steps, places=at)
        }
        await writer.run(wait_sql.forget_waits_at, places=at)
        ends: list[StepEnd] = []
        for wait in waits:
            place, run = (wait["run_id"], wait["number"]), runs[wait["run_id"]]
            step = steps.get(place)
            if step is None or run["state"] != "running":
                continue
            if step["kind"] == "approve":
                await self.forget(writer, *place)
            how = await self._ending_of(writer, run["team_id"], wait) if ending is None else ending
            plan = await self._engine.plans.at_version(writer, run["team_id"], run["slug"], run["version"])
            ends.append(_end_of(*place, plan.spec.step(step["name"]), how))
        walks = {run_id: Walk.of(row) for run_id, row in runs.items()}
        await self._engine.take_ends(writer, ends, waited=walks)
        return len(ends)

    async def _ending_of(self, writer: Writer, team_id: str, wait: Row) -> Any:
        """Returns how a step ends whose time has come; one that waited for a run as that one did."""
        if not (wait["fired"] and (wait["key"] or "").startswith(RUN_KEY)):
            return await decoded(wait["ending"])
        run_id = wait["key"].removeprefix(RUN_KEY)
        run = await writer.one(wait_sql.run_end, id=run_id, team_id=team_id)
        if run is None or run["state"] != "succeeded":
            code = "run_cancelled" if run is None or run["error_code"] is None else run["error_code"]
            message = None if run is None else run["error_message"]
            return {"error": [code, f"The run {run_id}: {message or 'it was cancelled.'}"]}
        output = await writer.value(wait_sql.output_of_run, run_id=run_id)
        return {"result": None if output is None else await decoded(output)}

    async def cancel_children(self) -> None:
        """Cancels runs that were begun for others which are over."""
        from builtin_plugins.workflows.runs.ending import cancel_lost

        await cancel_lost(self._host, wait_sql.lost_children, _AT_ONCE)


def _end_of(run_id: str, number: int, step: Any, ending: Any) -> StepEnd:
    if (error := ending.get("error")) is not None:
        return StepEnd(run_id=run_id, number=number, state="failed", code=error[0], message=error[1])
    result, turn = ending["result"], None
    if isinstance(step, ActionStep) and step.kind == "approve" and result["decision"] == "reject":
        if REJECTED not in step.turns:
            message = result["comment"] or _REJECTED
            return StepEnd(run_id=run_id, number=number, state="failed", code=REJECTED, message=message)
        turn = REJECTED
    output = output_of(result)
    return StepEnd(run_id=run_id, number=number, state="succeeded", output=output, turn=turn)
