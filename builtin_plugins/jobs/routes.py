"""The rows of jobs and of pull workers."""

from builtin_plugins.jobs import schemas
from guildhall_sdk import PAGE_QUERY, Route
from guildhall_sdk.events import EVENT_STREAM

ROUTES = (
    # While a company is suspended its jobs are not offered to workers, and held ones may end.
    Route(
        "POST",
        "/api/workers/claim",
        "claim_job",
        "The next job of these kinds under a lease, or 204; max_wait waits for one.",
        permission="jobs:execute",
        body=schemas.CLAIM,
        reply=schemas.CLAIMED,
        also_statuses=(204,),
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/workers/jobs/:id/heartbeat",
        "heartbeat",
        "Extend the lease of a held job, and say how far it is.",
        permission="jobs:execute",
        body=schemas.HEARTBEAT,
        reply=schemas.LEASE,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/workers/jobs/:id/complete",
        "complete_job",
        "End a held job with its result.",
        permission="jobs:execute",
        body=schemas.COMPLETE,
        reply=schemas.ENDED,
        while_suspended=True,
        max_body=schemas.MAX_RESULT,
    ),
    Route(
        "POST",
        "/api/workers/jobs/:id/fail",
        "fail_job",
        "End a held job without a result; retry gives it to another attempt while some remain.",
        permission="jobs:execute",
        body=schemas.FAIL,
        reply=schemas.ENDED,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/jobs",
        "enqueue_job",
        "Queue a job of a registered kind.",
        permission="chat:use",
        body=schemas.ENQUEUE,
        reply=schemas.JOB,
        status=202,
    ),
    Route(
        "GET",
        "/api/jobs",
        "list_jobs",
        "The team's jobs, newest first; what goes in and comes out is shown to a job's own user.",
        query={**PAGE_QUERY, **schemas.FILTERS},
        reply=schemas.JOBS,
    ),
    Route(
        "POST",
        "/api/jobs/:id/cancel",
        "cancel_job",
        "Cancel a queued job; a running one finishes, and is not tried again.",
        reply=schemas.JOB,
        resource_decides=True,
    ),
    Route(
        "GET",
        "/api/jobs/:id",
        "read_job",
        "One job with its result or error; wait= answers when it ends.",
        query=schemas.WAIT,
        reply=schemas.JOB,
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
