"""What plugins do in the transaction that ends a job: effects, and the `ended` of a kind."""

import asyncio

import pytest

from guildhall_sdk import JobKind, Statement, TooManyRequests, Unavailable, UserError
from guildhall_sdk.engines.engine import busy
from guildhall_testing.databases import statement
from kernel.scheduler.callbacks import Callbacks
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, WORKER, remote
from kernel.scope import current_scope

KIND = "x.toy.noting"
NOTE = statement("INSERT INTO instance_facts (key, value) VALUES (:key, 'done')")


@pytest.fixture
async def notes(env):
    """What effects wrote, by the payloads of their jobs."""
    await env.run("DELETE FROM instance_facts WHERE key LIKE 'note%'")

    async def read():
        rows = await env.rows("SELECT key FROM instance_facts WHERE key LIKE 'note%' ORDER BY key")
        return [row["key"].removeprefix("note ") for row in rows]

    yield read
    await env.run("DELETE FROM instance_facts WHERE key LIKE 'note%'")


class Noting:
    """A kind whose effects write a note; `fault` is what one of a payload raises after that."""

    def __init__(self, env, fault=lambda payload: None, **more):
        self.fault = fault
        self.kind = JobKind(KIND, "Notes.", handler=self.work, **more)
        self.process = env.process(self.kind)
        self.transactions = env.data

    async def work(self, job):
        async def effect(writer):
            await writer.run(NOTE, key=f"note {job.payload}")
            if (error := self.fault(job.payload)) is not None:
                raise error

        job.on_success(effect)

    async def end_all(self, team, payloads):
        """Their states, by payload; how many transactions it took."""
        jobs = {
            one: (await self.process.enqueue(team, KIND, payload=one, max_attempts=1)) for one in payloads
        }
        scheduler = self.process.scheduler
        await scheduler.claimer.claim_round()
        before = self.transactions.write_scopes
        await scheduler._local.idle()
        took = self.transactions.write_scopes - before
        return {one: (await self.process.job(team, job.id)).state for one, job in jobs.items()}, took


async def test_effects_share_a_transaction(env, notes):
    noting = Noting(env)
    payloads = [f"{number:02}" for number in range(20)]
    states, transactions = await noting.end_all(env.acme, payloads)
    assert set(states.values()) == {"succeeded"}
    assert await notes() == payloads
    assert transactions <= 3


async def test_an_effect_that_fails_is_undone_alone_and_fails_its_job(env, notes):
    """The third breaks the database's own rule, the fifth raises; all others of the group have theirs."""
    await env.run("INSERT INTO instance_facts (key, value) VALUES ('note 3', 'taken')")
    noting = Noting(env, lambda payload: KeyError(payload) if payload == "5" else None)
    states, _ = await noting.end_all(env.acme, list("0123456789"))
    assert {one for one, state in states.items() if state == "failed"} == {"3", "5"}
    assert await notes() == list("012346789")


async def test_a_transaction_that_fails_for_all_is_tried_for_each(env, notes, monkeypatch):
    """One effect breaks more than its own part: nobody else loses theirs."""
    noting = Noting(env)
    run_effects = Callbacks.run_effects

    async def break_it(self, writer, jobs, effects, *, shared):
        faults = await run_effects(self, writer, jobs, effects, shared=shared)
        if shared:
            raise RuntimeError("the connection is gone")
        return faults

    monkeypatch.setattr(Callbacks, "run_effects", break_it)
    for one in "abc":
        await noting.process.enqueue(env.acme, KIND, payload=one)
    await noting.process.drain()
    assert await notes() == ["a", "b", "c"]


async def test_an_effect_that_hangs_holds_up_nobody_for_long(env, notes, monkeypatch):
    monkeypatch.setattr("kernel.scheduler.callbacks._SHARED_SECONDS", 0.05)
    go_on = asyncio.Event()

    async def work(job):
        async def effect(writer):
            if job.payload == "slow":
                await go_on.wait()
            await writer.run(NOTE, key=f"note {job.payload}")

        job.on_success(effect)

    slow = JobKind("x.toy.slow", "Hangs.", handler=work)
    process = env.process(slow)
    hanging = await process.enqueue(env.acme, slow.name, payload="slow")
    others = [await process.enqueue(env.acme, slow.name, payload=f"quick {n}") for n in range(3)]
    if env.database == "sqlite":
        go_on.set()  # whoever writes there is alone anyway
    await process.scheduler.claimer.claim_round()
    for job in others:
        assert (await process.scheduler.wait_for_end(env.acme.id, job.id, 10)).state == "succeeded"
    go_on.set()
    await process.scheduler._local.idle()
    assert (await process.job(env.acme, hanging.id)).state == "succeeded"
    assert len(await notes()) == 4


async def test_an_effect_that_meets_a_quota_puts_its_job_off(env, notes):
    refusals = [TooManyRequests("Later.", headers={"Retry-After": "5"})]
    noting = Noting(env, lambda _: refusals.pop() if refusals else None)
    job = await noting.process.enqueue(env.acme, KIND, payload="once", max_attempts=1)
    await noting.process.drain()
    assert (await noting.process.job(env.acme, job.id)).state == "queued"
    assert await notes() == []
    env.clock.advance(seconds=5)
    await noting.process.drain()
    found = await noting.process.job(env.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)
    assert await notes() == ["once"]


