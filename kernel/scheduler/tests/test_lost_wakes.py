"""Whatever makes a job ready or frees room wakes the claim loop: a poll finds nothing that no wake did."""

import asyncio
from contextlib import suppress
from random import Random

import pytest

from guildhall_sdk import Conflict
from guildhall_sdk.services.jobs import Worker
from kernel.job_limits import StoredJobLimits
from kernel.scheduler import claim_loop
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, REMOTE, remote, until
from kernel.tenancy.directory import StoredDirectory

# So little room that whoever ends a job makes some for another.
CAP, WAITING, STEPS = 1, 2, 14
WORKERS = [Worker(f"exe_{number}", f"worker {number}") for number in range(2)]


class Shift:
    """A scheduler whose claim loop never polls, with workers that wait, and steps taken by chance."""

    def __init__(self, env, seed):
        self.env, self.chance = env, Random(seed)
        self.process = env.process(remote(reserves={"work.slots": 1}))
        self.claimer = self.process.scheduler.claimer
        self.teams = [env.acme, env.acme_second, env.globex]
        self.waiting, self.held, self.jobs, self.done = [], [], [], []
        wake = self.process.scheduler.signals.arrived
        self.limits, self.directory = StoredJobLimits(wake), StoredDirectory(env.clock, resumed=wake)

    async def begin(self):
        for team in self.teams:
            await self.env.limit(team, "jobs.concurrency", CAP)
        self.claimer.loop.start()

    async def settle(self):
        """Lets the claim loop go on until it waits to be woken."""
        wake, turn = self.process.scheduler.signals.wake, self.claimer._turn
        await until(lambda: not wake.is_set() and not turn.locked())

    async def change_workers(self):
        """Those who were given a job hold it, and others wait in their place."""
        self.held += [(who, task.result()) for who, task in self.waiting if task.done() and task.result()]
        self.waiting = [(who, task) for who, task in self.waiting if not task.done()]
        while len(self.waiting) < WAITING:
            who = self.chance.choice(WORKERS)
            claim = self.process.scheduler.workers.claim(who, [REMOTE], None, 1e6, asyncio.Event().wait())
            self.waiting.append((who, asyncio.create_task(claim)))
            await until(lambda: len(self.claimer._waiters) > 0)
        await self.settle()

    async def enqueue(self):
        team, later = self.chance.choice(self.teams), self.chance.choice([0, 0, 5_000])
        run_at = self.env.clock.now_ms() + later
        job = await self.process.enqueue(team, run_at=run_at, priority=self.chance.choice([0, 5]))
        self.jobs.append((team, job.id))

    async def enqueue_many(self):
        for _ in range(4):
            await self.enqueue()

    async def end(self):
        if self.held:
            who, job = self.held.pop(self.chance.randrange(len(self.held)))
            self.done.append(job.id)
            with suppress(Conflict):  # its worker was retired before it was seen to have the job
                if self.chance.random() < 0.5:
                    await self.process.complete(job, worker=who)
                else:
                    await self.process.fail(job, retry=self.chance.random() < 0.5, worker=who)

    async def give_back(self):
        if self.held:
            _, job = self.held.pop()
            await self.claimer.give_back([{"id": job.id, "claim_token": job.claim_token}])

    async def retire(self):
        who = self.chance.choice(WORKERS)
        self.held = [(holder, job) for holder, job in self.held if holder != who]
        await self.process.retire(who.id)

    async def cancel(self):
        if self.jobs:
            await self.process.cancel(*self.chance.choice(self.jobs))

    async def tick_later(self):
        self.env.clock.advance(seconds=self.chance.choice([1, 10, LEASE_SECONDS]))
        await self.process.tick()
        self.held = []  # some of it may have lapsed by now: nobody reports it

    async def become_due(self):
        """Of a team that may run more."""
        team = await self.raise_cap()
        await self.process.enqueue(team, run_at=self.env.clock.now_ms() + 500)
        await self.settle()
        self.env.clock.advance(seconds=1)
        await self.process.tick()

    async def raise_cap(self):
        team = self.chance.choice(self.teams)
        async with self.env.data.write() as writer:
            await self.limits.set_team_cap(writer, team.id, CAP + 20)
        await self.settle()
        return team

    async def lower_cap(self):
        async with self.env.data.write() as writer:
            await self.limits.set_team_cap(writer, self.chance.choice(self.teams).id, CAP)

    async def resume(self):
        """After jobs came while it was suspended."""
        team = self.chance.choice(self.teams)
        for suspended_at in (1, None):
            async with self.env.data.write() as writer:
                await self.directory.set_suspended(writer, team.org_id, suspended_at)
            if suspended_at is not None:
                await self.enqueue()
                await self.settle()

    async def step(self):
        steps = (self.enqueue, self.enqueue_many, self.end, self.end, self.give_back, self.retire)
        limits = (self.raise_cap, self.lower_cap, self.resume)
        step = self.chance.choice((*steps, *limits, self.cancel, self.tick_later, self.become_due))
        await step()
        await self.settle()
        return step.__name__


@pytest.fixture
def no_polling(monkeypatch):
    for name in ("POLL_SECONDS", "_SOON_SECONDS"):
        monkeypatch.setattr(claim_loop, name, 1e6)


@pytest.mark.parametrize("seed", range(8))
async def test_a_poll_finds_nothing_that_no_wake_told_of(env, no_polling, seed):
    shift, steps = Shift(env, seed), []
    await shift.begin()
    try:
        for _ in range(STEPS):
            await shift.change_workers()
            steps.append(await shift.step())
            assert await shift.claimer.claim_round() == 0, f"nobody was woken after {steps}"
    finally:
        await shift.process.scheduler.claimer.stop()
        await asyncio.gather(*(task for _, task in shift.waiting))
