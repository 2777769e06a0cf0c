"""Servers that are killed outright, or frozen, at any moment: no job is lost and no effect happens twice.

SOAK_ROUNDS sets how often they are killed; `make soak` does it many times.
"""

import contextlib
import os
import random
import signal

import pytest

from guildhall_sdk import JobKind
from guildhall_testing.site_databases import opened_database
from kernel.scheduler.tests import mortal
from kernel.scheduler.tests.mortal import EFFECTS, OFTEN, ONCE, SLOW
from kernel.scheduler.tests.scheduler_env import SchedulerEnv
from tests.processes import Mortal

ROUNDS = int(os.environ.get("SOAK_ROUNDS", "2"))
EVENTS = 20 + 4 * ROUNDS
CHAINS, LINKS, OTHERS = 10 + 2 * ROUNDS, 4, 10 + 2 * ROUNDS
NEVER_LAPSES = 24 * 3600


@pytest.fixture
async def site(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as leased:
        yield leased


@pytest.fixture
async def give_birth(site):
    """Starts processes on the site; whatever is left of them at the end is ended."""
    born = []

    def birth(lease_seconds=2, target=mortal.live):
        born.append(Mortal(site, lease_seconds, target))
        return born[-1]

    yield birth
    for one in born:
        if one.process.exitcode is None:
            await one.end(signal.SIGKILL)


async def never_run(_job):
    raise AssertionError("this is another process's")


@contextlib.asynccontextmanager
async def between_lives(site):
    """The environment on the site while no process has it."""
    async with opened_database(site) as data:
        env = SchedulerEnv(site, data)
        yield (
            env,
            env.process(*(JobKind(name, "Theirs.", handler=never_run) for name in (ONCE, OFTEN, SLOW))),
        )


async def lay_out_work(site):
    async with between_lives(site) as (env, process):
        await env.cleared()
        await env.run(EFFECTS)
        for team in (env.acme, env.globex):
            await process.enqueue_many(team, ONCE, CHAINS // 2, payload=LINKS - 1, max_attempts=100)
            await process.enqueue_many(team, OFTEN, OTHERS // 2, max_attempts=100)


async def check_effects(site):
    """Every job succeeded, every effect is there, and those that end with their job are there once."""
    async with between_lives(site) as (env, _):
        states = await env.rows("SELECT state, kind, COUNT(*) AS many FROM jobs GROUP BY state, kind")
        assert {(row["state"], row["kind"]): row["many"] for row in states} == {
            ("succeeded", ONCE): CHAINS * LINKS,
            ("succeeded", OFTEN): OTHERS,
        }
        effects = await env.rows("SELECT job_id, kind, COUNT(*) AS many FROM effects GROUP BY job_id, kind")
        exactly = [row["many"] for row in effects if row["kind"] == ONCE]
        assert exactly == [1] * (CHAINS * LINKS)
        assert sum(row["kind"] == OFTEN for row in effects) == OTHERS
        wrong = await env.rows(
            "SELECT jobs.id FROM jobs JOIN effects ON effects.job_id = jobs.id"
            " WHERE jobs.kind = :kind AND jobs.attempt <> effects.attempt",
            kind=ONCE,
        )
        assert not wrong, "the effect of another attempt than the one that landed"
        assert await env.value("SELECT COUNT(*) FROM quota_holds WHERE returned = 0") == 0
        return await env.value("SELECT SUM(attempt) FROM jobs")


@pytest.mark.short_on("sqlite")  # on PostgreSQL the next test shows it of one beside another
async def test_one_server_is_killed_again_and_again(site, give_birth):
    await lay_out_work(site)
    for _ in range(ROUNDS):
        server = give_birth()
        await server.lives_for(random.randint(2, 60))
        await server.end(signal.SIGKILL)
    server = give_birth()
    await server.hears("idle")
    assert await server.end(signal.SIGTERM) == 0
    attempts = await check_effects(site)
    assert attempts >= CHAINS * LINKS + OTHERS


@pytest.mark.hall_databases("postgresql")
async def test_one_of_two_servers_is_killed_again_and_again(site, give_birth):
    await lay_out_work(site)
    pair = [give_birth(), give_birth()]
    for _ in range(ROUNDS):
        unlucky = random.randrange(2)
        await pair[unlucky].lives_for(random.randint(2, 40))
        await pair[unlucky].end(signal.SIGKILL)
        pair[unlucky] = give_birth()
    for server in pair:
        await server.hears("idle")
        assert await server.end(signal.SIGTERM) == 0
    await check_effects(site)


@pytest.mark.hall_databases("postgresql")
async def test_a_server_that_was_frozen_past_its_lease_lands_nothing_when_it_wakes(site, give_birth):
    async with between_lives(site) as (env, process):
        await env.cleared()
        await env.run(EFFECTS)
        job = await process.enqueue(env.acme, SLOW)
    frozen = give_birth(1)
    assert await frozen.hears("began") == "1"
    frozen.signal(signal.SIGSTOP)
    other = give_birth(1)
    assert await other.hears("began") == "2"
    await other.hears("idle")
    frozen.signal(signal.SIGCONT)
    await frozen.hears("late")
    for server in (frozen, other):
        assert await server.end(signal.SIGTERM) == 0
    async with between_lives(site) as (env, process):
        found = await process.job(env.acme, job.id)
        assert (found.state, found.attempt, found.result) == ("succeeded", 2, 2)
        assert await env.rows("SELECT attempt FROM effects") == [{"attempt": 2}]


@pytest.mark.hall_databases("postgresql")
async def test_what_a_killed_server_ran_is_taken_up_long_before_its_lease_lapses(site, give_birth):
    async with between_lives(site) as (env, process):
        await env.cleared()
        await env.run(EFFECTS)
        job = await process.enqueue(env.acme, SLOW)
    killed = give_birth(NEVER_LAPSES)
    assert await killed.hears("began") == "1"
    other = give_birth(NEVER_LAPSES)
    await other.hears("ready")
    await killed.end(signal.SIGKILL)
    assert await other.hears("silent") == str(killed.process.pid)
    assert await other.hears("began") == "2"
    await other.hears("idle")
    async with opened_database(site) as data:
        rows = await SchedulerEnv(site, data).rows("SELECT lapses, attempt, state FROM jobs")
        assert rows == [{"lapses": 0, "attempt": 2, "state": "succeeded"}]
        pids = [row["pid"] for row in await SchedulerEnv(site, data).rows("SELECT pid FROM processes")]
        assert pids == [other.process.pid]
    assert await other.end(signal.SIGTERM) == 0
    async with between_lives(site) as (env, process):
        assert (await process.job(env.acme, job.id)).result == 2
        assert await env.rows("SELECT attempt FROM effects") == [{"attempt": 2}]
        assert await env.value("SELECT COUNT(*) FROM processes") == 0


@pytest.mark.hall_databases("postgresql")
async def test_a_server_that_is_frozen_and_connected_keeps_its_jobs(site, give_birth):
    async with between_lives(site) as (env, process):
        await env.cleared()
        await env.run(EFFECTS)
        job = await process.enqueue(env.acme, SLOW)
    frozen = give_birth(NEVER_LAPSES)
    await frozen.hears("began")
    other = give_birth(NEVER_LAPSES)
    await other.hears("ready")
    frozen.signal(signal.SIGSTOP)
    for _ in range(3):
        assert await other.hears("silent") == str(frozen.process.pid)
    async with opened_database(site) as data:
        rows = await SchedulerEnv(site, data).rows("SELECT id, state, attempt, lapses FROM jobs")
        assert rows == [{"id": job.id, "state": "running", "attempt": 1, "lapses": 0}]
    frozen.signal(signal.SIGCONT)
    for server in (frozen, other):
        assert await server.end(signal.SIGTERM) == 0


async def test_a_server_that_is_told_to_stop_gives_its_jobs_to_the_next(site, give_birth):
    async with between_lives(site) as (env, process):
        await env.cleared()
        await env.run(EFFECTS)
        job = await process.enqueue(env.acme, SLOW)
    first = give_birth(60)
    await first.hears("began")
    first.signal(signal.SIGTERM)
    await first.hears("late")
    await first.hears("stopped")
    async with between_lives(site) as (env, process):
        found = await process.job(env.acme, job.id)
        assert (found.state, found.attempt) in (("queued", 0), ("succeeded", 1))


async def test_an_event_that_was_recorded_is_delivered_by_the_next_server(site, give_birth):
    """In the outbox, a job or under way when it is killed: each is heard of, and takes effect once."""
    async with between_lives(site) as (env, _):
        await env.cleared()
        await env.run(EFFECTS)
    deaf = give_birth(target=mortal.live_deaf)
    for number in range(1, EVENTS + 1):
        assert await deaf.hears("wrote") == str(number)
    await deaf.end(signal.SIGKILL)
    server, heard = give_birth(), set()
    while not heard >= set(range(1, EVENTS + 1)):
        heard.add(int(await server.hears("heard")))
    await server.hears("idle")
    assert await server.end(signal.SIGTERM) == 0
    async with between_lives(site) as (env, _):
        assert await env.rows("SELECT job_id FROM effects GROUP BY job_id HAVING COUNT(*) > 1") == []
        assert await env.value("SELECT COUNT(*) FROM effects") >= EVENTS
