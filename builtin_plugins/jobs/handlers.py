"""Jobs and pull workers over HTTP."""

import asyncio
import re
from functools import partial
from typing import Any

from builtin_plugins.jobs.events import END_ID, JobFollowers, JobStream, last_number
from guildhall_sdk import (
    Call,
    Conflict,
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
    UserError,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
)
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.ids import rfc3339_or_none, time_in
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.replies import accepted, event_stream
from guildhall_sdk.services.jobs import Jobs, Lease, Worker, Workers
from guildhall_sdk.services.server import Readiness

_EVENT_NUMBER = re.compile("[0-9]{1,18}")


async def enqueue_job(call: Call) -> Reply:
    jobs, who = call.service(Jobs), call.principal
    kind: str = call.body["kind"]
    if not _is_public(jobs, kind):
        raise UserError("There is no such job kind; GET /api/plugins lists them.", code="unknown_kind")
    _check_open(call, kind)
    new = NewJob(
        kind,
        who.org_id,
        who.team_id,
        who.user_id,
        call.body.get("payload", {}),
        run_at=time_in(call.body, "run_at"),
        priority=call.body.get("priority", 0),
        asked_with=who.credential.id,
    )
    async with call.write() as writer:
        job = await jobs.enqueue(writer, new)
    return accepted(_public(jobs, job, who), f"/api/jobs/{job.id}")


def _check_open(call: Call, kind: str) -> None:
    """Refuses a caller's job of a plugin that is off; what the plugin asks for itself waits."""
    switches = call.service(Features).of(call.principal)
    for plugin_id, known in call.service(Plugins).owned(JobKind):
        if known.name == kind and kind in call.service(Plugins).held("job kind"):
            detail = f"A newer version of the plugin {plugin_id} adds this kind; no operator has approved it."
            raise Forbidden(detail, code="plugin_held", plugin=plugin_id)
        if known.name == kind and (off := switches.switched_off(plugin_id, known.feature)) is not None:
            raise FeatureDisabled(off)


async def list_jobs(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    jobs = call.service(Jobs)
    async with call.read() as reader:
        found = await jobs.page(
            reader,
            call.principal.team_id,
            state=call.query.get("state"),
            kind=call.query.get("kind"),
            before=before,
            limit=fetched,
        )
    listed, next_cursor = cut_page(found, fetched, lambda job: job.id)
    return page([_public(jobs, job, call.principal) for job in listed], next_cursor)


async def read_job(call: Call) -> Reply:
    jobs, team_id, job_id = call.service(Jobs), call.principal.team_id, call.params["id"]
    wait = call.query.get("wait", 0)
    job = await _while_wanted(call, jobs.wait_for_end(team_id, job_id, wait)) if wait else None
    if job is None:
        async with call.read() as reader:
            job = await jobs.get(reader, team_id, job_id)
    if job is None:
        raise NotFound
    return Reply(_public(jobs, job, call.principal))


async def follow_job(call: Call) -> Reply:
    """Streams a job; whoever has seen the last event gets 204, after which a browser does not come back."""
    who, seen, jobs = call.principal, _last_event_id(call), call.service(Jobs)
    async with call.read() as reader:
        job = await jobs.get(reader, who.team_id, call.params["id"])
        if job is None or not _is_own(job, who):
            raise NotFound
        last = await last_number(reader, job) if job.ended else 0
    if job.ended and (seen == END_ID or (last and int(seen) >= last)):
        return no_content()
    after = 0 if seen == END_ID else int(seen)
    stream = JobStream(call.host, job, after, partial(_public, jobs, who=who))
    call.service(JobFollowers).admit(stream, credential=who.credential.id, company=who.org_id)
    return event_stream(stream.events())


def _last_event_id(call: Call) -> str:
    """Returns what a follower who comes back has seen last; "0" where that is nothing."""
    seen = call.headers.get("last-event-id", "").strip() or "0"
    if seen != END_ID and not _EVENT_NUMBER.fullmatch(seen):
        raise InvalidRequest(
            "Last-Event-ID is not the id of an event of this job; leave it out to begin anew."
        )
    return seen


async def cancel_job(call: Call) -> Reply:
    jobs, who = call.service(Jobs), call.principal
    async with call.write() as writer:
        job = await _job_to_end(call, writer)
        if job.ended:
            raise _not_queued(f"The job has {job.state} already.")
        job = await jobs.cancel(writer, who.team_id, job.id) or job
    if job.state == "running":
        raise _not_queued("The job is running and will finish; it will not be tried again.")
    if job.state != "cancelled":
        raise _not_queued(f"The job has {job.state} already.")
    return Reply(_public(jobs, job, who))


async def stop_job(call: Call) -> Reply:
    jobs, who = call.service(Jobs), call.principal
    async with call.write() as writer:
        job = await _job_to_end(call, writer)
        job = await jobs.stop_running(writer, who.team_id, job.id) or job
    return accepted(_public(jobs, job, who), f"/api/jobs/{job.id}")


async def _job_to_end(call: Call, reader: Reader) -> Job:
    """Returns the job that a caller wants to end. Raises `NotFound`, or `Forbidden` for another's."""
    who = call.principal
    job = await call.service(Jobs).get(reader, who.team_id, call.params["id"])
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


async def _while_wanted(call: Call, work: Any) -> Any:
    """Waits for a result; None when the caller leaves or the server is about to."""
    doing = asyncio.ensure_future(work)
    others = [
        asyncio.ensure_future(call.hung_up()),
        asyncio.ensure_future(call.service(Readiness).until_stopping()),
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
    described = {known.name: known.doc for known in jobs.kinds()}
    told = {"description": described.get(job.kind, ""), "run_at": rfc3339_or_none(job.run_at)}
    public = {**job.public(with_content=own), **told}
    if job.error is not None and not own and not _is_public(jobs, job.kind):
        public["error"]["message"] = None
    return public


def _is_public(jobs: Jobs, kind: str) -> bool:
    return any(known.name == kind and known.public for known in jobs.kinds())


def _is_own(job: Job, who: Principal) -> bool:
    own = who.credential.scope is None or job.asked_with == who.credential.id
    return own and job.user_id == who.user_id


async def claim_job(call: Call) -> Reply:
    job = await call.service(Workers).claim(
        _worker(call.principal),
        call.body["kinds"],
        call.body.get("models"),
        call.body.get("max_wait", 0),
        call.hung_up(),
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


async def heartbeat(call: Call) -> Reply:
    lease = await call.service(Workers).heartbeat(
        _worker(call.principal), call.params["id"], call.body.get("claim_token"), call.body.get("progress")
    )
    return Reply({"lease": _lease(lease)})


async def complete_job(call: Call) -> Reply:
    await call.service(Workers).complete(
        _worker(call.principal), call.params["id"], call.body.get("claim_token"), call.body["result"]
    )
    return Reply({"id": call.params["id"]})


async def fail_job(call: Call) -> Reply:
    error = call.body["error"]
    code, message = ("failed", error) if isinstance(error, str) else (error["code"], error["message"])
    await call.service(Workers).fail(
        _worker(call.principal),
        call.params["id"],
        call.body.get("claim_token"),
        code,
        message,
        retry=call.body.get("retry", False),
        retry_after=call.body.get("retry_after"),
    )
    return Reply({"id": call.params["id"]})


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
