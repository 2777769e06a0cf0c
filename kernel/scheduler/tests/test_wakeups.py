"""Nobody waits for a poll who could be told, nobody is lost who was not told, and nobody's job is lost."""

import asyncio

import pytest

from builtin_plugins.sqlite import write_group as sqlite_write_group
from guildhall_sdk import JobKind, Statement, UserError
from guildhall_sdk.engines.pools import LocalChannel
from kernel.clock import SystemClock
from kernel.scheduler import claim_loop as claimer_module
from kernel.scheduler.tests.scheduler_env import REMOTE, WORKER, remote, until

LONG = 60
_HOLD = "SELECT org_id FROM job_companies WHERE org_id = :id FOR NO KEY UPDATE"
HOLD_COMPANY = Statement("hold_company", _HOLD, _HOLD)
_WAITED = "UPDATE jobs SET put_off_ms = 86400000"


@pytest.fixture
def no_polling(monkeypatch):
    monkeypatch.setattr(claimer_module, "POLL_SECONDS", 1e9)


def waiting(process, hung_up=None, seconds=LONG):
    hung_up = hung_up or asyncio.Event()
    return asyncio.create_task(
        process.scheduler.workers.claim(WORKER, [REMOTE], None, seconds, hung_up.wait())
    )


async def until_it_waits(process):
    await until(lambda: process.scheduler.claimer._waiters)


async def test_a_waiting_worker_gets_a_job_as_soon_as_it_is_there(env, started, no_polling):
    process = await started(env.process())
    claim = waiting(process)
    await until_it_waits(process)
    job = await process.enqueue(env.acme)
    assert (await asyncio.wait_for(claim, LONG)).id == job.id


async def test_a_waiting_worker_gets_a_job_that_became_due(env, started, no_polling):
    process = await started(env.process())
    claim = waiting(process)
    await until_it_waits(process)
    job = await process.enqueue(env.acme, run_at=env.clock.now_ms() + 60_000)
    env.clock.advance(minutes=1)
    assert (await asyncio.wait_for(claim, LONG)).id == job.id


async def test_a_waiting_worker_gets_a_job_when_room_returns(env, started, no_polling):
    process = await started(env.process())
    await env.limit(env.acme, "jobs.concurrency", 1)
    await process.enqueue_many(env.acme, REMOTE, 2)
    held = await asyncio.wait_for(waiting(process), LONG)
    claim = waiting(process)
    await until_it_waits(process)
    await process.complete(held)
    assert (await asyncio.wait_for(claim, LONG)).id != held.id


async def test_of_many_waiting_workers_each_gets_a_job_of_its_own(env, started, no_polling):
    process = await started(env.process())
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    claims = [waiting(process) for _ in range(10)]
    await until_it_waits(process)
    jobs = await process.enqueue_many(env.acme, REMOTE, 10)
    claimed = await asyncio.wait_for(asyncio.gather(*claims), LONG)
    assert {one.id for one in claimed} == {job.id for job in jobs}


@pytest.mark.hall_databases("postgresql")
async def test_another_process_is_told(env, started, no_polling):
    async with env.more_databases(2) as (here, there):
        asker, doer = env.process(data=here), env.process(data=there)
        for process in (asker, doer):
            await started(process)
            await until(lambda process=process: process.scheduler.signals._others._line.listening)
        claim = waiting(doer)
        await until_it_waits(doer)
        job = await asker.enqueue(env.acme)
        assert (await asyncio.wait_for(claim, LONG)).id == job.id
        await asker.scheduler.stop()
        await doer.scheduler.stop()


@pytest.mark.hall_databases("postgresql")
async def test_what_another_claimer_had_for_a_moment_is_found_soon(env, started, monkeypatch):
    """Who lets go of a company tells nobody: without looking again soon, the job would wait for the poll."""
    monkeypatch.setattr(claimer_module, "POLL_SECONDS", 1e9)
    process = await started(env.process())
    async with env.more_databases(1) as (there,):
        async with there.write() as elsewhere:
            await elsewhere.run(HOLD_COMPANY, id=env.acme.org_id)
            job = await process.enqueue(env.acme)
            claim = waiting(process)
            await until(lambda: process.scheduler.claimer._jobs_left)
            assert not claim.done()
        assert (await asyncio.wait_for(claim, LONG)).id == job.id


