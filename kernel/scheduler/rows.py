"""Jobs as rows, and rows as jobs."""

import json
from typing import Any

from guildhall_sdk import Job, JobError, JobKind, NewJob, Row, new_id
from kernel.scheduler.depth import chain_depth

LOCAL_POOL, PUSH_POOL = "local", "push"
# Added to the priority of a job that another one waits for: it goes before all that nobody waits for.
AWAITED = 1000
# What is stored has nothing around it that `json.loads` would have to look for.
_decode = json.JSONDecoder().raw_decode


def pool_of(new: NewJob, kind: JobKind) -> str:
    """Returns who may take a job: this server, for itself or an endpoint, one worker, or any that can."""
    if not kind.remote:
        return LOCAL_POOL
    if new.bound_to is None:
        return new.kind
    return PUSH_POOL if new.bound_to.pushed else bound_pool(new.kind, new.bound_to.id)


def bound_pool(kind: str, worker_id: str) -> str:
    return f"{kind}@{worker_id}"


def row_of(new: NewJob, kind: JobKind, now_ms: int) -> dict[str, Any]:
    later = new.run_at is not None and new.run_at > now_ms
    return {
        "id": new_id("job", now_ms),
        "org_id": new.org_id,
        "team_id": new.team_id,
        "user_id": new.user_id,
        "kind": new.kind,
        "pool": pool_of(new, kind),
        "bound_to": None if new.bound_to is None else new.bound_to.id,
        "worker": new.worker if new.bound_to is None else new.bound_to.name,
        "requirement": new.requirement or None,
        "state": "scheduled" if later else "queued",
        "priority": new.priority if new.within is None else new.priority + AWAITED,
        "run_at": new.run_at if later else now_ms,
        "max_attempts": new.max_attempts or kind.max_attempts,
        "unique_key": new.unique_key,
        "asked_with": new.asked_with,
        "scope": None if new.scope is None else json.dumps(sorted(new.scope)),
        "within": new.within,
        "depth": chain_depth.get(),
        "payload": json.dumps(new.payload),
        "created_at": now_ms,
    }


def job_of(row: Row) -> Job:
    return Job(
        id=row["id"],
        kind=row["kind"],
        state="queued" if row["state"] == "scheduled" else row["state"],
        payload=_decode(row["payload"])[0],
        result=None if row["result"] is None else _decode(row["result"])[0],
        error=None if row["error_code"] is None else JobError(row["error_code"], row["error_message"]),
        attempt=row["attempt"],
        max_attempts=row["max_attempts"],
        progress=row["progress"],
        worker=row["worker"],
        org_id=row["org_id"],
        team_id=row["team_id"],
        user_id=row["user_id"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        asked_with=row["asked_with"],
        scope=scope_of(row),
        within=row["within"],
        run_at=row.get("run_at"),
    )


def new_job_of(row: Row, new: NewJob) -> Job:
    """Returns the job that a row of `row_of` became."""
    return Job(
        id=row["id"],
        kind=new.kind,
        state="queued",
        payload=new.payload,
        result=None,
        error=None,
        attempt=0,
        max_attempts=row["max_attempts"],
        progress=None,
        worker=row["worker"],
        org_id=new.org_id,
        team_id=new.team_id,
        user_id=new.user_id,
        created_at=row["created_at"],
        started_at=None,
        finished_at=None,
        asked_with=new.asked_with,
        scope=new.scope,
        within=new.within,
    )


def scope_of(row: Row) -> frozenset[str] | None:
    return None if row["scope"] is None else frozenset(json.loads(row["scope"]))
