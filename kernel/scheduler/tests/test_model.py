"""The scheduler against a model of it that fits on a page: whatever is done in whatever order, both agree."""

import asyncio
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from guildhall_sdk import Conflict, UserError
from guildhall_sdk.jobs import HIGHEST_PRIORITY
from guildhall_sdk.services.jobs import ClaimedJob, Lease, Worker
from guildhall_testing.site_databases import opened_database
from kernel.job_limits import StoredJobLimits
from kernel.scheduler import lanes
from kernel.scheduler.claim import Claimant
from kernel.scheduler.queue import MAX_DEPTH
from kernel.scheduler.statements import sql
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, REMOTE, SchedulerEnv, remote

EXAMPLES = {"sqlite": 12, "postgresql": 4}
SOAK = int(os.environ.get("SOAK_ROUNDS", "0"))
LEASE_MS = LEASE_SECONDS * 1000
TEAM_CAP, COMPANY_CAP, SLOTS = 2, 3, 2
LIVE = ("scheduled", "queued", "running")
HERE = Claimant("exe_here", "here", (REMOTE,), in_process=True)
workers = st.sampled_from(["exe_1", "exe_2"])


@dataclass(slots=True)
class ModelJob:
    id: str
    team: str
    priority: int
    run_at: int
    max_attempts: int
    key: str | None
    state: str
    attempt: int = 0
    lapses: int = 0
    token: str | None = None
    landed: str | None = None
    lease_until: int = 0
    held_by: str | None = None
    cancelled: bool = False
    within: str | None = None
    awaited: bool = False
    waits: bool = False
    need: str | None = None

    def wait(self, now, times):
        """Until the next attempt, unless there is none."""
        self.run_at = now + round(min(600_000, 1000 * 2**times) * 0.5)
        self.state = "cancelled" if self.cancelled else "scheduled"

    def lost(self, now):
        self.lapses += 1
        self.taken_away(poisoned=self.lapses >= max(3, self.max_attempts // 2))
        if self.state == "queued":
            self.wait(now, self.lapses)

    def left_over(self, now):
        self.lapses += 1
        self.taken_away(poisoned=self.lapses >= max(3, self.max_attempts // 2))
        self.run_at = now

    def returned(self, now):
        self.taken_away()
        self.run_at = now

    def taken_away(self, *, poisoned=False):
        self.token = self.landed = self.held_by = None
        if poisoned or self.attempt >= self.max_attempts:
            self.state = "failed"
        else:
            self.state = "cancelled" if self.cancelled else "queued"

    def holds(self, token, worker, now):
        held = (self.token, self.held_by) == (token, worker)
        return held and self.state == "running" and self.lease_until > now


@dataclass(slots=True)
class Model:
    jobs: dict[str, ModelJob] = field(default_factory=dict)
    suspended: bool = False

    def running(self, team=None):
        return [job for job in self.jobs.values() if job.state == "running" and team in (None, job.team)]

    def used(self, team=None):
        return sum(not job.waits for job in self.running(team))

    def ordinary(self, team=None):
        return sum(not job.awaited for job in self.running(team))

    def has_capacity(self, job):
        count = (self.used(job.team), TEAM_CAP), (self.used(), COMPANY_CAP)
        if not job.awaited:
            count += (self.ordinary(job.team), TEAM_CAP), (self.ordinary(), COMPANY_CAP)
        return all(many < most for many, most in count)

    def heads(self, provides=None):
        """The job that each team may be given, by team, to one who provides these, or whatever is needed."""
        heads = {}
        if self.suspended:
            return heads
        order = sorted(self.jobs.values(), key=lambda job: (-job.awaited, -job.priority, job.run_at, job.id))
        for job in order:
            is_for_them = provides is None or job.need in (None, *provides)
            if job.state == "queued" and is_for_them and self.has_capacity(job):
                heads.setdefault(job.team, job)
        return heads

    def lineage(self, job_id):
        """The job and what stands above it."""
        line = []
        while job_id in self.jobs and job_id not in line:
            line.append(job_id)
            job_id = self.jobs[job_id].within
        return line

    def refuses_child(self, team, within):
        parent = self.jobs[within]
        return (
            parent.team != team
            or parent.cancelled
            or parent.state not in LIVE
            or len(self.lineage(within)) > MAX_DEPTH
        )

    def twin(self, team, key):
        alive = (job for job in self.jobs.values() if job.state in LIVE)
        return next((job for job in alive if key is not None and (job.team, job.key) == (team, key)), None)


class Machine(RuleBasedStateMachine):
    run: "Run"
    jobs, claims = Bundle("jobs"), Bundle("claims")

    def __init__(self):
        super().__init__()
        self.model = Model()
        self.env = self.do(self.run.env.cleared())
        self.process = self.env.process(remote(reserves={"work.slots": 1}))
        self.teams = [self.env.acme, self.env.acme_second]
        for team in self.teams:
            self.do(self.env.limit(team, "jobs.concurrency", TEAM_CAP))
        self.do(self.env.limit(self.teams[0], "jobs.concurrency", COMPANY_CAP, company=True))
        self.do(self.register())

    async def register(self):
        if self.env.database == "postgresql":
            await self.process.scheduler.heartbeat.register()

    def do(self, work):
        return self.run.runner.run(work)

    @property
    def now(self):
        return self.env.clock.now_ms()

    @rule(
        target=jobs,
        team=st.integers(0, 1),
        priority=st.sampled_from([0, 0, 5]),
        delay=st.sampled_from([0, 0, 0, 30_000]),
        max_attempts=st.sampled_from([1, 2, 5]),
        key=st.sampled_from([None, None, "k"]),
        need=st.sampled_from([None, None, "a", "b"]),
    )
    def enqueue(self, team, priority, delay, max_attempts, key, need):
        return self.ask(self.teams[team], priority, delay, max_attempts, key, need=need)

    @rule(
        target=jobs,
        parent=jobs,
        delay=st.sampled_from([0, 0, 0, 30_000]),
        max_attempts=st.sampled_from([1, 2, 5]),
        key=st.sampled_from([None, None, "k"]),
    )
    def enqueue_within(self, parent, delay, max_attempts, key):
        team = next(team for team in self.teams if team.id == self.model.jobs[parent].team)
        return self.ask(team, 0, delay, max_attempts, key, parent)

    @rule(target=jobs, claimed=claims)
    def enqueue_within_what_runs(self, claimed):
        return self.enqueue_within(claimed.id, 0, 2, None)

    @rule(target=claims, claimed=claims, worker=workers)
    def claim_after_asking_within(self, claimed, worker):
        self.enqueue_within(claimed.id, 0, 2, None)
        return self.claim(worker)

    @rule(parent=jobs)
    def enqueue_within_another_teams(self, parent):
        team = next(team for team in self.teams if team.id != self.model.jobs[parent].team)
        assert self.ask(team, 0, 0, 1, None, parent) == multiple()

    def ask(self, asked, priority, delay, max_attempts, key, within=None, need=None):
        self.env.clock.advance(milliseconds=1)
        refused = within is not None and self.model.refuses_child(asked.id, within)
        try:
            job = self.do(
                self.process.enqueue(
                    asked,
                    priority=priority,
                    run_at=self.now + delay,
                    max_attempts=max_attempts,
                    unique_key=key,
                    within=within,
                    requirement=need,
                )
            )
        except (Conflict, UserError):
            assert refused
            return multiple()
        assert not refused
        if twin := self.model.twin(asked.id, key):
            assert job.id == twin.id
            if within is not None and within != twin.id:
                twin.awaited = True
            return job.id
        state = "scheduled" if delay else "queued"
        self.model.jobs[job.id] = ModelJob(
            job.id,
            asked.id,
            priority,
            self.now + delay,
            max_attempts,
            key,
            state,
            within=within,
            awaited=within is not None,
            need=need,
        )
        return job.id

    @rule(target=claims, worker=workers)
    def claim(self, worker):
        return self.given_out(self.do(self.process.claim(Worker(worker, worker))), worker)

    @rule(target=claims, worker=workers, provides=st.sampled_from([(), ("a",), ("b", "a")]))
    def claim_what_it_provides(self, worker, provides):
        claimed = self.do(self.process.claim(Worker(worker, worker), provides=provides))
        return self.given_out(claimed, worker, provides)

    @rule(target=claims)
    def claim_here(self):
        return self.given_out(self.do(self.run_here()), HERE.id)

    async def run_here(self):
        """A job that the server's own process runs, as far as anybody can see."""
        async with self.process.data.write() as writer:
            rows = (await self.process.scheduler.claims.take_for(writer, HERE, [HERE])).rows
        for row in rows:
            told = {
                name: row[name] for name in ("id", "kind", "payload", "attempt", "team_id", "claim_token")
            }
            return ClaimedJob(**told, lease=Lease(LEASE_SECONDS, row["lease_until"]))
        return None

    def given_out(self, claimed, worker, provides=None):
        heads = self.model.heads(provides)
        if claimed is None:
            assert not heads, f"nothing was given out, and {heads} could have been"
            return multiple()
        job = self.model.jobs[claimed.id]
        assert heads.get(job.team) is job, "not the one whose turn it was in its team"
        job.state, job.token, job.landed, job.held_by = "running", claimed.claim_token, None, worker
        job.waits = False
        job.attempt += 1
        job.lease_until = self.now + LEASE_MS
        assert claimed.attempt == job.attempt
        return claimed

    def report(self, claimed, worker, verb, **told):
        job = self.model.jobs[claimed.id]
        lands = job.holds(claimed.claim_token, worker, self.now)
        landed_before = (job.token, job.held_by, job.landed) == (claimed.claim_token, worker, verb)
        repeats = verb != "heartbeat" and landed_before
        try:
            self.do(getattr(self.process, verb)(claimed, worker=Worker(worker, worker), **told))
        except Conflict:
            assert not lands, f"{verb} was refused to the holder"
            assert not repeats, f"{verb} was refused the second time"
            return None
        assert lands or repeats, f"{verb} was taken from somebody who does not hold the job"
        return job if lands else None

    @rule(claimed=claims, worker=workers)
    def heartbeat(self, claimed, worker):
        if job := self.report(claimed, worker, "heartbeat"):
            job.lease_until = self.now + LEASE_MS

    @rule(claimed=claims, worker=workers)
    def complete(self, claimed, worker):
        if job := self.report(claimed, worker, "complete"):
            job.state, job.landed, job.lapses = "succeeded", "complete", 0

    @rule(claimed=claims, worker=workers, retry=st.booleans())
    def fail(self, claimed, worker, retry):
        if job := self.report(claimed, worker, "fail", retry=retry):
            job.landed, job.lapses = "fail", 0
            if not retry or job.attempt >= job.max_attempts:
                job.state = "failed"
            else:
                job.wait(self.now, job.attempt)

    @rule(claimed=claims)
    def give_back(self, claimed):
        pair = {"id": claimed.id, "claim_token": claimed.claim_token}
        self.do(self.process.scheduler.claimer.give_back([pair]))
        job = self.model.jobs[claimed.id]
        if job.state == "running" and job.token == claimed.claim_token:
            job.state, job.token, job.held_by = "cancelled" if job.cancelled else "queued", None, None
            job.attempt -= 1

    @rule(claimed=claims)
    def begin_to_wait(self, claimed):
        job = self.model.jobs[claimed.id]
        if job.state == "running" and job.token == claimed.claim_token and not job.waits:
            self.do(self.wait_for_others(job, 1))
            job.waits = True

    async def wait_for_others(self, job, waiting):
        async with self.process.data.write() as writer:
            await writer.run(sql.set_waiting, id=job.id, token=job.token, waiting=waiting)
            rows = [{"team_id": job.team, "org_id": self.teams[0].org_id}]
            await self.process.scheduler.core.blocked.clear(writer, rows)

    @rule(claimed=claims)
    def wait_no_longer(self, claimed):
        job = self.model.jobs[claimed.id]
        others = self.model.used(job.team) < TEAM_CAP and self.model.used() < COMPANY_CAP
        if job.state == "running" and job.token == claimed.claim_token and job.waits and others:
            self.do(self.wait_for_others(job, 0))
            job.waits = False

    @rule(job_id=jobs)
    def cancel(self, job_id):
        job = self.model.jobs[job_id]
        team = next(team for team in self.teams if team.id == job.team)
        found = self.do(self.process.cancel(team, job_id))
        for one in self.model.jobs.values():
            if one.state in LIVE and job_id in self.model.lineage(one.id):
                one.cancelled = True
                one.state = one.state if one.state == "running" else "cancelled"
        assert found.state == ("queued" if job.state == "scheduled" else job.state)

    @rule(worker=workers)
    def retire(self, worker):
        self.do(self.process.retire(worker))
        running = self.model.running()
        for job in running:
            if job.held_by == worker:
                job.returned(self.now)

    @rule()
    def server_dies(self):
        """Elsewhere another one takes over; the owner of a file takes up what it left, at its next boot."""
        successor = self.env.process(remote(reserves={"work.slots": 1})).scheduler
        if self.env.database == "sqlite":
            self.do(successor.upkeep.take_up_left_over())
        else:
            [dead] = self.do(self.env.rows("SELECT * FROM processes"))
            self.do(successor.recovery.recover_from(dead))
            self.do(self.process.scheduler.heartbeat.beat())
        running = self.model.running()
        for job in running:
            if job.held_by == HERE.id:
                (job.left_over if self.env.database == "sqlite" else job.lost)(self.now)
            elif self.env.database == "sqlite" and job.lease_until <= self.now:
                job.lease_until = self.now + LEASE_MS

    @rule(seconds=st.sampled_from([1, 5, LEASE_SECONDS - 1, LEASE_SECONDS, 600]))
    def time_passes(self, seconds):
        self.env.clock.advance(seconds=seconds)

    @rule()
    def tick(self):
        self.do(self.process.tick())
        for job in self.model.jobs.values():
            if job.state == "scheduled" and job.run_at <= self.now:
                job.state = "queued"
        running = self.model.running()
        for job in running:
            if job.lease_until <= self.now:
                job.lost(self.now)

    @rule(suspended=st.booleans())
    def suspend(self, suspended):
        self.do(self.env.suspend(self.teams[0], suspended))
        self.model.suspended = suspended

    @invariant()
    def both_agree(self):
        rows = self.do(self.env.rows("SELECT * FROM jobs"))
        expected = {
            job.id: (job.state, job.attempt, job.lapses, job.cancelled, job.state in LIVE, job.awaited)
            for job in self.model.jobs.values()
        }
        found = {
            row["id"]: (
                row["state"],
                row["attempt"],
                row["lapses"],
                bool(row["cancel_requested"]),
                row["finished_at"] is None,
                row["priority"] > HIGHEST_PRIORITY,
            )
            for row in rows
        }
        assert found == expected

    @invariant()
    def no_limit_is_passed(self):
        for team in self.teams:
            of_company, of_team = self.do(self.running(team))
            assert (of_company, of_team) == (self.model.used(), self.model.used(team.id))
            assert of_company <= COMPANY_CAP
            assert of_team <= TEAM_CAP

    async def running(self, team):
        async with self.process.data.read() as reader:
            return await StoredJobLimits().running(reader, team.org_id, team.id)

    @invariant()
    def quota_is_held_for_what_runs(self):
        used = self.do(self.process.used(self.teams[0]))
        assert used["work.slots"] == len(self.model.running(self.teams[0].id))


@dataclass(frozen=True, slots=True)
class Run:
    runner: asyncio.Runner
    env: SchedulerEnv


def test_the_scheduler_and_its_model_agree(hall_sites, hall_database, monkeypatch):
    monkeypatch.setattr("random.random", lambda: 0.0)
    monkeypatch.setattr(lanes, "_MANY", 1)  # every tick blocks the lanes of teams that are full
    examples = SOAK * 10 or EXAMPLES[hall_database]
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        site = runner.run(stack.enter_async_context(hall_sites.lease(hall_database)))
        data = runner.run(stack.enter_async_context(opened_database(site)))
        machine = type("Machine", (Machine,), {"run": Run(runner, SchedulerEnv(site, data))})
        try:
            run_state_machine_as_test(
                machine,
                settings=settings(
                    max_examples=examples,
                    stateful_step_count=40,
                    deadline=None,
                    # A failing run says what it did; making it shorter takes many minutes.
                    phases=(Phase.generate,),
                    database=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            runner.run(stack.aclose())
