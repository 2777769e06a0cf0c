"""Turns in the background: a generator of events and a result, run as a job that can be followed.

A kind of such jobs is a `JobKind` whose handler gives `publish` its generator, and whose `ended` is
`publish_end`.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
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
from libs.coordination import PendingWrites, WriteLimits

DELTA, STATUS = "delta", "status"
# Whatever is no piece of an answer is written at once.
_ENOUGH = WriteLimits().enough

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
                    await events.say(piece)
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


class _EventWriter(PendingWrites[NewJobEvent]):
    """Collects events, and writes them now and then beside the turn that gives them."""

    def __init__(self, job: JobCall) -> None:
        super().__init__(self._append, Unavailable)
        self._job = job

    async def say(self, event: NewJobEvent) -> None:
        """Takes an event; words that follow one another become one."""
        is_more = self.last is not None and self.last.event == event.event == DELTA
        size = len(event.data["text"]) if event.event == DELTA else _ENOUGH
        if self.last is not None and is_more:
            event = NewJobEvent(DELTA, {"text": self.last.data["text"] + event.data["text"]})
        await self.add(event, size, in_place=is_more)

    async def _append(self, events: Sequence[NewJobEvent]) -> None:
        async with self._job.host.data.write() as writer:
            await self._job.host.service(JobEvents).append(writer, self._job, events)


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
