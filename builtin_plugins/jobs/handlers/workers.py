"""Pull workers over HTTP."""

from typing import Any

from guildhall_sdk import Call, Principal, Reply, no_content, rfc3339
from guildhall_sdk.services.jobs import Lease, Worker, Workers


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
    """An executor's token claims for its company, or for all; a person for their own team."""
    if who.credential.kind == "worker":
        return Worker(who.user_id, who.username, org_id=who.org_id or None)
    return Worker(who.user_id, who.username, team_id=who.team_id)


def _lease(lease: Lease) -> dict[str, Any]:
    return {"seconds": lease.seconds, "expires_at": rfc3339(lease.expires_at)}


HANDLERS = {handler.__name__: handler for handler in (claim_job, heartbeat, complete_job, fail_job)}
