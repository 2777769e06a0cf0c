"""What an error of a handler or of its effect means for its job."""

from guildhall_sdk import JobFailed, Problem
from guildhall_sdk.errors import RetryLater
from kernel.logs import get_logger
from kernel.scheduler.completion import End

_log = get_logger("jobs")


def end_of_fault(job_id: str, token: str, error: BaseException) -> End:
    """Makes the end of an attempt that raised: a person's mistake is final, anything else is tried again."""
    if isinstance(error, JobFailed):
        return End(job_id, token, "fail", code=error.code, message=error.message, retry=error.retry)
    if isinstance(error, RetryLater):
        wait_ms = 1000 * error.retry_after_seconds
        return End(job_id, token, "put_off", code=error.code, message=error.detail, wait_ms=wait_ms)
    if isinstance(error, Problem):
        heals = error.status >= 500
        return End(job_id, token, "fail", code=error.code, message=error.detail, retry=heals)
    _log.error("job.failed", exc=error, job=job_id)
    message = "Something went wrong; the server's log tells more under the id of this job."
    return End(job_id, token, "fail", code="internal", message=message, retry=True)
