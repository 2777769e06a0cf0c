"""Registered workers: whom their token stands for, when they called, and their retirement."""

import asyncio
import contextvars
import hashlib

import pytest

from guildhall_sdk.services.jobs import Worker
from guildhall_testing.accounts import principal_for

GPU = Worker("exe_gpu", "the gpu")


async def register(process, worker=GPU, **more):
    async with process.data.write() as writer:
        issued = await process.scheduler.workers.register(writer, worker, **more)
    return issued.token


async def who(env, token, roles):
    async with env.data.read() as reader:
        return await principal_for(reader, token, env.clock.now_ms(), roles)


async def last_calls(process, *workers):
    async with process.data.read() as reader:
        return await process.scheduler.workers.last_calls(reader, [worker.id for worker in workers])


async def test_a_worker_token_stands_for_its_worker_in_no_team(env, roles):
    token = await register(env.process())
    assert token.startswith("ghw_")
    found = await who(env, token, roles)
    assert (found.user_id, found.username, found.display_name) == ("exe_gpu", "the gpu", "the gpu")
    assert (found.team_id, found.org_id, found.org_role, found.operator) == ("", "", None, False)
    assert found.permissions == {"jobs:execute"}
    assert (found.credential.kind, found.credential.scope) == ("worker", {"jobs:execute"})
    assert not found.scope_allows("notes:read")
    env.clock.advance(days=3650)
    assert await who(env, token, roles) is not None, "it has no end of its own"
    assert await who(env, "ghw_" + "A" * 43, roles) is None


async def test_one_of_a_company_belongs_to_it_and_to_its_suspension(env, roles):
    token = await register(env.process(), GPU._replace(org_id=env.acme.org_id))
    found = await who(env, token, roles)
    assert (found.org_id, found.org_suspended) == (env.acme.org_id, False)
    await env.suspend(env.acme)
    assert (await who(env, token, roles)).org_suspended


async def test_only_a_hash_of_the_token_is_stored(env):
    token = await register(env.process())
    (row,) = await env.rows("SELECT * FROM credentials WHERE kind = 'worker'")
    assert row["secret_hash"] == hashlib.sha256(token.encode()).hexdigest()
    assert (row["user_id"], row["team_id"], row["expires_at"]) == (None, None, None)
    assert token not in str(await env.rows("SELECT * FROM job_workers"))


async def test_a_call_is_noted_every_ten_seconds_at_the_most(env):
    process = env.process()
    await register(process)
    before = env.data.write_scopes
    for _ in range(21):
        await process.scheduler.workers.note_call(GPU)
        env.clock.advance(seconds=1)
    assert env.data.write_scopes - before == 3
    assert await last_calls(process, GPU) == {GPU.id: env.clock.now_ms() - 1000}


async def test_only_calls_of_live_workers_are_noted_and_only_those_asked_for_are_told(env):
    process = env.process()
    own, gone = Worker("exe_own", "own", env.acme.org_id), Worker("exe_gone", "gone")
    person = Worker("usr_somebody", "somebody", team_id=env.acme.id)
    for worker in (own, gone, GPU):
        await register(process, worker)
    await process.retire(gone.id)
    for worker in (own, gone, GPU, Worker("exe_nobody", "nobody")):
        await process.scheduler.workers.note_call(worker)
    before = env.data.write_scopes
    await process.scheduler.workers.note_call(person)
    assert env.data.write_scopes == before
    assert set(await last_calls(process, own, gone, GPU, person)) == {own.id, GPU.id}
    assert set(await last_calls(process, GPU)) == {GPU.id}
    assert await last_calls(process) == {}


async def test_workers_that_were_retired_long_ago_are_forgotten_as_the_next_is_retired(env):
    process = env.process()
    early, late, live = (Worker(f"exe_{name}", name) for name in ("early", "late", "live"))
    for worker in (early, late, live):
        await register(process, worker)
    await process.retire(early.id)
    env.clock.advance(hours=25)
    await process.retire(late.id)
    rows = await env.rows("SELECT id FROM job_workers ORDER BY id")
    assert [row["id"] for row in rows] == [late.id, live.id]


@pytest.mark.hall_databases("postgresql")
async def test_whoever_retires_a_worker_waits_for_nobody_who_retires_another(env):
    process, other = env.process(), env.process()
    early, late, last = (Worker(f"exe_{name}", name) for name in ("early", "late", "last"))
    for worker in (early, late, last):
        await register(process, worker)
    await process.retire(early.id)
    env.clock.advance(hours=25)
    async with asyncio.timeout(60), process.data.write() as writer:
        await process.scheduler.workers.retire(writer, late.id)
        await asyncio.create_task(other.retire(last.id), context=contextvars.Context())
    rows = await env.rows("SELECT id FROM job_workers ORDER BY id")
    assert [row["id"] for row in rows] == [last.id, late.id]


async def test_a_retired_worker_has_no_token_and_claims_nothing(env, roles):
    process = env.process()
    token = await register(process)
    job = await process.enqueue(env.acme)
    await process.claimed(GPU)
    await process.retire(GPU.id)
    assert await who(env, token, roles) is None
    assert await process.claim(GPU) is None
    assert (await process.claimed()).id == job.id, "others have at once what it held"
