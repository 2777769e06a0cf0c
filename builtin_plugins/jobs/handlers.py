"""Jobs and pull workers over HTTP."""

import asyncio
import re
from functools import partial
from typing import Any

from builtin_plugins.jobs.events import END_ID, JobFollowers, JobStream, last_number
from guildhall_sdk import (
    Conflict,
    FeatureDisabled,
    Forbidden,
    InvalidRequest,
    Job,
    JobKind,
    NewJob,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Reply,
    RequestContext,
    UserError,
    accepted,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
    time_in,
)
from guildhall_sdk.events import event_stream
from guildhall_sdk.services import Features, Jobs, Lease, Plugins, Readiness, Worker, Workers

_EVENT_NUMBER = re.compile("[0-9]{1,18}")


async def enqueue_job(ctx: RequestContext) -> Reply:
    jobs, who = ctx.service(Jobs), ctx.principal
    kind: str = ctx.body["kind"]
    if not _is_public(jobs, kind):
        raise UserError("There is no such job kind; GET /api/plugins lists them.", code="unknown_kind")
    _check_open(ctx, kind)
    new = NewJob(
        kind,
        who.org_id,
        who.team_id,
        who.user_id,
        ctx.body.get("payload", {}),
        run_at=time_in(ctx.body, "run_at"),
        priority=ctx.body.get("priority", 0),
        asked_with=who.credential.id,
    )
    async with ctx.write() as writer:
        job = await jobs.enqueue(writer, new)
    return accepted(_public(jobs, job, who), f"/api/jobs/{job.id}")


def _check_open(ctx: RequestContext, kind: str) -> None:
    """Refuses a caller's job of a plugin that is off; what the plugin asks for itself waits."""
    switches = ctx.service(Features).of(ctx.principal)
    for plugin_id, known in ctx.service(Plugins).owned(JobKind):
        if known.name == kind and (off := switches.switched_off(plugin_id, known.feature)) is not None:
            raise FeatureDisabled(off)


