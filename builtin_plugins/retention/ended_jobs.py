"""How long jobs that have ended are kept."""

from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.jobs import JobRetention

KEEP_JOBS_DAYS = days_setting(
    "keep_jobs_days", what="jobs that have ended", default=30, variable="SERVICE_KEEP_JOBS_DAYS"
)


def ended_jobs(retention: JobRetention) -> Retained:
    return Retained(
        name="jobs",
        title="jobs that have ended",
        keep_days=KEEP_JOBS_DAYS,
        count=retention.count,
        throw_away=retention.throw_away,
        seek=retention.seek,
    )