def counted_commits(monkeypatch):
    """Has commits counted; none is due by the clock, as who waits and who joins is the subject."""
    monkeypatch.setattr(sqlite_write_group, "MAX_WAIT_SECONDS", LONG)
    commit, commits = sqlite_write_group.commit, []

    def counted(connection):
        commits.append(1)
        commit(connection)

    monkeypatch.setattr(sqlite_write_group, "commit", counted)
    return commits


@pytest.mark.hall_databases("sqlite")
async def test_the_commit_in_which_jobs_end_is_that_in_which_the_next_are_claimed(
    env, started, no_polling, monkeypatch
):
    """Without it there are two for each set of jobs that run at once."""
    rounds, at_once = 20, 8
    all_begun = asyncio.Event()

    async def work(_job):
        if process.scheduler._local.begun == rounds * at_once:
            all_begun.set()

    process = env.process(JobKind("x.toy.local", "Here.", handler=work))
    await env.limit(env.acme, "jobs.concurrency", at_once)
    await process.enqueue_many(env.acme, "x.toy.local", rounds * at_once)
    commits = counted_commits(monkeypatch)
    await started(process)
    await asyncio.wait_for(all_begun.wait(), LONG)
    await process.scheduler.wind_down()
    assert len(commits) < 1.5 * rounds


@pytest.mark.hall_databases("sqlite")
async def test_the_commit_in_which_a_job_is_asked_for_is_that_in_which_it_is_claimed(
    env, started, no_polling, monkeypatch
):
    """Without it there are three for each job: it is asked for, claimed, and ends."""
    begun = asyncio.Queue()
    process = await started(env.process(JobKind("x.toy.local", "Here.", handler=begun.put)))
    commits = counted_commits(monkeypatch)
    for _ in range(10):
        await process.enqueue(env.acme, "x.toy.local")
        await asyncio.wait_for(begun.get(), LONG)
        await process.scheduler._local.idle()
    assert len(commits) < 2.5 * 10


async def test_where_every_word_is_lost_the_poll_finds_the_job(env, started, monkeypatch):
    monkeypatch.setattr(claimer_module, "POLL_SECONDS", 0.01)
    asker, doer = env.process(), env.process()
    doer.scheduler.signals._others = LocalChannel()
    await started(doer)
    claim = waiting(doer)
    await until_it_waits(doer)
    job = await asker.enqueue(env.acme)
    assert (await asyncio.wait_for(claim, LONG)).id == job.id


async def test_who_waits_in_vain_is_told_so(env, started):
    process = await started(env.process())
    assert await waiting(process, seconds=0.01) is None
    assert not process.scheduler.claimer._waiters


async def test_an_unknown_kind_is_refused(env):
    process = env.process()
    with pytest.raises(UserError) as caught:
        await process.claim(kinds=["x.toy.none"])
    assert caught.value.code == "unknown_kind"


async def test_a_kind_that_runs_in_the_server_is_given_to_no_worker(env):
    async def work(_job):
        return None

    process = env.process(remote(), JobKind("x.toy.local", "Here.", handler=work))
    await process.enqueue(env.acme, "x.toy.local")
    assert await process.claim(kinds=["x.toy.local"]) is None


async def attempts(env):
    return await env.value("SELECT attempt FROM jobs")


async def test_a_worker_that_hung_up_while_it_waited_gets_nothing(env, started, no_polling):
    process = await started(env.process())
    hung_up = asyncio.Event()
    claim = waiting(process, hung_up)
    await until_it_waits(process)
    hung_up.set()
    assert await asyncio.wait_for(claim, LONG) is None
    await process.enqueue(env.acme)
    assert (await asyncio.wait_for(waiting(process), LONG)).attempt == 1


