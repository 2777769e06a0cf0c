"""A job is on its company's account, and what the scheduler does for it is the server's own."""

from guildhall_sdk import JobKind
from kernel.db.scopes import ScopedWriter
from kernel.scope import OWN, current_scope, job_of, request_of, scoped

LOCAL = "x.toy.local"


def note_writes(monkeypatch, seen):
    """On whose account each statement of a write scope runs, by its name."""
    plainly = ScopedWriter.all

    async def noted(writer, statement, **binds):
        seen.setdefault(statement.name, set()).add(current_scope.get().account)
        return await plainly(writer, statement, **binds)

    monkeypatch.setattr(ScopedWriter, "all", noted)


async def test_a_job_is_its_companys_and_its_claim_and_end_are_the_servers(env, monkeypatch):
    seen = {}

    async def work(job):
        seen["work"] = {current_scope.get().account}

    note_writes(monkeypatch, seen)
    process = env.process(JobKind(LOCAL, "Here.", handler=work))
    await process.enqueue(env.acme, LOCAL)
    await process.drain()
    assert seen["work"] == {job_of(env.acme.org_id)}
    assert seen["take"] == seen["complete"] == {OWN}


async def test_a_claim_that_a_request_causes_is_the_servers(env, monkeypatch):
    seen = {}
    note_writes(monkeypatch, seen)
    process = env.process()
    await process.enqueue(env.acme)
    with scoped(account=request_of(env.globex.org_id)):
        job = await process.claimed()
        await process.complete(job)
    assert seen["take"] == seen["complete"] == {OWN}
