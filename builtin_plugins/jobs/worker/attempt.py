"""One held job: its handler, its heartbeats, and the report of how it ended."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from builtin_plugins.jobs.worker.api_client import ANSWER_SECONDS, ApiClient
from builtin_plugins.jobs.worker.backoff import Backoff
from builtin_plugins.jobs.worker.clock import WorkerClock
from builtin_plugins.jobs.worker.faults import ClaimLost, Refused, ResultRefused, Unavailable
from builtin_plugins.jobs.worker.handler import HandlerThread
from builtin_plugins.jobs.worker.held_job import Done, Failed, HeldJob, Lease, Verdict
from builtin_plugins.jobs.worker.kinds import Runnable

PROGRESS_SECONDS = 2
"""Progress waits no longer than this for a heartbeat."""

LEAVING_SECONDS = 5
"""What a worker that has two signals to stop still takes for its reports."""

_LEASE_OVER = "its lease is over"


@dataclass(frozen=True, slots=True)
class Ending:
    """How it went. Of a job that was dropped the server heard nothing, or no longer listened."""

    outcome: Literal["done", "failed", "dropped"]
    words: str = ""


class Attempt:
    """Ends when the server knows how the handler ended, or the job is no longer ours to speak of."""

    def __init__(self, api: ApiClient, clock: WorkerClock, held: HeldJob, runnable: Runnable) -> None:
        self.held = held
        self.handler = HandlerThread(runnable.handler, held)
        self.started_at = clock.steady_ms()
        self._api = api
        self._clock = clock
        self._lease: Lease = held.lease
        self._timeout_seconds = runnable.timeout_seconds
        self._leaving = asyncio.Event()
        self._leave_at: int | None = None

    def give_back(self) -> None:
        """The handler is stopped and the job goes back to the queue, if it can be said soon."""
        self._leave_at = self._clock.steady_ms() + LEAVING_SECONDS * 1000
        self._leaving.set()

    async def run(self) -> Ending:
        """Raises `TokenRefused`: then nothing of this worker is believed any more."""
        self.handler.start()
        try:
            return await self._report(await self._work())
        except ClaimLost as lost:
            return Ending("dropped", lost.message)
        finally:
            self.handler.stop()

    async def _work(self) -> Verdict:
        beating = asyncio.ensure_future(self._keep_lease())
        limit = asyncio.ensure_future(self._clock.sleep(self._timeout_seconds))
        leaving = asyncio.ensure_future(self._leaving.wait())
        watched: tuple[asyncio.Future[Any], ...] = (beating, limit, leaving)
        try:
            await asyncio.wait((self.handler.verdict, *watched), return_when=asyncio.FIRST_COMPLETED)
            if beating.done():
                beating.result()
            if self.handler.verdict.done():
                return self.handler.verdict.result()
            if limit.done():
                return Failed("timed_out", f"It took longer than {self._timeout_seconds} seconds.", True)
            return Failed("worker_stopped", "The worker was stopped before it ended.", True)
        finally:
            for one in watched:
                one.cancel()
            await asyncio.gather(*watched, return_exceptions=True)

    async def _keep_lease(self) -> None:
        """Heartbeats at a third of the lease, sooner with news of progress; ends only by a fault."""
        backoff = Backoff(0.5, 5)
        sent: float | None = None
        due_at = self._third_from_now()
        while True:
            await self._clock.sleep(min(PROGRESS_SECONDS, max(0, due_at - self._clock.steady_ms()) / 1000))
            now, fraction = self._clock.steady_ms(), self.handler.call.fraction
            if now >= self._lease.over_at:
                raise ClaimLost(_LEASE_OVER)
            if now < due_at and fraction == sent:
                continue
            try:
                self._lease = await self._api.heartbeat(self.held, fraction, self._lease.seconds / 3)
            except (Unavailable, Refused) as fault:
                wait = backoff.next_seconds(getattr(fault, "retry_after", None))
                due_at = min(self._clock.steady_ms() + int(wait * 1000), self._lease.over_at)
                sent = fraction
            else:
                sent = fraction
                backoff.start_over()
                due_at = self._third_from_now()

    def _third_from_now(self) -> int:
        return self._clock.steady_ms() + int(self._lease.seconds * 1000 / 3)

    async def _report(self, verdict: Verdict) -> Ending:
        """Again and again until the server has it, or the lease is over: then it must not be said."""
        backoff = Backoff(0.5, 5)
        trouble = _LEASE_OVER
        while (left := self._seconds_left()) > 0:
            try:
                return await self._send(verdict, min(left, ANSWER_SECONDS))
            except ResultRefused as refused:
                verdict = Failed("result_rejected", refused.message, False)
            except Refused as refused:
                return Ending("dropped", refused.message)
            except Unavailable as fault:
                trouble = f"{_LEASE_OVER}: {fault.message}"
                wait = backoff.next_seconds(fault.retry_after)
                await self._clock.sleep(min(wait, max(0, self._seconds_left())))
        return Ending("dropped", trouble)

    async def _send(self, verdict: Verdict, seconds: float) -> Ending:
        if isinstance(verdict, Done):
            await self._api.complete(self.held, verdict.result, seconds)
            return Ending("done")
        await self._api.fail(self.held, verdict, seconds)
        return Ending("failed", f"{verdict.code}: {verdict.message}")

    def _seconds_left(self) -> float:
        until = self._lease.over_at if self._leave_at is None else min(self._lease.over_at, self._leave_at)
        return (until - self._clock.steady_ms()) / 1000
