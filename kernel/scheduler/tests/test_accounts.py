"""A job is on its company's account, and what the scheduler does for it is the server's own."""

from guildhall_sdk import JobKind
from kernel.db.scopes import ScopedWriter
from kernel.scope import OWN, current_scope, job_of, request_of, scoped

LOCAL = "x.workshop.local"


def note_writes(monkeypatch, seen):
    """On whose account each statement of a write scope runs, by its name."""
    plainly = ScopedWriter.all

    async def noted(writer, statement, **binds):
        seen.setdefault(statement.name, set()).add(current_scope.get().account)
        return await plainly(writer, statement, **binds)

    monkeypatch.setattr(ScopedWriter, "all", noted)


async def test_a_job_is_its_companys_and_its_claim_and_end_are_the_servers(workshop, monkeypatch):
    seen = {}

    async def work(job):
        seen["work"] = {current_scope.get().account}

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
    with scoped(account=request_of(workshop.globex.org_id)):
        job = await wrench.claimed()
        await wrench.complete(job)
    assert seen["take"] == seen["complete"] == {OWN}