async def list_jobs(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    jobs = ctx.service(Jobs)
    async with ctx.read() as reader:
        found = await jobs.page(
            reader,
            ctx.principal.team_id,
            state=ctx.query.get("state"),
            kind=ctx.query.get("kind"),
            before=before,
            limit=fetched,
        )
    listed, next_cursor = cut_page(found, fetched, lambda job: job.id)
    return page([_public(jobs, job, ctx.principal) for job in listed], next_cursor)


async def read_job(ctx: RequestContext) -> Reply:
    jobs, team_id, job_id = ctx.service(Jobs), ctx.principal.team_id, ctx.params["id"]
    wait = ctx.query.get("wait", 0)
    job = await _while_wanted(ctx, jobs.wait_for_end(team_id, job_id, wait)) if wait else None
    if job is None:
        async with ctx.read() as reader:
            job = await jobs.get(reader, team_id, job_id)
    if job is None:
        raise NotFound
    return Reply(_public(jobs, job, ctx.principal))


async def follow_job(ctx: RequestContext) -> Reply:
    """Streams a job; whoever has seen the last event gets 204, after which a browser does not come back."""
    who, seen, jobs = ctx.principal, _last_event_id(ctx), ctx.service(Jobs)
    async with ctx.read() as reader:
        job = await jobs.get(reader, who.team_id, ctx.params["id"])
        if job is None or not _is_own(job, who):
            raise NotFound
        last = await last_number(reader, job) if job.ended else 0
    if job.ended and (seen == END_ID or (last and int(seen) >= last)):
        return no_content()
    after = 0 if seen == END_ID else int(seen)
    stream = JobStream(ctx.host, job, after, partial(_public, jobs, who=who))
    ctx.service(JobFollowers).admit(stream, who)
    return event_stream(stream.events())


def _last_event_id(ctx: RequestContext) -> str:
    """Returns what a follower who comes back has seen last; "0" where that is nothing."""
    seen = ctx.headers.get("last-event-id", "").strip() or "0"
    if seen != END_ID and not _EVENT_NUMBER.fullmatch(seen):
        raise InvalidRequest(
            "Last-Event-ID is not the id of an event of this job; leave it out to begin anew."
        )
    return seen


async def cancel_job(ctx: RequestContext) -> Reply:
    jobs, who = ctx.service(Jobs), ctx.principal
    async with ctx.write() as writer:
        job = await _job_to_end(ctx, writer)
        if job.ended:
            raise _not_queued(f"The job has {job.state} already.")
        job = await jobs.cancel(writer, who.team_id, job.id) or job
    if job.state == "running":
        raise _not_queued("The job is running and will finish; it will not be tried again.")
    if job.state != "cancelled":
        raise _not_queued(f"The job has {job.state} already.")
    return Reply(_public(jobs, job, who))


async def stop_job(ctx: RequestContext) -> Reply:
    jobs, who = ctx.service(Jobs), ctx.principal
    async with ctx.write() as writer:
        job = await _job_to_end(ctx, writer)
        job = await jobs.stop_running(writer, who.team_id, job.id) or job
    return accepted(_public(jobs, job, who), f"/api/jobs/{job.id}")


async def _job_to_end(ctx: RequestContext, reader: Reader) -> Job:
    """Returns the job that a caller wants to end. Raises `NotFound`, or `Forbidden` for another's."""
    who = ctx.principal
    job = await ctx.service(Jobs).get(reader, who.team_id, ctx.params["id"])
    if job is None:
        raise NotFound
    if who.credential.scope is not None and job.asked_with != who.credential.id:
        raise Forbidden(
            "A credential with a scope cancels only what it asked for; use a session.",
            code=PermissionDenied.code,
        )
    if job.user_id != who.user_id and not who.may("settings:manage"):
        raise PermissionDenied("settings:manage", "This is somebody else's job; it needs settings:manage.")
    return job


def _not_queued(detail: str) -> Conflict:
    return Conflict(detail, code="not_queued")


async def _while_wanted(ctx: RequestContext, work: Any) -> Any:
    """Waits for a result; None when the caller leaves or the server is about to."""
    doing = asyncio.ensure_future(work)
    others = [
        asyncio.ensure_future(ctx.hung_up()),
        asyncio.ensure_future(ctx.service(Readiness).until_stopping()),
    ]
    try:
        await asyncio.wait({doing, *others}, return_when=asyncio.FIRST_COMPLETED)
        return await doing if doing.done() else None
    finally:
        for task in (doing, *others):
            task.cancel()


def _public(jobs: Jobs, job: Job, who: Principal) -> dict[str, Any]:
    """Returns the job; payload and result are for its own user, with a scope for the credential that asked.

    So is what went wrong with a job that nobody asks for by its kind: it may name what the job worked on.
    """
    own = _is_own(job, who)
    public = job.public(with_content=own)
    if job.error is not None and not own and not _is_public(jobs, job.kind):
        public["error"]["message"] = None
    return public


def _is_public(jobs: Jobs, kind: str) -> bool:
    return any(known.name == kind and known.public for known in jobs.kinds())


def _is_own(job: Job, who: Principal) -> bool:
    own = who.credential.scope is None or job.asked_with == who.credential.id
    return own and job.user_id == who.user_id


async def claim_job(ctx: RequestContext) -> Reply:
    job = await ctx.service(Workers).claim(
        _worker(ctx.principal),
        ctx.body["kinds"],
        ctx.body.get("models"),
        ctx.body.get("max_wait", 0),
        ctx.hung_up(),
    )
    if job is None:
        return no_content()
    return Reply(
        {
            "id": job.id,
            "kind": job.kind,
            "payload": job.payload,
            "attempt": job.attempt,
            "team_id": job.team_id,
            "lease": _lease(job.lease),
            "claim_token": job.claim_token,
        }
    )


async def heartbeat(ctx: RequestContext) -> Reply:
    lease = await ctx.service(Workers).heartbeat(
        _worker(ctx.principal), ctx.params["id"], ctx.body.get("claim_token"), ctx.body.get("progress")
    )
    return Reply({"lease": _lease(lease)})


async def complete_job(ctx: RequestContext) -> Reply:
    await ctx.service(Workers).complete(
        _worker(ctx.principal), ctx.params["id"], ctx.body.get("claim_token"), ctx.body["result"]
    )
    return Reply({"id": ctx.params["id"]})


async def fail_job(ctx: RequestContext) -> Reply:
    error = ctx.body["error"]
    code, message = ("failed", error) if isinstance(error, str) else (error["code"], error["message"])
    await ctx.service(Workers).fail(
        _worker(ctx.principal),
        ctx.params["id"],
        ctx.body.get("claim_token"),
        code,
        message,
        retry=ctx.body.get("retry", False),
        retry_after=ctx.body.get("retry_after"),
    )
    return Reply({"id": ctx.params["id"]})


def _worker(who: Principal) -> Worker:
    """Returns for whom is claimed: by an executor's token its company or all, by a person their own team."""
    if who.credential.kind == "worker":
        return Worker(who.user_id, who.username, org_id=who.org_id or None)
    return Worker(who.user_id, who.username, team_id=who.team_id)


def _lease(lease: Lease) -> dict[str, Any]:
    return {"seconds": lease.seconds, "expires_at": rfc3339(lease.expires_at)}


HANDLERS = {
    handler.__name__: handler
    for handler in (
        enqueue_job,
        list_jobs,
        read_job,
        follow_job,
        cancel_job,
        stop_job,
        claim_job,
        heartbeat,
        complete_job,
        fail_job,
    )
}
