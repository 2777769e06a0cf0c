"""The rows of jobs and of pull workers, who may call them, what they take and answer, and sample jobs."""

from typing import get_args

from guildhall_sdk import PAGE_QUERY, Factory, Permission, Route, SampleClient
from guildhall_sdk.jobs import HIGHEST_PRIORITY, LOWEST_PRIORITY, JobState
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    number,
    obj,
    shape,
    string,
    time,
)

# `chat:use` stands here, and not with what talks to models: jobs ask for it too, and are always there.
PERMISSIONS = (
    Permission(
        name="chat:use", description="Use AI features and enqueue jobs", roles=["member", "localizer"]
    ),
    Permission(name="jobs:execute", description="Claim and run jobs as a worker", roles=["worker"]),
)

LONGEST_WAIT = 30

_kind = string(min_length=1, max_length=200, description="A registered kind; GET /api/plugins lists them")
_state = enum(*get_args(JobState))

ENQUEUE = obj(
    {
        "kind": _kind,
        "payload": anything(description="What the kind works on"),
        "run_at": time(description="Not before this time"),
        "priority": integer(
            LOWEST_PRIORITY, HIGHEST_PRIORITY, description="Of the team's waiting jobs, higher goes first"
        ),
    },
    required=["kind"],
    example={"kind": "x.example-tools.word-count", "payload": {"text": "one two three"}},
)
WAIT = {
    "wait": number(minimum=0, maximum=LONGEST_WAIT, description="Seconds to wait for the job to end"),
}
FILTERS = {"state": _state, "kind": _kind}

JOB = shape(
    {
        "id": string(),
        "kind": string(),
        "description": string(description="What jobs of this kind do"),
        "state": _state,
        "payload": anything(),
        "result": anything(),
        "error": nullable(shape({"code": string(), "message": nullable(string())})),
        "attempt": integer(0),
        "max_attempts": integer(1),
        "progress": nullable(number(minimum=0, maximum=1)),
        "executor": nullable(string()),
        "team_id": string(),
        "user_id": string(),
        "created_at": time(),
        "run_at": nullable(time(description="Not before this time")),
        "started_at": nullable(time()),
        "finished_at": nullable(time()),
    }
)
JOBS = listing(JOB)

# Room for the longest reply of a model and some.
MAX_RESULT = 8 * 1024 * 1024

_names = array(string(min_length=1, max_length=200), maxItems=200)
# Left out, it is stale like any other that is not the current one.
_claim_token = nullable(string(max_length=200))
_code = string(min_length=1, max_length=100)
_message = string(max_length=20_000)

CLAIM = obj(
    {
        "kinds": {**_names, "minItems": 1},
        "models": nullable(_names),
        "max_wait": number(minimum=0, maximum=LONGEST_WAIT, description="Seconds to wait for a job"),
    },
    required=["kinds"],
    example={"kinds": ["x.integrator-demo.lane-report"], "max_wait": 0},
)
HEARTBEAT = obj(
    {"claim_token": _claim_token, "progress": number(minimum=0, maximum=1)},
    example={"claim_token": "1.0123456789abcdef01234567", "progress": 0.5},
)
COMPLETE = obj(
    {"claim_token": _claim_token, "result": anything()},
    required=["result"],
    example={"claim_token": "1.0123456789abcdef01234567", "result": {"lane": "hamburg-shanghai", "days": 32}},
)
FAIL = obj(
    {
        "claim_token": _claim_token,
        "error": {
            "anyOf": [_message, obj({"code": _code, "message": _message}, required=["code", "message"])]
        },
        "retry": boolean(description="Try again, while attempts remain"),
        "retry_after": integer(
            0, 24 * 3600, description="Put it off for so many seconds, and use up no attempt"
        ),
    },
    required=["error"],
    example={"claim_token": "1.0123456789abcdef01234567", "error": "The lane is closed."},
)

_lease = shape({"seconds": integer(1), "expires_at": time()})
LEASE = shape({"lease": _lease})
CLAIMED = shape(
    {
        "id": string(),
        "kind": string(),
        "payload": anything(),
        "attempt": integer(1),
        "team_id": string(),
        "lease": _lease,
        "claim_token": string(),
    }
)
ENDED = shape({"id": string()})

ROUTES = (
    # While a company is suspended its jobs are not offered to workers, and held ones may end.
    Route(
        "POST",
        "/api/workers/claim",
        "claim_job",
        "The next job of these kinds under a lease, or 204; max_wait waits for one.",
        permission="jobs:execute",
        body=CLAIM,
        reply=CLAIMED,
        also_statuses=(204,),
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/workers/jobs/:id/heartbeat",
        "heartbeat",
        "Extend the lease of a held job, and say how far it is.",
        permission="jobs:execute",
        body=HEARTBEAT,
        reply=LEASE,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/workers/jobs/:id/complete",
        "complete_job",
        "End a held job with its result.",
        permission="jobs:execute",
        body=COMPLETE,
        reply=ENDED,
        while_suspended=True,
        max_body=MAX_RESULT,
    ),
    Route(
        "POST",
        "/api/workers/jobs/:id/fail",
        "fail_job",
        "End a held job without a result; retry gives it to another attempt while some remain.",
        permission="jobs:execute",
        body=FAIL,
        reply=ENDED,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/jobs",
        "enqueue_job",
        "Queue a job of a registered kind.",
        permission="chat:use",
        body=ENQUEUE,
        reply=JOB,
        status=202,
    ),
    Route(
        "GET",
        "/api/jobs",
        "list_jobs",
        "The team's jobs, newest first; what goes in and comes out is shown to a job's own user.",
        query={**PAGE_QUERY, **FILTERS},
        reply=JOBS,
    ),
    Route(
        "POST",
        "/api/jobs/:id/cancel",
        "cancel_job",
        "Cancel a queued job; a running one finishes, and is not tried again.",
        reply=JOB,
        resource_decides=True,
    ),
    Route(
        "POST",
        "/api/jobs/:id/stop",
        "stop_job",
        "Stop a running job whose kind can be stopped; it ends as cancelled, with what it has produced.",
        reply=JOB,
        status=202,
        resource_decides=True,
    ),
    Route(
        "GET",
        "/api/jobs/:id",
        "read_job",
        "One job with its result or error; wait= answers when it ends.",
        query=WAIT,
        reply=JOB,
    ),
    Route(
        "GET",
        "/api/jobs/:id/events",
        "follow_job",
        "One's own job as server-sent events, from Last-Event-ID on, until it ends; 204 behind the last.",
        content_type=EVENT_STREAM,
        also_statuses=(204,),
    ),
)

_FAR_OFF = "2100-01-01T00:00:00Z"


async def make_job(client: SampleClient, canary: str) -> str:
    return await _queue(client, "x.example-tools.word-count", {"text": canary})


async def make_remote_job(client: SampleClient, canary: str) -> str:
    return await _queue(client, "x.integrator-demo.lane-report", {"lane": canary})


async def _queue(client: SampleClient, kind: str, payload: dict[str, str]) -> str:
    body = {"kind": kind, "payload": payload, "run_at": _FAR_OFF}
    _, answer = await client.call("POST", "/api/jobs", body)
    return str(answer["id"])


FACTORIES = (Factory("/api/jobs/:id", make_job), Factory("/api/workers/jobs/:id", make_remote_job))
