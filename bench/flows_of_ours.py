"""Workflows of no-op steps by us, and plain jobs: `flows_of_ours.py DATABASE_URL`.

It is the whole server with every shipped plugin, without the HTTP around it.
"""

import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import flow_plugin
from bench.contestants import Cost, answer
from guildhall_sdk import NewJob, Principal
from guildhall_sdk.services.jobs import JobLimits, Jobs
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.services.workflows import Workflows
from guildhall_testing.accounts import principal_for
from guildhall_testing.people import add_person
from kernel.boot import Server
from kernel.config import Settings
from libs.own_process import freeze_memory

_JOBS_AT_ONCE = 500
_CALLERS = 8
_LOOK_SECONDS = 0.004

Ask = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Flows:
    """A server, and somebody who asks it for runs and jobs."""

    server: Server
    caller: Principal

    async def queued_runs(self, many: int) -> Cost:
        """Runs of three steps that wait, from the moment that jobs may run to the last end."""
        return await self._held(partial(self._start_three_steps, many), 3 * many)

    async def queued_jobs(self, many: int) -> Cost:
        """Plain jobs, in the same way."""
        return await self._held(partial(self._enqueue, many), many)

    async def asked_runs(self, many: int) -> Cost:
        """Runs of three steps, from asking for the first to the last end."""
        return await self._timed(partial(self._start_three_steps, many), 3 * many)

    async def asked_transforms(self, many: int) -> Cost:
        """Runs of two transforms and a tool, in the same way."""
        return await self._timed(partial(self._start_three_steps, many, flow_plugin.TRANSFORMS), many)

    async def asked_waits(self, many: int) -> Cost:
        """Runs of two waits of a millisecond and a tool, in the same way."""
        return await self._timed(partial(self._start_three_steps, many, flow_plugin.WAITS), many)

    async def asked_jobs(self, many: int) -> Cost:
        """Plain jobs, from asking for the first to the last end."""
        return await self._timed(partial(self._enqueue, many), many)

    async def map(self, many: int) -> Cost:
        """One run over so many items, from asking for it to its end."""
        inputs = {"numbers": list(range(many))}
        return await self._timed(partial(self._start, flow_plugin.EACH, inputs), many)

    async def _start_three_steps(self, many: int, slug: str = flow_plugin.THREE_STEPS) -> None:
        """By some callers at once, each run in a transaction of its own."""
        numbers = iter(range(many))

        async def call() -> None:
            for number in numbers:
                await self._start(slug, {"number": number})

        await asyncio.gather(*(call() for _ in range(_CALLERS)))

    async def _start(self, slug: str, inputs: Mapping[str, Any]) -> None:
        async with self.server.data.write() as writer:
            await self.server.service(Workflows).start(writer, self.caller, slug, inputs)

    async def _enqueue(self, many: int) -> None:
        new = NewJob(flow_plugin.KIND, self.caller.org_id, self.caller.team_id, self.caller.user_id, {})
        for first in range(0, many, _JOBS_AT_ONCE):
            async with self.server.data.write() as writer:
                jobs = [new] * min(many - first, _JOBS_AT_ONCE)
                await self.server.service(Jobs).enqueue_many(writer, jobs)

    async def _held(self, ask: Ask, calls: int) -> Cost:
        async def nothing() -> None: ...

        # Whoever holds the claimer's turn keeps all jobs waiting.
        async with self.server.declared.scheduler.claimer._turn:
            await ask()
        return await self._timed(nothing, calls)

    async def _timed(self, ask: Ask, calls: int) -> Cost:
        """Until every call was made and the end of every job is committed."""
        runner = self.server.declared.scheduler._local
        wanted = flow_plugin.calls() + calls
        began, cpu = time.perf_counter(), time.process_time()
        await ask()
        while flow_plugin.calls() < wanted or runner.held:
            await asyncio.sleep(_LOOK_SECONDS)
        return Cost(time.perf_counter() - began, time.process_time() - cpu)


async def open_flows(url: str, folder: Path) -> Flows:
    """Starts a server with one company, which may run as many jobs at once as there are slots."""
    environment = {"SERVICE_DATA": str(folder), "SERVICE_DATABASE_URL": url, "SERVICE_LOG_LEVEL": "error"}
    server = Server(Settings.from_environment(environment), extra_plugins=[flow_plugin])
    await server.start()
    freeze_memory()
    limits = server.service(JobLimits)
    async with server.data.write() as writer:
        directory = server.service(Directory)
        company = await directory.create_org(writer, "Bench", plan="enterprise")
        team = await directory.create_team(writer, company.id, "Bench")
        person = await add_person(server.host, writer, org_id=company.id, team_id=team.id, role="owner")
        await limits.set_company_cap(writer, company.id, None)
        await limits.set_team_cap(writer, team.id, None)
    async with server.data.read() as reader:
        caller = await principal_for(reader, person.token, server.clock.now_ms(), server.roles)
    assert caller is not None
    return Flows(server, caller)


def main(url: str) -> None:
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, asyncio.Runner() as runner:
        flows = runner.run(open_flows(url, Path(folder)))
        works = (
            flows.queued_runs,
            flows.queued_jobs,
            flows.asked_runs,
            flows.asked_transforms,
            flows.asked_waits,
            flows.asked_jobs,
            flows.map,
        )
        answer({work.__name__: partial(_run, runner, work) for work in works})
        runner.run(flows.server.stop())


def _run(runner: asyncio.Runner, work: Callable[[int], Awaitable[Cost]], many: int) -> Cost:
    async def run() -> Cost:
        return await work(many)

    return runner.run(run())


if __name__ == "__main__":
    main(sys.argv[1])
