"""One held job: its handler on a thread, its heartbeats, and the report of how it ended."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from builtin_plugins.jobs.worker.api_client import (
    ANSWER_SECONDS,
    ApiClient,
    ClaimLost,
    Done,
    Failed,
    HeldJob,
    Lease,
    Refused,
    ResultRefused,
    Unavailable,
    Verdict,
)
from builtin_plugins.jobs.worker.clock import Backoff, WorkerClock
from builtin_plugins.jobs.worker.kinds import Runnable
from guildhall_sdk import JobFailed
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.jobs import RemoteHandler

_log = logging.getLogger("guildhall.worker")

#: Progress waits no longer than this for a heartbeat.
PROGRESS_SECONDS = 2
#: What a worker that has two signals to stop still takes for its reports.
LEAVING_SECONDS = 5
_LEASE_OVER = "its lease is over"


class Call:
    """What the handler sees; `fraction` is how far it said it is."""

    def __init__(self, held: HeldJob) -> None:
        self.id = held.id
        self.kind = held.kind
        self.payload: Any = held.payload
        self.attempt = held.attempt
        self.fraction: float | None = None

    async def progress(self, fraction: float) -> None:
        """Sets the progress, which the server gets with a heartbeat soon after."""
        if not isfinite(fraction) or not 0 <= fraction <= 1:
            raise ValueError("progress goes from 0 to 1")
        self.fraction = float(fraction)


class HandlerThread:
    """Runs a handler on a thread and an event loop of its own: one that blocks holds up no heartbeat.

    `verdict` is there when the handler has come to an end, `gone` when nothing of it is left. Both
    belong to the loop that made this. The thread does not keep the process from ending.
    """

    def __init__(self, handler: RemoteHandler, held: HeldJob) -> None:
        self.call = Call(held)
        self._handler = handler
        self._home = asyncio.get_running_loop()
        self.verdict: asyncio.Future[Verdict] = self._home.create_future()
        self.gone: asyncio.Future[None] = self._home.create_future()
        self._away = asyncio.new_event_loop()
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name=held.id, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Asks it to; a handler that blocks does not hear."""
        with suppress(RuntimeError):  # its loop is closed: it has ended
            self._away.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        self._stopped = True
        if self._task is not None:
            self._task.cancel()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._away) as runner:
                runner.run(self._work())
        except BaseException as error:
            # What it left running could not be cleared away.
            self._log_failure("worker.handler_untidy", error)
        finally:
            self._notify(lambda: self._settle(self.gone, None))

    async def _work(self) -> None:
        self._task = asyncio.current_task()
        verdict = await self._run_handler()
        self._task = None
        self._notify(lambda: self._settle(self.verdict, verdict))

    def _notify(self, word: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the worker has left
            self._home.call_soon_threadsafe(word)

    @staticmethod
    def _settle(future: "asyncio.Future[Any]", value: Any) -> None:
        if not future.done():
            future.set_result(value)

    async def _run_handler(self) -> Verdict:
        if self._stopped:
            return _stopped()
        try:
            result = await self._handler(self.call)
        except JobFailed as failure:
            return Failed(str(failure.code), str(failure.message), bool(failure.retry))
        except RetryLater as refusal:
            return Failed(refusal.code, refusal.detail, True, refusal.retry_after_seconds)
        except asyncio.CancelledError:
            return _stopped()
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            self._log_failure("worker.handler_crashed", error)
            name = type(error).__name__
            return Failed(
                "handler_crashed", f"The worker's handler ended with {name}; its log says more.", True
            )
        return _as_json(result)

    def _log_failure(self, action: str, error: BaseException) -> None:
        fields = {"job_id": self.call.id, "kind": self.call.kind}
        _log.error(action, exc_info=error, extra={"fields": fields})


def _stopped() -> Failed:
    return Failed("handler_stopped", "The worker's handler was stopped before it ended.", True)


def _as_json(result: Any) -> Verdict:
    try:
        return Done(json.dumps(result, allow_nan=False))
    except Exception as error:
        return Failed("result_not_json", f"What the worker's handler gave is not JSON: {error}", False)


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
        """Stops the handler and gives the job back to the queue, if the server hears it soon."""
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
        beating = asyncio.ensure_future(self._renew_lease())
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

    async def _renew_lease(self) -> None:
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
        """Reports until the server has it or the lease is over: then it must not be reported."""
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