async def test_what_was_claimed_for_one_who_hung_up_goes_on_at_once_without_a_lost_attempt(
    env, started, no_polling
):
    """The job is committed to them and they are gone in the same moment."""
    process = env.process()
    hung_up = asyncio.Event()
    claim = waiting(process, hung_up)
    await until_it_waits(process)
    job = await process.enqueue(env.acme)
    assert await process.scheduler.claimer.claim_round() == 1
    hung_up.set()
    await asyncio.sleep(0)
    if (taken := await claim) is not None:
        pytest.fail(f"{taken} was handed to somebody who is gone")
    again = await process.claimed()
    assert (again.id, again.attempt) == (job.id, 1)


async def test_what_was_claimed_for_a_caller_that_was_cancelled_goes_on_at_once(env, no_polling):
    process = env.process()
    claim = waiting(process)
    await until_it_waits(process)
    job = await process.enqueue(env.acme)
    assert await process.scheduler.claimer.claim_round() == 1
    claim.cancel()
    with pytest.raises(asyncio.CancelledError):
        await claim
    await process.scheduler.claimer.stop()
    again = await env.process().claimed()
    assert (again.id, again.attempt) == (job.id, 1)


async def test_a_caller_that_is_cancelled_in_the_middle_of_a_round_costs_nobody_a_job(env):
    """Cancelled after any number of steps: whatever was claimed meanwhile is claimable afterwards."""
    process = env.process()
    for steps in range(0, 60, 3):
        job = await process.enqueue(env.acme)
        claim = asyncio.create_task(process.claim())
        for _ in range(steps):
            await asyncio.sleep(0)
        claim.cancel()
        [held] = await asyncio.gather(claim, return_exceptions=True)
        await process.scheduler.claimer._unfinished.finished()
        if isinstance(held, BaseException):
            held = await process.claimed()
        assert (held.id, held.attempt) == (job.id, 1), steps
        await process.complete(held)


async def test_who_waits_is_sent_away_when_the_server_stops(env):
    process = env.process()
    await process.scheduler.start()
    claim = waiting(process)
    await until_it_waits(process)
    await process.scheduler.stop()
    assert await asyncio.wait_for(claim, LONG) is None
    await process.enqueue(env.acme)
    assert await process.claim() is None


async def test_a_server_that_stops_lets_jobs_finish_and_gives_the_others_back(env):
    quick_may_end = asyncio.Event()

    async def quick(_job):
        await quick_may_end.wait()

    async def endless(_job):
        quick_may_end.set()
        await asyncio.Event().wait()

    kinds = [
        JobKind("x.toy.quick", "Ends.", handler=quick),
        JobKind("x.toy.endless", "Never ends.", handler=endless, reserves={"work.slots": 1}),
    ]
    process = env.process(*kinds)
    ends = await process.enqueue(env.acme, kinds[0].name)
    goes_on = await process.enqueue(env.acme, kinds[1].name)
    await process.scheduler.claimer.claim_round()
    await process.scheduler.wind_down(0.2)
    assert (await process.job(env.acme, ends.id)).state == "succeeded"
    found = await process.job(env.acme, goes_on.id)
    assert (found.state, found.attempt, found.error) == ("queued", 0, None)
    assert (await process.used(env.acme))["work.slots"] == 0


async def test_a_handler_that_will_not_be_stopped_holds_up_no_server(env):
    stop = asyncio.Event()

    async def stubborn(_job):
        while not stop.is_set():
            try:
                await stop.wait()
            except asyncio.CancelledError:
                continue

    kind = JobKind("x.toy.stubborn", "Will not stop.", handler=stubborn)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    await process.scheduler.claimer.claim_round()
    await process.scheduler.wind_down(0)
    assert (await process.job(env.acme, job.id)).state == "queued"
    stop.set()
    await process.scheduler._local.idle()
    assert (await process.job(env.acme, job.id)).state == "queued"


async def _work(_job):
    return "done"


