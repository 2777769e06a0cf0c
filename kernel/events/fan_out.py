"""From the outbox to jobs: a few at a time for each team, so that no team's queue fills with deliveries."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter

from guildhall_sdk import NewJob, Problem, Row, Writer
from guildhall_sdk.data import Data
from guildhall_sdk.metrics import Measure, measured_by
from kernel.events.deliveries import job_for
from kernel.events.outbox import Listener, Outbox, sql
from kernel.logs import get_logger

#: So many jobs of one subscription may wait in a team; the rest waits in the outbox.
MAX_WAITING = 100
_MAX_AT_ONCE = 100
_POLL_SECONDS = 5.0
# What happens meanwhile shares the transaction.
_GATHER_SECONDS = 0.02
_AFTER_TROUBLE_SECONDS = 0.5
_log = get_logger("events")

Enqueue = Callable[[Writer, Sequence[NewJob]], Awaitable[object]]


class FanOut:
    """Every process moves what it has subscriptions for; what nobody here knows waits."""

    def __init__(self, data: Data, outbox: Outbox, enqueue: Enqueue) -> None:
        self._data = data
        self._outbox = outbox
        self._enqueue = enqueue
        self._wake = asyncio.Event()
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._held_back = False
        #: How many jobs it has made so far.
        self.moved = 0

    async def start(self) -> None:
        """Says what waits for a plugin that is not here; without subscriptions there is nothing to do."""
        known = {listener.kind for listener in self._outbox.listeners}
        async with self._data.read() as reader:
            rows = await reader.all(sql.by_subscription)
        for row in rows:
            if row["subscription"] not in known:
                _log.warning(
                    "events.waiting",
                    subscription=row["subscription"],
                    events=row["many"],
                    remedy="load the plugin that subscribed, or purge it",
                )
        if known:
            self._task = asyncio.create_task(self._go_on(), name="events: fan out")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            async with self._turn:  # what is being moved is moved
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def wake(self) -> None:
        self._wake.set()

    def on_ended(self) -> None:
        """Wakes the loop when a delivery has ended and others wait for that."""
        if self._held_back:
            self._wake.set()

    def measures(self) -> Mapping[str, Measure]:
        return {"guildhall_events_waiting": measured_by(sql.by_subscription)}

    async def move(self) -> None:
        """Moves rows to jobs until every team has as many jobs as it may, or nothing is left."""
        async with self._turn:
            while await self._move_some():
                pass

    async def _move_some(self) -> int:
        """Moves some rows of every team in one round; returns how many."""
        listeners = {listener.kind: listener for listener in self._outbox.listeners}
        async with self._data.read() as reader:
            every = await reader.all(sql.waiting, subscriptions=json.dumps(sorted(listeners)))
        # What a team has off since it was recorded waits, as its jobs do.
        on = [row for row in every if self._outbox.is_on(listeners[row["subscription"]], row["switches"])]
        waiting = [row for row in on if row["jobs"] < MAX_WAITING]
        self._held_back = len(waiting) < len(on)
        moved = 0
        while waiting:
            async with self._data.write() as writer:
                new: list[NewJob] = []
                while waiting and len(new) < _MAX_AT_ONCE:
                    pair = waiting.pop()
                    new += await self._take(writer, listeners[pair["subscription"]], pair["team_id"])
                if new:
                    await self._enqueue(writer, new)
            moved += len(new)
            self.moved += len(new)
        return moved

    async def _take(self, writer: Writer, listener: Listener, team_id: str) -> list[NewJob]:
        rows: Sequence[Row] = await writer.all(
            sql.take, subscription=listener.kind, team_id=team_id, max_rows=_MAX_AT_ONCE, capacity=MAX_WAITING
        )
        return [job_for(row, listener) for row in sorted(rows, key=itemgetter("id"))]

    async def _go_on(self) -> None:
        while True:
            try:
                await self.move()
            except Exception as error:
                if not isinstance(error, Problem):
                    _log.error("events.round_failed", exc=error)
                await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._wake.wait()
                    await asyncio.sleep(_GATHER_SECONDS)
            self._wake.clear()
