"""Asking for jobs: with the caller's transaction, one of a kind where told, never lost in a closing lane."""

import asyncio
import contextvars

import pytest

from guildhall_sdk import InvalidRequest, NewJob, UserError
from guildhall_sdk.schema import obj, string
from guildhall_sdk.services.jobs import Worker
from kernel.scheduler.statements import sql
from kernel.scheduler.tests.scheduler_env import REMOTE, remote


def elsewhere(work):
    """A task that is no child of the scope it is started in, as another request would be."""
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


def new(team, kind=REMOTE, **more):
    return NewJob(kind, team.org_id, team.id, team.user_id, **more)


async def test_a_job_vanishes_with_its_callers_transaction(env):
    process = env.process()
    with pytest.raises(ZeroDivisionError):
        async with env.data.write() as writer:
            await process.scheduler.enqueue(writer, new(env.acme))
            raise ZeroDivisionError
    assert await env.value("SELECT COUNT(*) FROM jobs") == 0
    assert await process.claim() is None


async def test_a_job_cannot_be_claimed_before_its_callers_transaction_commits(env):
    process = env.process()
    async with env.data.write() as writer:
        await process.scheduler.enqueue(writer, new(env.acme))
        early = elsewhere(process.claim())
        if env.database == "postgresql":
            assert await early is None
        else:  # there is one writer at a time, and the claim is next
            for _ in range(100):
                await asyncio.sleep(0)
            assert not early.done()
    assert process.scheduler.claimer._wake.is_set()
    assert await early or await process.claimed()


async def test_a_claim_that_is_next_to_an_enqueue_which_is_undone_gets_nothing(env):
    process = env.process()
    with pytest.raises(ZeroDivisionError):
        async with env.data.write() as writer:
            await process.scheduler.enqueue(writer, new(env.acme))
            claim = elsewhere(process.claim())
            await asyncio.sleep(0)
            raise ZeroDivisionError
    assert await claim is None


async def test_an_unknown_kind_a_wrong_priority_and_a_wrong_payload_are_refused(env):
    process = env.process(remote(payload=obj({"lane": string(min_length=1)})))
    for wrong, error in (
        (new(env.acme, "x.toy.none"), UserError),
        (new(env.acme, priority=101, payload={"lane": "a"}), InvalidRequest),
        (new(env.acme, payload={"lane": 7}), InvalidRequest),
        (new(env.acme), InvalidRequest),
    ):
        async with env.data.write() as writer:
            with pytest.raises(error):
                await process.scheduler.enqueue(writer, wrong)
    assert await env.value("SELECT COUNT(*) FROM jobs") == 0
    await process.enqueue(env.acme, payload={"lane": "a"})


async def test_a_payload_comes_back_as_it_was_given(env):
    process = env.process()
    payload = {"text": "naïve 𝄞 \u0000 \\ \" '", "numbers": [1, -0.5, 2**60], "none": None, "in": {"": True}}
    job = await process.enqueue(env.acme, payload=payload)
    claimed = await process.claimed()
    assert claimed.payload == payload
    await process.complete(claimed, payload)
    found = await process.job(env.acme, job.id)
    assert found.payload == found.result == payload


async def test_while_one_with_the_same_key_lives_asking_again_gives_that_one(env):
    process = env.process()
    first = await process.enqueue(env.acme, unique_key="k", payload=1)
    assert (await process.enqueue(env.acme, unique_key="k", payload=2)).id == first.id
    held = await process.claimed()
    running = await process.enqueue(env.acme, unique_key="k")
    assert (running.id, running.state) == (first.id, "running")
    await process.fail(held)
    assert (await process.enqueue(env.acme, unique_key="k")).id == first.id
    await process.cancel(env.acme, first.id)
    second = await process.enqueue(env.acme, unique_key="k")
    assert second.id != first.id
    assert (await process.enqueue(env.globex, unique_key="k")).id != second.id


async def test_the_same_key_twice_in_one_call_is_one_job(env):
    process = env.process()
    jobs = await process.enqueue_many(env.acme, REMOTE, 3, unique_key="k")
    assert len({job.id for job in jobs}) == 1


async def test_many_who_ask_with_one_key_at_once_get_one_living_job(env):
    """While it is claimed and completed in between: never two alive, and nobody is turned away."""
    async with env.more_databases(4) as databases:
        processes = [env.process(data=data) for data in databases]

        async def ask(process):
            return [(await process.enqueue(env.acme, unique_key="k")).id for _ in range(12)]

        async def work(process, asking):
            while not asking.done():
                if job := await process.claim():
                    await process.complete(job)
                alive = await env.value(
                    "SELECT COUNT(*) FROM jobs WHERE state IN ('scheduled', 'queued', 'running')"
                )
                assert alive <= 1

        asking = asyncio.gather(*(ask(process) for process in processes))
        await asyncio.gather(asking, work(env.process(), asking))
        known = {row["id"] for row in await env.rows("SELECT id FROM jobs")}
        assert {job_id for ids in asking.result() for job_id in ids} == known


@pytest.mark.hall_databases("postgresql")
async def test_the_living_one_that_ends_between_the_insert_and_the_look_is_made_anew(env):
    process, other = env.process(), env.process()
    first = await process.enqueue(env.acme, unique_key="k")
    held = await process.claimed()
    async with env.data.write() as writer:
        ask = writer.all

        async def all_with_a_crossing(statement, **binds):
            rows = await ask(statement, **binds)
            if statement.name == "insert_job" and not rows:
                await elsewhere(other.complete(held))
            return rows

        writer.all = all_with_a_crossing
        second = await process.scheduler.enqueue(writer, new(env.acme, unique_key="k"))
    assert second.id != first.id
    assert second.state == "queued"


