"""Answers as jobs: begun, put off, ended and closed, however their job comes to its end."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from builtin_plugins.conversations import conversation as conversations
from builtin_plugins.conversations import tools
from builtin_plugins.conversations.acting import Acting
from builtin_plugins.conversations.choosing import choose_model
from builtin_plugins.conversations.ending import Ended
from builtin_plugins.conversations.events import (
    MESSAGE,
    STATUS,
    NewEvent,
    StaleTurn,
    TurnEvents,
    add,
    forget_pieces,
)
from builtin_plugins.conversations.message import Message, encoded, sql
from builtin_plugins.conversations.turn import KIND, Turn
from guildhall_sdk import (
    Host,
    Job,
    JobCall,
    JobFailed,
    JobKind,
    PermissionDenied,
    Principal,
    Problem,
    TooManyRequests,
    Unavailable,
    Writer,
)
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.jobs import JobStopped
from guildhall_sdk.services.identity import AuthorityEnded
from guildhall_sdk.services.models import NO_TOKENS, MemberModel, TokenUsage
from guildhall_sdk.services.server import RefusalReasons

# What was refused is the question, whenever its answer is written.
_ASKED_AT = "/api/conversations/:id/messages"


async def _begin(job: JobCall) -> Message | None:
    """Takes the message for this attempt; None where it has ended or was deleted."""
    async with job.host.data.write(within=job.org_id) as writer:
        taken = await writer.one(sql.begin, job_id=job.id, org_id=job.org_id, attempt=job.attempt)
        if taken is None:
            return None
        row = await writer.one(
            sql.message, id=taken["id"], conversation_id=taken["conversation_id"], org_id=job.org_id
        )
        assert row is not None
        message = Message.of(row)
        where = (job.org_id, message.conversation_id)
        await add(writer, job.host, where, [NewEvent(MESSAGE, message.id)], job.host.clock.now_ms())
        await forget_pieces(writer, where, row["said_from"])
    return message


@asynccontextmanager
async def _written(job: JobCall, message: Message) -> AsyncGenerator[TurnEvents, None]:
    """Yields events that are written when the block ends, however it does unless the server stops."""
    events = TurnEvents(job.host, message)
    try:
        try:
            yield events
        except (Problem, AuthorityEnded):
            with suppress(Problem, StaleTurn):  # what went wrong first is what counts
                await events.finish()
            raise
        except asyncio.CancelledError:
            if job.stopping:  # what was said until then is kept
                with suppress(Problem, StaleTurn):
                    await events.finish()
            raise
        await events.finish()
    finally:
        await events.stop()


async def answer(job: JobCall) -> Any:
    """Writes an answer as whoever asked for it, with the rights that they have now."""
    message = await _begin(job)
    if message is None:
        return {"state": "ended"}
    principal: Principal | None = None
    try:
        async with _written(job, message) as events:
            acting, principal = await Acting.begin(job)
            turn = await _turn(job, message, acting, principal, events)
            job.on_stop(turn.used)
            return await turn.run(principal)
    except StaleTurn:
        raise JobFailed("stale_claim", "Another attempt has this answer now, or it has ended.") from None
    except TooManyRequests as refusal:
        raise await _failed(job.host, message, refusal, principal) from None
    except RetryLater as refusal:
        if "Retry-After" not in refusal.headers:  # waiting does not help
            raise await _failed(job.host, message, refusal, principal) from None
        await _put_off(job.host, message, refusal)
        raise
    except Unavailable:
        raise
    except AuthorityEnded as ended:
        raise JobStopped(ended.code, ended.message) from None
    except Problem as problem:
        raise await _failed(job.host, message, problem, principal) from None


async def _failed(host: Host, message: Message, problem: Problem, principal: Principal | None) -> JobFailed:
    """Keeps what the answer is refused for, with who can lift it, and returns the error of its job."""
    reasons = host.find_service(RefusalReasons)
    told = (
        {}
        if reasons is None or problem.status not in (403, 429)
        else reasons.of(problem, principal, "POST", _ASKED_AT)
    )
    fields: dict[str, Any] = {"status": problem.status, **told, **problem.extras}
    if "Retry-After" in problem.headers:
        fields["retry_after"] = int(problem.headers["Retry-After"])
    error = encoded({**fields, "code": problem.code, "message": problem.detail})
    with suppress(Unavailable):  # the code and the words are the job's too
        async with host.data.write(within=message.org_id) as writer:
            await writer.run(sql.note_error, id=message.id, org_id=message.org_id, error=error)
    return JobFailed(problem.code, problem.detail)


async def _turn(
    job: JobCall, message: Message, acting: Acting, principal: Principal, events: TurnEvents
) -> Turn:
    host, now_ms = job.host, job.host.clock.now_ms()
    async with host.data.read() as reader:
        conversation = await conversations.find(reader, principal, message.conversation_id, now_ms, "edit")
        model = await choose_model(host, reader, principal, message.asked.get("model"))
        if (executor := message.asked.get("executor")) is not None:
            if not principal.may("instance:manage"):
                raise PermissionDenied("instance:manage")
            model = MemberModel(name=executor, label=executor, executor=executor)
        rows = await reader.all(
            sql.allowed, conversation_id=conversation.id, user_id=job.user_id, org_id=job.org_id
        )
    offer = await tools.choose(host, principal, message.asked.get("tools", ()), message.asked.get("hint", ""))
    progress = message.progress
    return Turn(
        job=job,
        message=message,
        conversation=conversation,
        acting=acting,
        events=events,
        model=model,
        offer=offer,
        allowed=frozenset(row["tool"] for row in rows),
        rounds=list(progress.get("rounds", ())),
        calls=[dict(call) for call in message.tools],
        usage=TokenUsage(*progress["usage"]) if "usage" in progress else NO_TOKENS,
    )


async def _put_off(host: Host, message: Message, refusal: RetryLater) -> None:
    """Says that the answer waits, and for what."""
    async with host.data.write(within=message.org_id) as writer:
        await writer.run(sql.put_off, id=message.id, org_id=message.org_id)
        status = {"text": "busy", "retry_after": refusal.retry_after_seconds}
        events = [NewEvent(MESSAGE, message.id), NewEvent(STATUS, message.id, status)]
        await add(writer, host, (message.org_id, message.conversation_id), events, host.clock.now_ms())


async def close(host: Host, writer: Writer, job: Job) -> None:
    """Ends the answer of a job that did not end well, with what it had said by then."""
    if job.state == "succeeded":
        return
    row = await writer.one(sql.by_job, job_id=job.id, org_id=job.org_id)
    if row is None or not (message := Message.of(row)).is_under_way:
        return
    said = "".join(
        json.loads(piece["data"])["text"]
        for piece in await writer.all(
            sql.said,
            conversation_id=message.conversation_id,
            org_id=message.org_id,
            ids=json.dumps([message.id]),
        )
    )
    parts = [dict(part) for part in message.parts]
    if said:
        parts.append({"type": "text", "text": said})
    produced = job.result if isinstance(job.result, dict) else {}
    end = Ended(
        "stopped" if job.state == "cancelled" else "failed",
        parts,
        [dict(call) for call in message.tools],
        model=produced.get("model"),
        usage=produced.get("usage"),
        error=None if job.error is None else {"code": job.error.code, "message": job.error.message},
    )
    await end.store(host, writer, message)


JOB = JobKind(
    name=KIND,
    doc="An answer in a conversation.",
    handler=answer,
    # Only a lost runner has it tried again: it goes on from the tools that were called.
    max_attempts=3,
    timeout_seconds=1800,
    public=False,
    feature=conversations.FEATURE,
    stoppable=True,
    ended=close,
)
