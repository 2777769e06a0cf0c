"""A server process that tests kill: it says what it does, step by step.

Processes are forked from one that has imported this module, so that a life costs a boot and no imports.
"""

import asyncio
import random
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

from guildhall_sdk import (
    Event,
    EventCall,
    JobCall,
    JobKind,
    NewJob,
    Origin,
    Plugin,
    Row,
    Statement,
    Subscription,
    Writer,
    hookimpl,
)
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.subscriptions import Events
from kernel.boot import Server
from kernel.config import Settings
from kernel.plugins.discovery import discover
from kernel.scheduler import rescue, scheduler

EFFECTS = "CREATE TABLE effects (job_id TEXT NOT NULL, attempt INTEGER NOT NULL, kind TEXT NOT NULL)"
_INSERT = "INSERT INTO effects (job_id, attempt, kind) VALUES (:job_id, :attempt, :kind)"
_NOTE = Statement("note_effect", _INSERT, _INSERT)
_COUNT = "SELECT COUNT(*) FROM jobs WHERE state IN ('scheduled', 'queued', 'running')"
_LIVE = Statement("live", _COUNT, _COUNT)
HASTE = 5
ONCE, OFTEN, SLOW = "x.mortal.once", "x.mortal.often", "x.mortal.slow"


_mouth: list[Connection] = []

# Found once, before any fork: what it imports stays imported.
discover(Settings.from_environment({}).plugins)


def say(*words: object) -> None:
    _mouth[0].send_bytes(" ".join(map(str, words)).encode())


async def note(writer: Writer, job: JobCall) -> None:
    await writer.run(_NOTE, job_id=job.id, attempt=job.attempt, kind=job.kind)


async def once(job: JobCall) -> Any:
    """Its effect, and the next job of its chain, happen with its end or not at all."""
    say("began", job.id)

    async def effect(writer: Writer) -> None:
        await note(writer, job)
        if job.payload > 0:
            following = NewJob(
                ONCE, job.org_id, job.team_id, job.user_id, payload=job.payload - 1, max_attempts=100
            )
            await job.host.service(Jobs).enqueue(writer, following)
        say("ending", job.id)

    job.on_success(effect)
    await asyncio.sleep(random.random() * 0.02)
    return job.attempt


async def often(job: JobCall) -> Any:
    """Its effect happens at least once: it is written before the end is."""
    say("began", job.id)
    async with job.host.data.write(within=job.org_id) as writer:
        await note(writer, job)
    await asyncio.sleep(random.random() * 0.02)
    return job.attempt


async def slow(job: JobCall) -> Any:
    """Its first attempt ends only once it was taken away, and then claims to have succeeded."""
    job.on_success(lambda writer: note(writer, job))
    say("began", job.attempt)
    if job.attempt == 1:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            say("late")
    return job.attempt


@hookimpl
def declare_job_kinds() -> list[JobKind]:
    return [
        JobKind(ONCE, "Exactly once.", handler=once),
        JobKind(OFTEN, "At least once.", handler=often),
        JobKind(SLOW, "Too late.", handler=slow),
    ]


@dataclass(frozen=True)
class Happened:
    number: int


HAPPENED = Event(name="mortal.thing.happened", doc="Something happened.", type=Happened)
_TEAM = "SELECT teams.org_id, team_id, user_id FROM memberships JOIN teams ON teams.id = team_id LIMIT 1"
_SOMEBODY = Statement("somebody", _TEAM, _TEAM)
_deaf: list[bool] = []


async def hear(call: EventCall) -> None:
    if _deaf:
        await asyncio.Event().wait()

    async def effect(writer: Writer) -> None:
        await note(writer, call.job)
        say("heard", call.payload.number)

    call.on_success(effect)


@hookimpl
def declare_events() -> list[Event]:
    return [HAPPENED]


@hookimpl
def declare_subscriptions() -> list[Subscription]:
    return [Subscription(name="hear", event=HAPPENED.name, handler=hear, doc="Hears.", max_attempts=100)]


async def make_things_happen(server: Server) -> None:
    """One after the other; each is said once it is committed."""
    async with server.data.read() as reader:
        somebody = await reader.one(_SOMEBODY)
    assert somebody is not None
    number = 0
    while True:
        number += 1
        async with server.data.write() as writer:
            await server.service(Events).emit(writer, HAPPENED, Happened(number), Origin(**somebody))
        say("wrote", number)


class TalkativeRecovery(rescue.DeadProcessRecovery):
    """Says whom it takes for dead, before it finds out whether they are."""

    async def recover_from(self, silent: Row) -> None:
        say("silent", silent["pid"])
        await super().recover_from(silent)


def hurry() -> None:
    """Signs of life and their absence, five times as fast."""
    rescue.SIGN_SECONDS, rescue.SILENT_MS = 2.0 / HASTE, 5_000 // HASTE
    scheduler.DeadProcessRecovery = TalkativeRecovery  # type: ignore[attr-defined]


def live(mouth: Connection, environment: dict[str, str]) -> None:
    """The whole life of a process."""
    _mouth[:] = [mouth]
    hurry()
    asyncio.run(_serve(Settings.from_environment(environment)))


def live_deaf(mouth: Connection, environment: dict[str, str]) -> None:
    """A life in which much happens and nobody hears of it."""
    _deaf[:] = [True]
    live(mouth, environment)


async def _serve(settings: Settings) -> None:
    plugin = SimpleNamespace(
        PLUGIN=Plugin("mortal", "Mortal", "1.0", "For tests."),
        declare_job_kinds=declare_job_kinds,
        declare_events=declare_events,
        declare_subscriptions=declare_subscriptions,
    )
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    server = Server(settings, extra_plugins=[plugin])
    await server.start()
    say("ready")
    if _deaf:
        await make_things_happen(server)
    while not stopping.is_set():
        async with server.data.read() as reader:
            if not await reader.value(_LIVE):
                say("idle")
        try:
            async with asyncio.timeout(0.05):
                await stopping.wait()
        except TimeoutError:
            continue
    # As long as a stop lets jobs finish, but for the haste.
    await server.declared.scheduler.wind_down(scheduler.GRACE_SECONDS / HASTE)
    await server.stop()
    say("stopped")
