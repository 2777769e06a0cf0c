"""Never above a limit, however many claim at once: a team's cap, its company's, and what a kind reserves."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from guildhall_sdk import JobKind
from guildhall_sdk.data import Queries
from guildhall_sdk.services.jobs import Worker
from kernel.job_limits import StoredJobLimits
from kernel.scheduler import claim
from kernel.scheduler.claim import Claim
from kernel.scheduler.lanes import WaitingTeam
from kernel.scheduler.statements import sql
from kernel.scheduler.tests.scheduler_env import REMOTE, remote
from libs.fair_queue import UNLIMITED, Capacity

CLAIMERS, ROUNDS = 8, 12
RUNNING = "SELECT COUNT(*) FROM jobs WHERE state = 'running' AND team_id = :team"
RUNNING_IN_COMPANY = "SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = :org"


class Stampede:
    """Claimers that all begin at the same moment, again and again; the most that ever ran, wherever seen."""

    def __init__(self, env, kind):
        self.env, self.kind = env, kind
        self.most = {"team": 0, "company": 0, "held": 0}
        self.claims = 0

    async def run(self, teams):
        async with self.env.more_databases(CLAIMERS) as databases:
            processes = [self.env.process(self.kind, data=data) for data in databases]
            for team in teams:
                await processes[0].enqueue_many(team, self.kind.name, CLAIMERS * ROUNDS // len(teams))
            sampling = asyncio.create_task(self._sample_for_ever(teams))
            for _ in range(ROUNDS):
                await self._one_round(processes, teams)
            sampling.cancel()
        return self

    async def _one_round(self, processes, teams):
        workers = [Worker(f"exe_{number}", "one") for number in range(len(processes))]
        claiming_all = map(self._claim, processes, workers)
        held = [one for one in await asyncio.gather(*claiming_all) if one is not None]
        await self._look(teams)
        self.claims += len(held)
        await asyncio.gather(*(process.complete(job, worker=worker) for process, worker, job in held))

    async def _claim(self, process, worker):
        job = await process.claim(worker, [self.kind.name])
        return None if job is None else (process, worker, job)

    async def _look(self, teams):
        for team in teams:
            running = await self.env.value(RUNNING, team=team.id)
            in_company = await self.env.value(RUNNING_IN_COMPANY, org=team.org_id)
            held = await self.env.value(
                "SELECT COUNT(*) FROM quota_holds WHERE returned = 0 AND org_id = :org", org=team.org_id
            )
            for what, seen in (("team", running), ("company", in_company), ("held", held)):
                self.most[what] = max(self.most[what], seen)

    async def _sample_for_ever(self, teams):
        while True:
            await self._look(teams)
            await asyncio.sleep(0)


def slowly(text, max_seconds=0.02):
    """The same statement, with a moment of any length between what it sees and what it locks."""
    moment = f"(SELECT pg_sleep(random() * {max_seconds})) IS NOT NULL"
    return text.replace("WHERE lane.pool = :pool", f"WHERE {moment} AND lane.pool = :pool")


@asynccontextmanager
async def with_statements(monkeypatch, **texts):
    changed = {one.name: one for one in sql}
    for name, text in texts.items():
        changed[name] = replace(changed[name], postgresql=text)
    with monkeypatch.context() as patch:
        patch.setattr(claim, "sql", Queries(changed))
        yield patch


async def test_a_teams_cap_holds_under_eight_claimers(env, monkeypatch):
    await env.limit(env.acme, "jobs.concurrency", 3)
    async with with_statements(monkeypatch, lock_lanes=slowly(sql.lock_lanes.postgresql)):
        stampede = await Stampede(env, remote()).run([env.acme])
    assert stampede.most["team"] <= 3
    assert stampede.claims >= ROUNDS


async def test_a_companys_cap_holds_over_its_teams_under_eight_claimers(env, monkeypatch):
    await env.limit(env.acme, "jobs.concurrency", 3, company=True)
    async with with_statements(monkeypatch, lock_lanes=slowly(sql.lock_lanes.postgresql)):
        stampede = await Stampede(env, remote()).run([env.acme, env.acme_second])
    assert stampede.most["company"] <= 3
    assert stampede.claims >= ROUNDS


async def test_what_a_kind_reserves_holds_under_eight_claimers(env):
    await env.limit(env.acme, "work.slots", 3, company=True)
    kind = remote(reserves={"work.slots": 1})
    stampede = await Stampede(env, kind).run([env.acme, env.acme_second])
    assert stampede.most["company"] <= 3
    assert stampede.most["held"] <= 3
    assert stampede.claims >= 3


class OneStatementClaim(Claim):
    """A claim that believes the count of the statement that took the locks. It is wrong; see `Claim`."""

    async def teams_with_capacity(self, writer, lanes):
        return [
            WaitingTeam(
                id=lane["team_id"],
                group_id=lane["org_id"],
                vtime=lane["vtime"],
                weight=1.0,
                capacity=Capacity(
                    UNLIMITED if lane["team_limit"] is None else lane["team_limit"] - lane["team_running"]
                ),
            )
            for lane in lanes
        ]


COUNTED_WITH_THE_LOCK = """
    (SELECT cap FROM job_teams WHERE team_id = lane.team_id) AS team_limit,
    (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id
        AND team_id = lane.team_id) AS team_running,
    lane.team_id, lane.org_id,"""


@pytest.mark.long_form
@pytest.mark.hall_databases("postgresql")
async def test_a_claim_in_one_statement_would_break_the_cap(env, monkeypatch):
    """The same stampede, to show that it sees what it looks for."""
    await env.limit(env.acme, "jobs.concurrency", 3)
    text = sql.lock_lanes.postgresql.replace("lane.team_id, lane.org_id,", COUNTED_WITH_THE_LOCK, 1)
    most = 0
    # The busier the machine, the longer a claim holds its lock: the others must come after it, not meanwhile.
    for seconds in (0.02, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6):
        async with with_statements(monkeypatch, lock_lanes=slowly(text, seconds)) as patch:
            patch.setattr(Claim, "teams_with_capacity", OneStatementClaim.teams_with_capacity)
            most = max(most, (await Stampede(env, remote()).run([env.acme])).most["team"])
        if most > 3:
            break
    assert most > 3


async def test_a_batch_keeps_within_the_caps_of_team_and_company(env):
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()

    process = env.process(JobKind("x.toy.local", "Here.", handler=work))
    await env.limit(env.acme, "jobs.concurrency", 2)
    await env.limit(env.acme, "jobs.concurrency", 5, company=True)
    for team in (env.acme, env.acme_second):
        await process.enqueue_many(team, "x.toy.local", 10)
    assert await process.scheduler.claimer.claim_round() == 5
    assert await env.value(RUNNING, team=env.acme.id) == 2
    assert await process.scheduler.claimer.claim_round() == 0
    go_on.set()
    await process.drain()
    assert await env.value("SELECT COUNT(*) FROM jobs WHERE state = 'succeeded'") == 20


async def test_a_lowered_cap_is_kept_at_the_next_claim_and_a_raised_one_too(env):
    process = env.process()
    await process.enqueue_many(env.acme, REMOTE, 6)
    await env.limit(env.acme, "jobs.concurrency", 2)
    held = [await process.claimed(), await process.claimed()]
    assert await process.claim() is None
    await env.limit(env.acme, "jobs.concurrency", 1)
    await process.complete(held[0])
    assert await process.claim() is None
    await env.limit(env.acme, "jobs.concurrency", 2)
    await process.claimed()
    await env.limit(env.acme, "jobs.concurrency", 0)
    await process.complete(held[1])
    assert await process.claim() is None
    await env.limit(env.acme, "jobs.concurrency", None)
    await process.claimed()


@pytest.mark.hall_databases("postgresql")
@pytest.mark.parametrize("company", [True, False], ids=["company", "team"])
async def test_a_cap_that_is_set_while_a_claim_reserves_waits_for_it(env, monkeypatch, company):
    """Who claims has the company's row and wants its place in the ledger: who sets a limit does the same."""
    process = env.process(remote(reserves={"work.slots": 1}))
    await process.enqueue(env.acme)
    reserve, reserving = process.quotas.reserve, asyncio.Event()

    async def set_the_cap():
        await reserving.wait()
        await env.limit(env.acme, "jobs.concurrency", 1, company=company)

    async def reserve_meanwhile(*arguments):
        reserving.set()
        while not await env.value("SELECT COUNT(*) FROM pg_locks WHERE NOT granted"):
            pass
        return await reserve(*arguments)

    monkeypatch.setattr(process.quotas, "reserve", reserve_meanwhile)
    async with asyncio.timeout(60):  # nobody waits for anybody: then it would look for ever
        await asyncio.gather(set_the_cap(), process.claimed())
    assert await process.claim() is None


async def test_a_team_at_its_cap_is_in_nobodys_way(env):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", 1)
    await process.enqueue_many(env.acme, REMOTE, 5)
    await process.claimed()
    await process.enqueue(env.globex)
    assert (await process.claimed()).team_id == env.globex.id


async def test_two_running_jobs_are_counted_for_the_team_and_the_company(env):
    process = env.process()
    await process.enqueue(env.acme)
    await process.enqueue(env.acme_second)
    await process.claimed()
    await process.claimed()
    async with env.data.read() as reader:
        counted = await StoredJobLimits().running(reader, env.acme.org_id, env.acme.id)
    assert counted == (2, 1)
