"""A job is on its company's account, and what the scheduler does for it is the server's own."""

from guildhall_sdk import JobKind
from kernel.db.accounts import OWN, current_account, job_of, request_of
from kernel.db.scopes import ScopedWriter

LOCAL = "x.workshop.local"


def note_writes(monkeypatch, seen):
    """On whose account each statement of a write scope runs, by its name."""
    plainly = ScopedWriter.all

    async def noted(writer, statement, **binds):
        seen.setdefault(statement.name, set()).add(current_account.get())
        return await plainly(writer, statement, **binds)

    monkeypatch.setattr(ScopedWriter, "all", noted)


async def test_a_job_is_its_companys_and_its_claim_and_end_are_the_servers(workshop, monkeypatch):
    seen = {}

    async def work(job):
        seen["work"] = {current_account.get()}

    note_writes(monkeypatch, seen)
    wrench = workshop.wrench(JobKind(LOCAL, "Here.", handler=work))
    await wrench.enqueue(workshop.acme, LOCAL)
    await wrench.scheduler.drain()
    assert seen["work"] == {job_of(workshop.acme.org_id)}
    assert seen["take"] == seen["complete"] == {OWN}


async def test_a_claim_that_a_request_causes_is_the_servers(workshop, monkeypatch):
    seen = {}
    note_writes(monkeypatch, seen)
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    before = current_account.set(request_of(workshop.globex.org_id))
    try:
        job = await wrench.claimed()
        await wrench.complete(job)
    finally:
        current_account.reset(before)
    assert seen["take"] == seen["complete"] == {OWN}