class Listener:
    """An `ended` that writes what it is told in the transaction, and remembers it."""

    def __init__(self):
        self.told = []
        self.fault = None

    async def ended(self, host, writer, job):
        self.told.append((job.id, job.state, job.error and job.error.code))
        await writer.run(NOTE, key=f"note {job.id} {job.state}")
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def listener():
    return Listener()


async def test_every_end_is_told_in_its_transaction(env, notes, listener):
    """Whoever brings it about: a worker, a cancel, a lapse, a retirement, the claimer."""
    process, team = env.process(remote(ended=listener.ended)), env.acme

    async def held(**more):
        await process.enqueue(team, **more)
        return await process.claimed()

    expected = []
    done = await held()
    await process.complete(done)
    expected.append((done.id, "succeeded", None))
    await process.complete(done)  # again is no error, and no second end

    failed = await held()
    await process.fail(failed, retry=False)
    expected.append((failed.id, "failed", "broken"))

    waiting = await process.enqueue(team)
    await process.cancel(team, waiting.id)
    expected.append((waiting.id, "cancelled", None))

    lost = await held(max_attempts=1)
    env.clock.advance(seconds=LEASE_SECONDS)
    await process.tick()
    expected.append((lost.id, "failed", "worker_lost"))

    retired = await held(max_attempts=1)
    await process.retire(WORKER.id)
    expected.append((retired.id, "failed", "worker_retired"))

    unwanted = await held()
    await process.cancel(team, unwanted.id)
    pair = {"id": unwanted.id, "claim_token": unwanted.claim_token}
    await process.scheduler.claimer.give_back([pair])
    expected.append((unwanted.id, "cancelled", None))

    retried = await held(max_attempts=2)
    await process.fail(retried)  # not the end

    assert listener.told == expected
    assert await notes() == sorted(f"{job_id} {state}" for job_id, state, _ in expected)


async def test_the_end_of_a_local_job_is_told_after_its_effect(env, notes, listener):
    noting = Noting(env, ended=listener.ended)
    states, transactions = await noting.end_all(env.acme, ["a", "b"])
    assert set(states.values()) == {"succeeded"}
    assert [state for _, state, _ in listener.told] == ["succeeded", "succeeded"]
    assert len(await notes()) == 4
    assert transactions <= 2


async def test_a_listener_that_fails_keeps_no_job_from_ending(env, notes, listener):
    process, team = env.process(remote(ended=listener.ended)), env.acme
    listener.fault = ValueError("not today")
    first = await process.enqueue(team)
    await process.complete(await process.claimed())
    second = await process.enqueue(team)
    await process.cancel(team, second.id)
    assert len(listener.told) == 2
    assert await notes() == []
    states = [(await process.job(team, job.id)).state for job in (first, second)]
    assert states == ["succeeded", "cancelled"]


async def test_a_listener_that_lacks_something_else_holds_nobody_up(env, listener):
    """No room for its bytes, or another server that is away: that may last."""
    kinds = remote(ended=listener.ended), remote("x.toy.other")
    process = env.process(*kinds)
    listener.fault = Unavailable("There is no room left to keep this.")
    jobs = {}
    for team, kind in zip((env.acme, env.globex), kinds, strict=True):
        job = await process.enqueue(team, kind.name, max_attempts=1)
        await process.claimed(kinds=(kind.name,))
        jobs[job.id] = team
    env.clock.advance(seconds=LEASE_SECONDS)
    await process.tick()
    assert [(await process.job(team, job)).state for job, team in jobs.items()] == ["failed", "failed"]
    assert len(listener.told) == 1


async def test_a_listener_that_meets_a_passing_trouble_is_told_again(env, notes, listener):
    process, team = env.process(remote(ended=listener.ended)), env.acme
    job = await process.enqueue(team)
    claimed = await process.claimed()
    listener.fault = busy("The database cannot take this just now.")
    with pytest.raises(Unavailable):
        await process.complete(claimed)
    assert (await process.job(team, job.id)).state == "running"
    listener.fault = None
    await process.complete(claimed)
    assert await notes() == [f"{job.id} succeeded"]


ENDLESS = Statement(
    "endless",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e8) SELECT MAX(i) FROM n",
    "SELECT pg_sleep(60)",
)


@pytest.mark.parametrize("where", ["elsewhere", "in the database"])
async def test_callbacks_that_hang_are_given_up_and_nobody_waits_for_them(env, monkeypatch, where):
    monkeypatch.setattr("kernel.scheduler.callbacks.MAX_SECONDS", 0.05)

    async def hang(writer):
        await (asyncio.Event().wait() if where == "elsewhere" else writer.run(ENDLESS))

    async def work(job):
        job.on_success(hang)

    async def do_nothing(job):
        pass

    async def ended(host, writer, job):
        await hang(writer)

    kinds = [
        JobKind(KIND, "Its effect hangs.", handler=work),
        JobKind("x.toy.ending", "Its end hangs.", handler=do_nothing, ended=ended),
    ]
    process, team = env.process(*kinds), env.acme
    jobs = [await process.enqueue(team, one.name, max_attempts=1) for one in kinds]
    await process.drain()
    states = [(await process.job(team, job.id)).state for job in jobs]
    assert states == ["failed", "succeeded"]


