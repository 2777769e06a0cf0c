"""Asking for jobs: with the caller's transaction, one of a kind where told, never lost in a closing lane."""

import asyncio
import contextvars

import pytest

from guildhall_sdk import InvalidRequest, NewJob, UserError
from guildhall_sdk.schema import obj, string
from guildhall_sdk.services.jobs import Worker
from kernel.scheduler.statements import sql
from kernel.scheduler.tests.workshop import REMOTE, remote


def elsewhere(work):
    """A task that is no child of the scope it is started in, as another request would be."""
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


def new(team, kind=REMOTE, **more):
    return NewJob(kind, team.org_id, team.id, team.user_id, **more)


async def test_a_job_vanishes_with_its_callers_transaction(workshop):
    wrench = workshop.wrench()
    with pytest.raises(ZeroDivisionError):
        async with workshop.data.write() as writer:
            await wrench.scheduler.enqueue(writer, new(workshop.acme))
            raise ZeroDivisionError
    assert await workshop.value("SELECT COUNT(*) FROM jobs") == 0
    assert await wrench.claim() is None


async def test_a_job_cannot_be_claimed_before_its_callers_transaction_commits(workshop):
    wrench = workshop.wrench()
    async with workshop.data.write() as writer:
        await wrench.scheduler.enqueue(writer, new(workshop.acme))
        woken = wrench.scheduler.claimer._wake.is_set()
        if workshop.database == "postgresql":  # on SQLite there is one writer at a time
            assert await elsewhere(wrench.claim()) is None
    assert not woken
    assert wrench.scheduler.claimer._wake.is_set()
    await wrench.claimed()


async def test_an_unknown_kind_a_wrong_priority_and_a_wrong_payload_are_refused(workshop):
    wrench = workshop.wrench(remote(payload=obj({"lane": string(min_length=1)})))
    for wrong, error in (
        (new(workshop.acme, "x.workshop.none"), UserError),
        (new(workshop.acme, priority=101, payload={"lane": "a"}), InvalidRequest),
        (new(workshop.acme, payload={"lane": 7}), InvalidRequest),
        (new(workshop.acme), InvalidRequest),
    ):
        async with workshop.data.write() as writer:
            with pytest.raises(error):
                await wrench.scheduler.enqueue(writer, wrong)
    assert await workshop.value("SELECT COUNT(*) FROM jobs") == 0
    await wrench.enqueue(workshop.acme, payload={"lane": "a"})


async def test_a_payload_comes_back_as_it_was_given(workshop):
    wrench = workshop.wrench()
    payload = {"text": "naïve 𝄞 \u0000 \\ \" '", "numbers": [1, -0.5, 2**60], "none": None, "in": {"": True}}
    job = await wrench.enqueue(workshop.acme, payload=payload)
    claimed = await wrench.claimed()
    assert claimed.payload == payload
    await wrench.complete(claimed, payload)
    found = await wrench.job(workshop.acme, job.id)
    assert found.payload == found.result == payload


async def test_while_one_with_the_same_key_lives_asking_again_gives_that_one(workshop):
    wrench = workshop.wrench()
    first = await wrench.enqueue(workshop.acme, unique_key="k", payload=1)
    assert (await wrench.enqueue(workshop.acme, unique_key="k", payload=2)).id == first.id
    held = await wrench.claimed()
    running = await wrench.enqueue(workshop.acme, unique_key="k")
    assert (running.id, running.state) == (first.id, "running")
    await wrench.fail(held)
    assert (await wrench.enqueue(workshop.acme, unique_key="k")).id == first.id
    await wrench.cancel(workshop.acme, first.id)
    second = await wrench.enqueue(workshop.acme, unique_key="k")
    assert second.id != first.id
    assert (await wrench.enqueue(workshop.globex, unique_key="k")).id != second.id


async def test_the_same_key_twice_in_one_call_is_one_job(workshop):
    wrench = workshop.wrench()
    jobs = await wrench.enqueue_many(workshop.acme, REMOTE, 3, unique_key="k")
    assert len({job.id for job in jobs}) == 1


async def test_many_who_ask_with_one_key_at_once_get_one_living_job(workshop):
    """While it is claimed and completed in between: never two alive, and nobody is turned away."""
    async with workshop.more_databases(4) as databases:
        wrenches = [workshop.wrench(data=data) for data in databases]

        async def ask(wrench):
            return [(await wrench.enqueue(workshop.acme, unique_key="k")).id for _ in range(12)]

        async def work(wrench, asking):
            while not asking.done():
                if job := await wrench.claim():
                    await wrench.complete(job)
                alive = await workshop.value(
                    "SELECT COUNT(*) FROM jobs WHERE state IN ('scheduled', 'queued', 'running')"
                )
                assert alive <= 1

        asking = asyncio.gather(*(ask(wrench) for wrench in wrenches))
        await asyncio.gather(asking, work(workshop.wrench(), asking))
        known = {row["id"] for row in await workshop.rows("SELECT id FROM jobs")}
        assert {job_id for ids in asking.result() for job_id in ids} == known


@pytest.mark.hall_databases("postgresql")
async def test_the_living_one_that_ends_between_the_insert_and_the_look_is_made_anew(workshop):
    wrench, other = workshop.wrench(), workshop.wrench()
    first = await wrench.enqueue(workshop.acme, unique_key="k")
    held = await wrench.claimed()
    async with workshop.data.write() as writer:
        ask = writer.all

        async def all_with_a_crossing(statement, **binds):
            rows = await ask(statement, **binds)
            if statement.name == "insert_job" and not rows:
                await elsewhere(other.complete(held))
            return rows

        writer.all = all_with_a_crossing
        second = await wrench.scheduler.enqueue(writer, new(workshop.acme, unique_key="k"))
    assert second.id != first.id
    assert second.state == "queued"


