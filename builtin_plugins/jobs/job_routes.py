"""The rows of jobs."""

from builtin_plugins.jobs import job_schemas as schemas
from guildhall_sdk import PAGE_QUERY, Route

ROUTES = (
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
        judged=True,
    ),
    Route(
        "GET",
        "/api/jobs/:id",
        "read_job",
        "One job with its result or error; wait= answers when it ends.",
        query=schemas.WAIT,
        reply=schemas.JOB,
    ),
)