_GONE = JobKind("x.gone.local", "Gone.", handler=_work)


async def test_a_job_whose_kind_nobody_brings_waits_for_it(env):
    before, without = env.process(_GONE), env.process()
    job = await before.enqueue(env.acme, _GONE.name)
    await without.drain()
    found = await without.job(env.acme, job.id)
    assert (found.state, found.attempt, found.error.code) == ("queued", 0, "unknown_kind")
    env.clock.advance(minutes=1)
    await before.drain()
    found = await before.job(env.acme, job.id)
    assert (found.state, found.attempt, found.result) == ("succeeded", 1, "done")


async def test_a_kind_that_nobody_brings_for_a_day_fails_in_words(env):
    job = await env.process(_GONE).enqueue(env.acme, _GONE.name)
    without = env.process()
    async with env.data.write() as writer:
        await writer.run(Statement("waited", _WAITED, _WAITED))
    await without.drain()
    found = await without.job(env.acme, job.id)
    assert (found.state, found.error.code) == ("failed", "unknown_kind")


async def test_a_server_on_the_real_clock_runs_what_is_asked_of_it(env, started):
    async def work(job):
        await job.progress(0.5)
        return {"got": job.payload}

    kind = JobKind("x.toy.local", "Runs here.", handler=work)
    process = await started(env.process(kind, clock=SystemClock()))
    soon = SystemClock().now_ms() + 30
    jobs = [await process.enqueue(env.acme, kind.name, payload=n, run_at=soon) for n in range(5)]
    for n, job in enumerate(jobs):
        done = await process.scheduler.wait_for_end(env.acme.id, job.id, LONG)
        assert (done.state, done.result) == ("succeeded", {"got": n})


class FrontDoor:
    """Jobs and a worker of a server whose claim loop never polls, all over HTTP."""

    def __init__(self, hall, member, worker):
        self.hall, self.member, self.worker = hall, member, worker

    async def ask(self):
        body = {"kind": "x.integrator-demo.lane-report", "payload": {"lane": "hamburg-shanghai"}}
        return (await self.member.post("/api/jobs", body)).json()["id"]

    async def claim(self, max_wait=0):
        body = {"kinds": ["x.integrator-demo.lane-report"], "max_wait": max_wait}
        return (await self.worker.post("/api/workers/claim", body)).json()["id"]

    async def waiting_claim(self):
        claiming = asyncio.create_task(self.claim(max_wait=20))
        claimer = self.hall.server.declared.scheduler.claimer
        await until(lambda: claimer._waiters and not claimer._turn.locked() and not claimer._wake.is_set())
        assert not claiming.done()
        return claiming


@pytest.fixture
async def front_door(hall, no_polling, monkeypatch):
    monkeypatch.setattr(claimer_module, "_SOON_SECONDS", 1e9)
    member = await hall.join(hall.acme, "member", operator=True)
    made = await hall.operator.post("/api/executors", {"name": "gpu", "mode": "pull"})
    return FrontDoor(hall, member, hall.bearer(made.json()["worker_token"]))


@pytest.mark.own_server
async def test_a_waiting_worker_gets_a_job_once_the_team_may_run_more(front_door):
    limit = {"dimension": "jobs.concurrency", "window": "none"}
    await front_door.member.post("/api/quota", {**limit, "limit": 1})
    await front_door.ask()
    await front_door.claim()
    second = await front_door.ask()
    claiming = await front_door.waiting_claim()
    await front_door.member.post("/api/quota", {**limit, "limit": 2})
    assert await asyncio.wait_for(claiming, LONG) == second


@pytest.mark.own_server
async def test_a_waiting_worker_gets_a_job_once_its_company_is_resumed(front_door):
    """By the service that the route calls: whatever else the route does must not be what wakes."""
    hall = front_door.hall
    job = await front_door.ask()
    await hall.suspend(hall.acme)
    claiming = await front_door.waiting_claim()
    await hall.resume(hall.acme)
    assert await asyncio.wait_for(claiming, LONG) == job