async def test_a_job_for_later_shows_as_queued_and_is_not_given_out_before(workshop):
    wrench = workshop.wrench()
    at = workshop.clock.now_ms() + 5_000
    job = await wrench.enqueue(workshop.acme, run_at=at)
    assert job.state == "queued"
    workshop.clock.advance(milliseconds=4_999)
    await wrench.tick()
    assert await wrench.claim() is None
    workshop.clock.advance(milliseconds=1)
    await wrench.tick()
    assert (await wrench.claimed()).id == job.id


async def test_a_time_that_is_past_means_at_once(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, run_at=workshop.clock.now_ms() - 5_000)
    assert (await wrench.claimed()).id == job.id


async def test_the_higher_priority_goes_first_and_then_the_older(workshop):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
    asked = [(0, "c"), (-100, "e"), (100, "a"), (0, "d"), (50, "b")]
    for priority, name in asked:
        await wrench.enqueue(workshop.acme, priority=priority, payload=name)
        workshop.clock.advance(milliseconds=1)
    assert [(await wrench.claimed()).payload for _ in asked] == list("abcde")


async def lane_is_open(workshop):
    return await workshop.value("SELECT MAX(active) FROM job_lanes") == 1


any_requirement = pytest.mark.parametrize("requirement", [None, "large"])


@any_requirement
async def test_a_lane_without_jobs_is_closed_and_opened_again(workshop, requirement):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme, requirement=requirement)
    await wrench.tick()
    assert await lane_is_open(workshop)
    await wrench.claimed()
    await wrench.tick()
    assert not await lane_is_open(workshop)
    await wrench.enqueue(workshop.acme, requirement=requirement)
    assert await lane_is_open(workshop)
    await wrench.claimed()


@any_requirement
async def test_a_job_that_comes_back_opens_its_lane(workshop, requirement):
    """Promoted, or given back: by then the lane may have been closed."""
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme, requirement=requirement)
    await wrench.fail(await wrench.claimed())
    await wrench.tick()
    assert not await lane_is_open(workshop)
    workshop.clock.advance(minutes=1)
    await wrench.tick()
    held = await wrench.claimed()
    await wrench.tick()
    assert not await lane_is_open(workshop)
    await wrench.scheduler.claimer.give_back([{"id": held.id, "claim_token": held.claim_token}])
    assert (await wrench.claimed()).attempt == held.attempt


@any_requirement
@pytest.mark.hall_databases("postgresql")
async def test_a_lane_is_not_closed_over_a_job_that_is_on_its_way(workshop, requirement):
    """The job is inserted and not committed; whoever closes lanes cannot see it, and leaves the lane."""
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
    await wrench.enqueue(workshop.acme, requirement=requirement)
    await wrench.claimed()
    async with workshop.data.write() as writer:
        job = await wrench.scheduler.enqueue(writer, new(workshop.acme, requirement=requirement))
        await elsewhere(wrench.tick())
    assert (await wrench.claimed()).id == job.id


@pytest.mark.hall_databases("postgresql")
@any_requirement
async def test_a_lane_that_is_being_closed_is_waited_for_and_opened(workshop, requirement):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
    await wrench.enqueue(workshop.acme, requirement=requirement)
    await wrench.claimed()
    lane = {"pool": REMOTE, "team_id": workshop.acme.id}
    async with workshop.data.write() as closer:
        assert await closer.value(sql.lock_lane, **lane, requirement=requirement or "") == 1
        enqueueing = elsewhere(wrench.enqueue(workshop.acme, requirement=requirement))
        while not await workshop.value("SELECT COUNT(*) FROM pg_locks WHERE NOT granted"):
            pass
        if requirement is None:
            await closer.run(sql.close_lane, **lane, requirement="")
        else:
            await closer.run(sql.remove_lane, **lane, requirement=requirement)
    job = await enqueueing
    assert (await wrench.claimed()).id == job.id


@pytest.mark.hall_databases("postgresql")
async def test_a_job_that_committed_after_the_lane_was_seen_idle_keeps_it_open(workshop):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
    await wrench.enqueue(workshop.acme)
    await wrench.claimed()
    async with workshop.data.write() as closer:
        # What `lanes_from` saw before the job came, without the lock that it would have got after it.
        job = await elsewhere(wrench.enqueue(workshop.acme))
        await closer.run(sql.close_lane, pool=REMOTE, team_id=workshop.acme.id, requirement="")
    assert (await wrench.claimed()).id == job.id


async def test_jobs_are_shown_to_their_team_only(workshop):
    wrench = workshop.wrench()
    ours = [await wrench.enqueue(workshop.acme) for _ in range(3)]
    await wrench.enqueue(workshop.globex)
    held = await wrench.claimed(Worker("exe_a", "a", org_id=workshop.acme.org_id))
    async with workshop.data.read() as reader:

        async def page(**asked):
            asked = {"state": None, "kind": None, "before": None, "limit": 10, **asked}
            jobs = await wrench.scheduler.page(reader, workshop.acme.id, **asked)
            return [job.id for job in jobs]

        newest_first = sorted((job.id for job in ours), reverse=True)
        assert await page() == newest_first
        assert await page(limit=1) == newest_first[:1]
        assert await page(before=newest_first[0]) == newest_first[1:]
        assert await page(state="running") == [held.id]
        assert set(await page(state="queued")) == set(newest_first) - {held.id}
        assert await page(kind="x.workshop.other") == []