async def test_a_job_for_later_shows_as_queued_and_is_not_given_out_before(env):
    process = env.process()
    at = env.clock.now_ms() + 5_000
    job = await process.enqueue(env.acme, run_at=at)
    assert job.state == "queued"
    env.clock.advance(milliseconds=4_999)
    await process.tick()
    assert await process.claim() is None
    env.clock.advance(milliseconds=1)
    await process.tick()
    assert (await process.claimed()).id == job.id


async def test_a_time_that_is_past_means_at_once(env):
    process = env.process()
    job = await process.enqueue(env.acme, run_at=env.clock.now_ms() - 5_000)
    assert (await process.claimed()).id == job.id


async def test_the_higher_priority_goes_first_and_then_the_older(env):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    asked = [(0, "c"), (-100, "e"), (100, "a"), (0, "d"), (50, "b")]
    for priority, name in asked:
        await process.enqueue(env.acme, priority=priority, payload=name)
        env.clock.advance(milliseconds=1)
    assert [(await process.claimed()).payload for _ in asked] == list("abcde")


async def lane_is_open(env):
    return await env.value("SELECT MAX(active) FROM job_lanes") == 1


any_requirement = pytest.mark.parametrize("requirement", [None, "large"])


@any_requirement
async def test_a_lane_without_jobs_is_closed_and_opened_again(env, requirement):
    process = env.process()
    await process.enqueue(env.acme, requirement=requirement)
    await process.tick()
    assert await lane_is_open(env)
    await process.claimed()
    await process.tick()
    assert not await lane_is_open(env)
    await process.enqueue(env.acme, requirement=requirement)
    assert await lane_is_open(env)
    await process.claimed()


@any_requirement
async def test_a_job_that_comes_back_opens_its_lane(env, requirement):
    """Promoted, or given back: by then the lane may have been closed."""
    process = env.process()
    await process.enqueue(env.acme, requirement=requirement)
    await process.fail(await process.claimed())
    await process.tick()
    assert not await lane_is_open(env)
    env.clock.advance(minutes=1)
    await process.tick()
    held = await process.claimed()
    await process.tick()
    assert not await lane_is_open(env)
    await process.scheduler.claimer.give_back([{"id": held.id, "claim_token": held.claim_token}])
    assert (await process.claimed()).attempt == held.attempt


@any_requirement
@pytest.mark.hall_databases("postgresql")
async def test_a_lane_is_not_closed_over_a_job_that_is_on_its_way(env, requirement):
    """The job is inserted and not committed; whoever closes lanes cannot see it, and leaves the lane."""
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    await process.enqueue(env.acme, requirement=requirement)
    await process.claimed()
    async with env.data.write() as writer:
        job = await process.scheduler.enqueue(writer, new(env.acme, requirement=requirement))
        await elsewhere(process.tick())
    assert (await process.claimed()).id == job.id


@pytest.mark.hall_databases("postgresql")
@any_requirement
async def test_a_lane_that_is_being_closed_is_waited_for_and_opened(env, requirement):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    await process.enqueue(env.acme, requirement=requirement)
    await process.claimed()
    lane = {"pool": REMOTE, "team_id": env.acme.id}
    async with env.data.write() as closer:
        assert await closer.value(sql.lock_lane, **lane, requirement=requirement or "") == 1
        enqueueing = elsewhere(process.enqueue(env.acme, requirement=requirement))
        while not await env.value("SELECT COUNT(*) FROM pg_locks WHERE NOT granted"):
            pass
        if requirement is None:
            await closer.run(sql.close_lane, **lane, requirement="")
        else:
            await closer.run(sql.remove_lane, **lane, requirement=requirement)
    job = await enqueueing
    assert (await process.claimed()).id == job.id


@pytest.mark.hall_databases("postgresql")
async def test_a_job_that_committed_after_the_lane_was_seen_idle_keeps_it_open(env):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    await process.enqueue(env.acme)
    await process.claimed()
    async with env.data.write() as closer:
        # What `lanes_from` saw before the job came, without the lock that it would have got after it.
        job = await elsewhere(process.enqueue(env.acme))
        await closer.run(sql.close_lane, pool=REMOTE, team_id=env.acme.id, requirement="")
    assert (await process.claimed()).id == job.id


async def test_jobs_are_shown_to_their_team_only(env):
    process = env.process()
    ours = [await process.enqueue(env.acme) for _ in range(3)]
    await process.enqueue(env.globex)
    held = await process.claimed(Worker("exe_a", "a", org_id=env.acme.org_id))
    async with env.data.read() as reader:

        async def page(**asked):
            asked = {"state": None, "kind": None, "before": None, "limit": 10, **asked}
            jobs = await process.scheduler.page(reader, env.acme.id, **asked)
            return [job.id for job in jobs]

        newest_first = sorted((job.id for job in ours), reverse=True)
        assert await page() == newest_first
        assert await page(limit=1) == newest_first[:1]
        assert await page(before=newest_first[0]) == newest_first[1:]
        assert await page(state="running") == [held.id]
        assert set(await page(state="queued")) == set(newest_first) - {held.id}
        assert await page(kind="x.toy.other") == []
