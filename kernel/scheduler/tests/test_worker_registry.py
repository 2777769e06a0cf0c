"""Registered workers: whom their token stands for, when they called, and their retirement."""

import asyncio
import contextvars
import hashlib

import pytest

from guildhall_sdk.services.jobs import Worker
from kernel.identity.authenticate import principal_for

GPU = Worker("exe_gpu", "the gpu")


async def register(wrench, worker=GPU, **more):
    async with wrench.data.write() as writer:
        issued = await wrench.scheduler.workers.register(writer, worker.id, worker.name, **more)
    return issued.token


async def who(workshop, token, roles):
    async with workshop.data.read() as reader:
        return await principal_for(reader, token, workshop.clock.now_ms(), roles)


async def last_calls(wrench, *workers):
    async with wrench.data.read() as reader:
        return await wrench.scheduler.workers.last_calls(reader, [worker.id for worker in workers])


async def test_a_worker_token_stands_for_its_worker_in_no_team(workshop, roles):
    token = await register(workshop.wrench())
    assert token.startswith("ghw_")
    found = await who(workshop, token, roles)
    assert (found.user_id, found.username, found.display_name) == ("exe_gpu", "the gpu", "the gpu")
    assert (found.team_id, found.org_id, found.org_role, found.operator) == ("", "", None, False)
    assert found.permissions == {"jobs:execute"}
    assert (found.credential.kind, found.credential.scope) == ("worker", {"jobs:execute"})
    assert not found.scope_allows("notes:read")
    workshop.clock.advance(days=3650)
    assert await who(workshop, token, roles) is not None, "it has no end of its own"
    assert await who(workshop, "ghw_" + "A" * 43, roles) is None


async def test_one_of_a_company_belongs_to_it_and_to_its_suspension(workshop, roles):
    token = await register(workshop.wrench(), org_id=workshop.acme.org_id)
    found = await who(workshop, token, roles)
    assert (found.org_id, found.org_suspended) == (workshop.acme.org_id, False)
    await workshop.suspend(workshop.acme)
    assert (await who(workshop, token, roles)).org_suspended


async def test_only_a_hash_of_the_token_is_stored(workshop):
    token = await register(workshop.wrench())
    (row,) = await workshop.rows("SELECT * FROM credentials WHERE kind = 'worker'")
    assert row["secret_hash"] == hashlib.sha256(token.encode()).hexdigest()
    assert (row["user_id"], row["team_id"], row["expires_at"]) == (None, None, None)
    assert token not in str(await workshop.rows("SELECT * FROM job_workers"))


async def test_a_call_is_noted_every_ten_seconds_at_the_most(workshop):
    wrench = workshop.wrench()
    await register(wrench)
    before = workshop.data.write_scopes
    for _ in range(21):
        await wrench.scheduler.workers.note_call(GPU)
        workshop.clock.advance(seconds=1)
    assert workshop.data.write_scopes - before == 3
    assert await last_calls(wrench, GPU) == {GPU.id: workshop.clock.now_ms() - 1000}


async def test_only_calls_of_live_workers_are_noted_and_only_those_asked_for_are_told(workshop):
    wrench = workshop.wrench()
    own, gone = Worker("exe_own", "own", workshop.acme.org_id), Worker("exe_gone", "gone")
    person = Worker("usr_somebody", "somebody", team_id=workshop.acme.id)
    for worker in (own, gone, GPU):
        await register(wrench, worker, org_id=worker.org_id)
    await wrench.retire(gone.id)
    for worker in (own, gone, GPU, Worker("exe_nobody", "nobody")):
        await wrench.scheduler.workers.note_call(worker)
    before = workshop.data.write_scopes
    await wrench.scheduler.workers.note_call(person)
    assert workshop.data.write_scopes == before
    assert set(await last_calls(wrench, own, gone, GPU, person)) == {own.id, GPU.id}
    assert set(await last_calls(wrench, GPU)) == {GPU.id}
    assert await last_calls(wrench) == {}


async def test_workers_that_were_retired_long_ago_are_forgotten_as_the_next_is_retired(workshop):
    wrench = workshop.wrench()
    early, late, live = (Worker(f"exe_{name}", name) for name in ("early", "late", "live"))
    for worker in (early, late, live):
        await register(wrench, worker)
    await wrench.retire(early.id)
    workshop.clock.advance(hours=25)
    await wrench.retire(late.id)
    rows = await workshop.rows("SELECT id FROM job_workers ORDER BY id")
    assert [row["id"] for row in rows] == [late.id, live.id]


@pytest.mark.hall_databases("postgresql")
async def test_whoever_retires_a_worker_waits_for_nobody_who_retires_another(workshop):
    wrench, other = workshop.wrench(), workshop.wrench()
    early, late, last = (Worker(f"exe_{name}", name) for name in ("early", "late", "last"))
    for worker in (early, late, last):
        await register(wrench, worker)
    await wrench.retire(early.id)
    workshop.clock.advance(hours=25)
    async with asyncio.timeout(4), wrench.data.write() as writer:
        await wrench.scheduler.workers.retire(writer, late.id)
        await asyncio.create_task(other.retire(last.id), context=contextvars.Context())
    rows = await workshop.rows("SELECT id FROM job_workers ORDER BY id")
    assert [row["id"] for row in rows] == [last.id, late.id]


async def test_a_retired_worker_has_no_token_and_claims_nothing(workshop, roles):
    wrench = workshop.wrench()
    token = await register(wrench)
    job = await wrench.enqueue(workshop.acme)
    await wrench.claimed(GPU)
    await wrench.retire(GPU.id)
    assert await who(workshop, token, roles) is None
    assert await wrench.claim(GPU) is None
    assert (await wrench.claimed()).id == job.id, "others have at once what it held"
