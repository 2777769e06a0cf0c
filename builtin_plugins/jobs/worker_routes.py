"""The rows of pull workers. While a company is suspended its jobs are not offered, and held ones may end."""

from builtin_plugins.jobs import worker_schemas as schemas
from guildhall_sdk import Route

ROUTES = (
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
        max_body=schemas.MOST_RESULT,
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
)
