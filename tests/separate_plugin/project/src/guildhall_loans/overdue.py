"""What is overdue: written into the audit trail of each team, once a day."""

from guildhall_loans.things import sql
from guildhall_sdk import Actor, JobCall, JobKind, Writer
from guildhall_sdk.services.jobs import PeriodicJob


async def note_overdue(job: JobCall) -> int:
    async with job.host.data.read() as reader:
        rows = await reader.all(sql.overdue, team_id=job.team_id, now=job.host.clock.now_ms())

    async def effect(writer: Writer) -> None:
        actor = Actor("loans", org_id=job.org_id, team_id=job.team_id)
        for row in rows:
            writer.audit("thing.overdue", ("thing", row["id"]), actor=actor)

    job.on_success(effect)
    return len(rows)


KIND = JobKind("x.loans.overdue", "Notes what is overdue.", handler=note_overdue, public=False)
DAILY = PeriodicJob(kind=KIND.name, cron="0 6 * * *", timezone="Europe/Amsterdam")
