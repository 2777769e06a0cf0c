"""Pull workers over HTTP."""

from typing import Any

from guildhall_sdk import Principal, Reply, RequestContext, no_content, rfc3339
from guildhall_sdk.services import Lease, Worker, Workers


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
    """An executor's token claims for its company, or for all; a person for their own team."""
    if who.credential.kind == "worker":
        return Worker(who.user_id, who.username, org_id=who.org_id or None)
    return Worker(who.user_id, who.username, team_id=who.team_id)


def _lease(lease: Lease) -> dict[str, Any]:
    return {"seconds": lease.seconds, "expires_at": rfc3339(lease.expires_at)}


HANDLERS = {handler.__name__: handler for handler in (claim_job, heartbeat, complete_job, fail_job)}
