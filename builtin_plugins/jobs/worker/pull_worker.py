"""The worker: claims while it has a free slot, and ends at a signal."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from builtin_plugins.jobs.worker.api_client import (
    ApiClient,
    HeldJob,
    KindsUnknown,
    Refused,
    Unavailable,
    WorkerStuck,
)
from builtin_plugins.jobs.worker.attempt import Attempt, Ending
from builtin_plugins.jobs.worker.clock import Backoff, WorkerClock, within
from builtin_plugins.jobs.worker.display import ProgressReport
from builtin_plugins.jobs.worker.kinds import KnownKinds, Runnable

T = TypeVar("T")

CLAIM_WAIT_SECONDS = 25
SETTLE_SECONDS = 1
"""A claim that is under way when we are to stop may have been granted: its answer is waited for so long."""

LET_GO_SECONDS = 30
PAINT_SECONDS = 1


class Worker:
    """`run` returns once everything is drained; what stops it before that is a fault."""

    def __init__(
        self,
        api: ApiClient,
        clock: WorkerClock,
        kinds: Mapping[str, Runnable],
        report: ProgressReport,
        *,
        models: list[str],
        slots: int,
        settle_seconds: float = SETTLE_SECONDS,
    ) -> None:
        self._api = api
        self._clock = clock
        self._kinds = kinds
        self._known = KnownKinds(kinds)
        self._report = report
        self._models = models
        self._slots = slots
        self._settle_seconds = settle_seconds
        self._free = asyncio.Semaphore(slots)
        self._attempts: list[Attempt] = []
        self._none_held = asyncio.Event()
        self._none_held.set()
        self._not_gone: set[Attempt] = set()
        self._stuck = 0
        self._welcome = False
        self._draining = asyncio.Event()
        self._broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._backoff = Backoff(1, 60)

    def stop(self) -> None:
        """Claims no more and finishes what it holds; when called again, gives back what it holds."""
        if not self._draining.is_set():
            self._draining.set()
            self._report.draining(len(self._attempts))
            return
        if self._attempts:
            self._report.leaving(len(self._attempts))
        for attempt in self._attempts:
            attempt.give_back()

    @property
    def untidy(self) -> bool:
        """Whether something of a handler is still about, which may keep the process from ending."""
        return any(not attempt.handler.gone.done() for attempt in self._not_gone)

    async def run(self) -> None:
        painting = asyncio.ensure_future(self._keep_painting())
        working = asyncio.ensure_future(self._claim_and_drain())
        try:
            await asyncio.wait({working, self._broken}, return_when=asyncio.FIRST_COMPLETED)
            if self._broken.done():
                self._broken.result()
            working.result()
        finally:
            for task in (painting, working, *self._tasks):
                task.cancel()
            await asyncio.gather(painting, working, *self._tasks, return_exceptions=True)

    async def _claim_and_drain(self) -> None:
        while not self._draining.is_set():
            await self._or_drained(self._free.acquire())
            if self._draining.is_set():
                break
            held = await self._claim()
            if held is None:
                self._free.release()
            else:
                self._take(held)
        await self._none_held.wait()

    async def _claim(self) -> HeldJob | None:
        """Returns a job, or None after a wait that was worth it or because we are to stop."""
        sent_at = self._clock.steady_ms()
        kinds = self._known.now(sent_at)
        try:
            held = await self._or_drained(
                self._api.claim(kinds, self._models, CLAIM_WAIT_SECONDS), self._settle_seconds
            )
            if held is not None and held.kind not in self._kinds:
                raise Unavailable(f"the server gave {held.kind}, which was not asked for")
        except (Unavailable, Refused) as fault:
            if isinstance(fault, KindsUnknown) and self._goes_on_without(fault, kinds):
                return None
            if isinstance(fault, Refused) and not self._welcome:
                raise  # we were never let in, and waiting changes nothing
            wait = self._backoff.next_seconds(getattr(fault, "retry_after", None))
            self._report.troubled(fault.message, wait)
            await self._or_drained(self._clock.sleep(wait))
            return None
        self._welcome = True
        self._report.untroubled()
        if back := self._known.learn(kinds):
            self._report.kinds_back(back)
        if held is None and self._clock.steady_ms() - sent_at < CLAIM_WAIT_SECONDS * 500:
            # It let us go early, as a server does that stops. We do not storm it.
            await self._or_drained(self._clock.sleep(self._backoff.next_seconds()))
        else:
            self._backoff.start_over()
        return held

    def _goes_on_without(self, fault: KindsUnknown, claimed: list[str]) -> bool:
        """Goes on with other kinds where the server has lost a plugin; returns whether any is left."""
        left = set(claimed) - fault.kinds
        if not left or len(left) == len(claimed):
            return False
        if gone := self._known.drop(fault.kinds, self._clock.steady_ms()):
            self._report.kinds_gone(gone)
        return True

    def _take(self, held: HeldJob) -> None:
        attempt = Attempt(self._api, self._clock, held, self._kinds[held.kind])
        self._attempts.append(attempt)
        self._not_gone.add(attempt)
        self._none_held.clear()
        self._report.claimed(held)
        self._paint()
        task = asyncio.ensure_future(self._see_through(attempt))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _see_through(self, attempt: Attempt) -> None:
        try:
            self._record(attempt, await attempt.run())
            await self._until_gone(attempt)
        except Exception as fault:
            self._break(fault)
            return
        self._not_gone.discard(attempt)
        self._free.release()

    def _record(self, attempt: Attempt, ending: Ending) -> None:
        seconds = (self._clock.steady_ms() - attempt.started_at) / 1000
        self._report.ended(attempt.held, ending, seconds)
        self._attempts.remove(attempt)
        self._paint()
        if not self._attempts:
            self._none_held.set()

    async def _until_gone(self, attempt: Attempt) -> None:
        """Waits until nothing of the handler is left: then its slot is free, whatever became of the job."""
        gone = attempt.handler.gone
        try:
            await within(self._clock, LET_GO_SECONDS, _wait(gone))
        except TimeoutError:
            self._stuck += 1
            self._report.stuck(attempt.held)
            if self._stuck == self._slots:
                self._break(
                    WorkerStuck("every handler was told to stop and none does; start the worker anew")
                )
            await _wait(gone)
            self._stuck -= 1

    def _break(self, fault: Exception) -> None:
        if not self._broken.done():
            self._broken.set_exception(fault)

    async def _or_drained(self, work: Coroutine[Any, Any, T], settle_seconds: float = 0) -> T | None:
        """Returns what `work` comes to, or None when we are told to stop before it does."""
        task = asyncio.ensure_future(work)
        draining = asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait({task, draining}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and settle_seconds:
                timer = asyncio.ensure_future(self._clock.sleep(settle_seconds))
                await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
                timer.cancel()
            return task.result() if task.done() else None
        finally:
            task.cancel()
            draining.cancel()
            await asyncio.gather(task, draining, return_exceptions=True)

    def _paint(self) -> None:
        self._report.paint(self._attempts, self._clock.steady_ms(), draining=self._draining.is_set())

    async def _keep_painting(self) -> None:
        while True:
            self._paint()
            await asyncio.sleep(PAINT_SECONDS)


async def _wait(future: "asyncio.Future[Any]") -> None:
    await asyncio.wait({future})
