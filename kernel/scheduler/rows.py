"""Jobs as rows, and rows as jobs."""

import json
from typing import Any

from guildhall_sdk import Job, JobKind, NewJob, Row, new_id
from guildhall_sdk.jobs import JobError, running_job
from kernel.job_limits.queue_limit import encode_payload
from libs.fair_slots import RESULTS
from libs.strict_json import capacity_after, encode_steps

LOCAL_POOL, PUSH_POOL = "local", "push"
ENDED = ("succeeded", "failed", "cancelled")
# Added to the priority of a job that another one waits for: it goes before all that nobody waits for.
AWAITED = 1000
# Roughly characters: what is within takes well under a millisecond to write, to read or to check.
LONG = 32 * 1024
# What is called the same in a row and in a job, and in a row and in what is asked for.
_OF_JOB = (
    *("id", "kind", "attempt", "max_attempts", "progress", "worker", "org_id", "team_id", "user_id"),
    *("created_at", "started_at", "finished_at", "asked_with", "within"),
)
_ASKED = ("org_id", "team_id", "user_id", "kind", "unique_key", "asked_with", "within")
# What is stored has nothing around it that `json.loads` would have to look for.
_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(allow_nan=False).encode


def pool_of(new: NewJob, kind: JobKind) -> str:
    """Returns who may take a job: this server, for itself or an endpoint, one worker, or any that can."""
    if kind.handler is not None:
        return LOCAL_POOL
    if new.bound_to is None:
        return new.kind
    return PUSH_POOL if new.bound_to.pushed else bound_pool(new.kind, new.bound_to.id)


def bound_pool(kind: str, worker_id: str) -> str:
    return f"{kind}@{worker_id}"


def row_of(new: NewJob, kind: JobKind, now_ms: int) -> dict[str, Any]:
    later = new.run_at is not None and new.run_at > now_ms
    return {
        **{name: getattr(new, name) for name in _ASKED},
        "id": new_id("job", now_ms),
        "pool": pool_of(new, kind),
        "bound_to": None if new.bound_to is None else new.bound_to.id,
        "worker": new.worker if new.bound_to is None else new.bound_to.name,
        "requirement": new.requirement or None,
        "state": "scheduled" if later else "queued",
        "priority": new.priority if new.within is None else new.priority + AWAITED,
        "run_at": new.run_at if later else now_ms,
        "max_attempts": new.max_attempts or kind.max_attempts,
        "scope": None if new.scope is None else json.dumps(sorted(new.scope)),
        "depth": running_job.get().depth,
        "payload": encode_payload(new.payload),
        "created_at": now_ms,
    }


def job_of(row: Row) -> Job:
    return Job(
        **{name: row[name] for name in _OF_JOB},
        state="queued" if row["state"] == "scheduled" else row["state"],
        payload=_decode(row["payload"])[0],
        result=None if row["result"] is None else _decode(row["result"])[0],
        error=None if row["error_code"] is None else JobError(row["error_code"], row["error_message"]),
        scope=scope_of(row),
        run_at=row.get("run_at"),
    )


def new_job_of(row: Row, new: NewJob) -> Job:
    """Returns the job that a row of `row_of` became."""
    same: dict[str, Any] = {name: row.get(name) for name in _OF_JOB} | {"attempt": 0}
    return Job(**same, state="queued", payload=new.payload, result=None, error=None, scope=new.scope)


def scope_of(row: Row) -> frozenset[str] | None:
    return None if row["scope"] is None else frozenset(json.loads(row["scope"]))


async def written(value: Any) -> str:
    """Encodes a value, on a thread where it is long; raises `ValueError` for what is no JSON."""
    if value is None:  # as most jobs return
        return "null"
    if capacity_after(value, LONG) > 0:
        return _encode(value)
    return await RESULTS.run_steps(f"{id(value):x}", encode_steps(value, _encode))