class Together:
    """A kind whose ends are taken together; notes each call, and fails for a payload that it is told."""

    def __init__(self, env, broken=()):
        self.calls, self.broken = [], set(broken)
        self.kind = JobKind(KIND, "Together.", handler=self.work, ended_together=self.ended)
        self.process = env.process(self.kind)

    async def work(self, job):
        if job.payload == "fails":
            raise UserError("No.", code="no")
        return job.payload

    async def ended(self, host, writer, jobs):
        credential = current_scope.get().credential
        self.calls.append(([job.payload for job in jobs], credential and credential.scope))
        for job in jobs:
            await writer.run(NOTE, key=f"note {job.payload} {job.state}")
            if job.payload in self.broken:
                raise RuntimeError("broken")

    async def end_all(self, *wanted):
        jobs = [
            await self.process.enqueue(team, KIND, payload=payload, max_attempts=1, **more)
            for team, payload, more in wanted
        ]
        await self.process.scheduler.claimer.claim_round()
        await self.process.scheduler._local.idle()
        return [
            (await self.process.job(team, job.id)).state
            for (team, _, _), job in zip(wanted, jobs, strict=True)
        ]


async def test_jobs_that_end_in_one_transaction_are_told_together_by_company_and_credential(env, notes):
    together, scope = Together(env), frozenset({"notes:read"})
    acme, globex = env.acme, env.globex
    states = await together.end_all(
        (globex, "d", {}),
        (acme, "a", {}),
        (acme, "fails", {}),
        (acme, "c", {"scope": scope, "asked_with": "tok_one"}),
    )
    assert states == ["succeeded", "succeeded", "failed", "succeeded"]
    assert sorted(payload for payloads, _ in together.calls for payload in payloads) == [
        "a",
        "c",
        "d",
        "fails",
    ]
    assert ([["c"], scope]) in [list(call) for call in together.calls]
    assert all(scoped is None for payloads, scoped in together.calls if payloads != ["c"])
    for payloads, _ in together.calls:
        assert set(payloads) in ({"a", "fails"}, {"a"}, {"fails"}, {"c"}, {"d"})
    companies = [env.globex.org_id if payloads == ["d"] else acme.org_id for payloads, _ in together.calls]
    assert companies == sorted(companies)
    assert await notes() == ["a succeeded", "c succeeded", "d succeeded", "fails failed"]


async def test_where_telling_them_together_fails_each_is_told_alone_and_one_alone_is_undone(env, notes):
    together = Together(env, broken=["b"])
    acme = env.acme
    states = await together.end_all((acme, "a", {}), (acme, "b", {}), (acme, "c", {}))
    assert states == ["succeeded"] * 3
    assert await notes() == ["a succeeded", "c succeeded"]
    assert sorted(payloads for payloads, _ in together.calls[-3:]) == [["a"], ["b"], ["c"]]


async def test_ends_that_take_too_long_together_are_told_by_fewer_and_none_is_lost(env, notes, monkeypatch):
    """As many as there is time for share a transaction: not all of them for ever, nor each alone."""
    monkeypatch.setattr("kernel.scheduler.callbacks._SHARED_SECONDS", 0.15)
    together, transactions, tell = Together(env), env.data, Together.ended

    async def hang_with_many(self, host, writer, jobs):
        await tell(self, host, writer, jobs)
        if len(jobs) > 20:
            await asyncio.Event().wait()

    monkeypatch.setattr(Together, "ended", hang_with_many)
    together.kind = JobKind(KIND, "Together.", handler=together.work, ended_together=together.ended)
    together.process = env.process(together.kind)
    before = transactions.write_scopes
    payloads = [f"{number:02}" for number in range(40)]
    assert set(await together.end_all(*((env.acme, one, {}) for one in payloads))) == {"succeeded"}
    assert await notes() == [f"{one} succeeded" for one in payloads]
    shared = [payload for payloads, _ in together.calls if 1 < len(payloads) <= 20 for payload in payloads]
    assert len(shared) >= 30
    assert transactions.write_scopes - before < 80


async def test_waiting_jobs_are_cancelled_together_and_what_runs_is_left_alone(env, notes):
    together = Together(env)
    jobs = [await together.process.enqueue(env.acme, KIND, payload=one) for one in ("a", "b")]
    elsewhere = await together.process.enqueue(env.globex, KIND, payload="c")
    ids = [*(job.id for job in jobs), elsewhere.id]
    async with env.data.write() as writer:
        assert await together.process.scheduler.cancel_waiting(writer, env.acme.id, ids) == 2
    assert [sorted(payloads) for payloads, _ in together.calls] == [["a", "b"]]
    assert await notes() == ["a cancelled", "b cancelled"]
    async with env.data.write() as writer:
        assert await together.process.scheduler.cancel_waiting(writer, env.acme.id, ids) == 0
