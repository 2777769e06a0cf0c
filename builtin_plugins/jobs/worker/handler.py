"""A handler at work, apart from everything else."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from typing import Any

from builtin_plugins.jobs.worker.held_job import Done, Failed, HeldJob, Verdict
from guildhall_sdk import JobFailed
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.jobs import RemoteHandler

_log = logging.getLogger("guildhall.worker")


class Call:
    """What the handler sees; `fraction` is how far it said it is."""

    def __init__(self, held: HeldJob) -> None:
        self.id = held.id
        self.kind = held.kind
        self.payload: Any = held.payload
        self.attempt = held.attempt
        self.fraction: float | None = None

    async def progress(self, fraction: float) -> None:
        """Told to the server with a heartbeat soon after."""
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
            self._tell(lambda: self._settle(self.gone, None))

    async def _work(self) -> None:
        self._task = asyncio.current_task()
        verdict = await self._judged()
        self._task = None
        self._tell(lambda: self._settle(self.verdict, verdict))

    def _tell(self, word: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the worker has left
            self._home.call_soon_threadsafe(word)

    @staticmethod
    def _settle(future: "asyncio.Future[Any]", value: Any) -> None:
        if not future.done():
            future.set_result(value)

    async def _judged(self) -> Verdict:
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
