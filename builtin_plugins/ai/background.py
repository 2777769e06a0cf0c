"""Turns in the background: a generator of events and a result, run as a job that can be followed.

A kind of such jobs is a `JobKind` whose handler gives `publish` its generator, and whose `ended` is
`publish_end`.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, NamedTuple

from guildhall_sdk import (
    Conflict,
    Forbidden,
    Host,
    InvalidRequest,
    Job,
    JobCall,
    JobFailed,
    PermissionDenied,
    Problem,
    TooManyRequests,
    Unavailable,
    UserError,
    Writer,
)
from guildhall_sdk.errors import PaymentRequired, RetryLater, ToolDisabled, Unauthenticated
from guildhall_sdk.jobs import JobStopped
from guildhall_sdk.services.identity import AuthorityEnded
from guildhall_sdk.services.jobs import JobEvents, NewJobEvent
from guildhall_sdk.services.models import ExecutorTimeout, ModelBusy, ModelFormat, ModelUnavailable

DELTA, STATUS = "delta", "status"
# What a model says is written when so long has passed since the first word of it, or so much has come.
_WRITE_SECONDS = 0.2
_WRITE_CHARACTERS = 2048
# A database that is too busy for it makes the model wait from here on, and after so many tries fails the job.
_MAX_CHARACTERS = 32 * _WRITE_CHARACTERS
_TRIES = 20
_AGAIN_SECONDS = 0.5

# Why a job was cancelled by nobody: whoever asked for it would not be let in any more.
_AUTHORITY: Mapping[str, type[Problem]] = {
    "credential_revoked": Unauthenticated,
    "credential_expired": Unauthenticated,
    "person_removed": Unauthenticated,
    "person_suspended": Forbidden,
    "org_suspended": PaymentRequired,
    PermissionDenied.code: PermissionDenied,
}
# What the error of a job does not say, by its code.
_KNOWN: Mapping[str, type[Problem]] = {
    **_AUTHORITY,
    **{
        known.code: known
        for known in (
            ModelUnavailable,
            ModelBusy,
            ModelFormat,
            ExecutorTimeout,
            PermissionDenied,
            ToolDisabled,
            InvalidRequest,
        )
    },
    "cancelled": Conflict,
    "no_permission": Forbidden,
    "unknown_executor": UserError,
    "unknown_tool": InvalidRequest,
    "quota_exceeded": TooManyRequests,
    "concurrency_exceeded": TooManyRequests,
}


class Finished(NamedTuple):
    """The last thing that a turn in the background gives: the result of its job."""

    result: Mapping[str, Any]


async def publish(job: JobCall, pieces: AsyncGenerator[NewJobEvent | Finished, None]) -> Any:
    """Runs a turn to its end, its events for those who follow the job; gives the job's result.

    What the turn is refused for is the job's error, and is not tried again; what passes by itself
    puts it off.
    """
    finished: Finished | None = None
    try:
        async with aclosing(pieces), _written(job) as events:
            async for piece in pieces:
                if isinstance(piece, Finished):
                    finished = piece
                else:
                    await events.put(piece)
    except RetryLater as refusal:
        if "Retry-After" not in refusal.headers:  # waiting does not help
            raise JobFailed(refusal.code, refusal.detail) from None
        raise
    except (Conflict, Unavailable):
        raise
    except AuthorityEnded as ended:
        raise JobStopped(ended.code, ended.message) from None
    except Problem as problem:
        raise JobFailed(problem.code, problem.detail) from None
    assert finished is not None
    return finished.result


async def publish_end(host: Host, writer: Writer, job: Job) -> None:
    """Writes the last event of a job, in the transaction that ends it."""
    await host.service(JobEvents).append(writer, job, [_last_event(job)])


def _last_event(job: Job) -> NewJobEvent:
    if job.state == "succeeded":
        return NewJobEvent("done", {name: value for name, value in job.result.items() if name != "reply"})
    # One that is cancelled while it waits may have the error of an attempt before.
    if job.error is None or (job.state == "cancelled" and job.error.code not in _AUTHORITY):
        code, detail = "cancelled", "The job was cancelled."
    else:
        code, detail = job.error.code, job.error.message
    known = _KNOWN.get(code, Problem)
    problem = {"type": f"urn:guildhall:problem:{code}", "title": known.title, "status": known.status}
    return NewJobEvent("error", {**problem, "detail": detail, "code": code})


class _EventWriter:
    """Collects events, and writes them now and then beside the turn that gives them."""

    def __init__(self, job: JobCall) -> None:
        self._job = job
        self._pending: list[NewJobEvent] = []
        self._characters = 0
        self._some, self._enough, self._closing = asyncio.Event(), asyncio.Event(), False
        self._order = asyncio.Lock()
        self._writing = asyncio.create_task(self._write_now_and_then())

    async def put(self, event: NewJobEvent) -> None:
        """Takes an event; words that follow one another become one."""
        if self._writing.done():
            self._writing.result()
        last = self._pending[-1] if self._pending else None
        if last is not None and last.event == event.event == DELTA:
            event = NewJobEvent(DELTA, {"text": last.data["text"] + event.data["text"]})
            self._characters -= _size(last)
            self._pending.pop()
        self._pending.append(event)
        self._characters += _size(event)
        self._some.set()
        if self._characters >= _WRITE_CHARACTERS:
            self._enough.set()
        if self._characters >= _MAX_CHARACTERS:
            await self._write()

    async def finish(self) -> None:
        """Writes what is left."""
        self._closing = True
        self._some.set()
        self._enough.set()
        await self._writing
        await self._write()

    async def stop(self) -> None:
        """Writes nothing any more."""
        self._writing.cancel()
        await asyncio.wait({self._writing})

    async def _write_now_and_then(self) -> None:
        while not self._closing:
            await self._some.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(_WRITE_SECONDS):
                    await self._enough.wait()
            await self._write()

    async def _write(self) -> None:
        async with self._order:
            taken, self._pending, self._characters = self._pending, [], 0
            self._some.clear()
            self._enough.clear()
            for left in reversed(range(_TRIES if taken else 0)):
                try:
                    async with self._job.host.data.write() as writer:
                        await self._job.host.service(JobEvents).append(writer, self._job, taken)
                    return
                except Unavailable:
                    if not left:
                        raise
                    await asyncio.sleep(_AGAIN_SECONDS)


def _size(event: NewJobEvent) -> int:
    return len(event.data["text"]) if event.event == DELTA else _WRITE_CHARACTERS


@asynccontextmanager
async def _written(job: JobCall) -> AsyncGenerator[_EventWriter, None]:
    """Yields a writer whose events are stored when the block ends; when it is cancelled, some are lost."""
    async with job.host.data.write() as writer:
        await job.host.service(JobEvents).begin(writer, job)
    events = _EventWriter(job)
    try:
        try:
            yield events
        except (Problem, JobFailed, AuthorityEnded):
            with suppress(Problem):  # what went wrong first is what counts
                await events.finish()
            raise
        except asyncio.CancelledError:
            if job.stopping:  # what was said until then is kept
                with suppress(Problem):
                    await events.finish()
            raise
        await events.finish()
    finally:
        await events.stop()
