"""Looking after an instance that has grown: counting, verifying and scrubbing what years have left.

The counts and a verification from the last checkpoint take the same time however much there is. Reading the
whole trail and every blob, and looking whether anything needs it, take the same time for each, and no more
memory.
`BENCH_GROWTH=20` in the environment takes a million of each, and 200,000 blobs.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from bench.growth_sizes import grown
from bench.guildhall import found, guildhall, postgresql
from bench.loads import Client, client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import ROOT, BenchFailed, get
from bench.upkeep_rows import blobs_of, chain_of, copy_rows, fill_counted, run_statements
from builtin_plugins.audit import checkpointing
from builtin_plugins.audit.chain import PURPOSE
from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.verification import LAST_CHECKPOINT, verify
from builtin_plugins.backup.scrubbing import Scrub
from builtin_plugins.repo.blob_lifecycle import REFERENCES
from builtin_plugins.repo.sweeping import DAY_MS, OrphanSweep
from guildhall_sdk.blobs import BlobStore
from kernel.cli.instance import OpenedInstance, opened_instance
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.plugins.discovery import directory
from kernel.plugins.engines import engine_of

NAME = "upkeep"
PATHS = ("/api/metrics", "/api/admin/status")
DATABASES = ("SQLite", "PostgreSQL")
FEW, MANY = 1_000, 200_000
FEW_EVENTS, MANY_EVENTS, TAIL = 2_000, 50_000, 500
FEW_BLOBS, MANY_BLOBS, MOST_BLOBS = 1_000, 20_000, 200_000
ROUNDS = 15
REQUESTS = 3
WARM_UP = 3
_COMPANY = "org_of_the_bench"
_CLOCK = SystemClock()


@dataclass(frozen=True, slots=True)
class Size:
    """How much of each there is."""

    rows: int
    events: int
    blobs: int


@dataclass(frozen=True, slots=True)
class Work:
    """What a piece of upkeep took: seconds, and MiB of memory at the highest beyond what there was."""

    seconds: float
    grown_mib: float


def run(report: Report) -> None:
    few = Size(FEW, FEW_EVENTS, FEW_BLOBS)
    many = Size(grown(MANY), grown(MANY_EVENTS), grown(MANY_BLOBS, MOST_BLOBS))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        for database in DATABASES:
            works, clients, settings = {}, {}, {}
            for size in (few, many):
                url = None if database == "SQLite" else cluster.create_database()
                data = folder / f"{database}-{size.rows}"
                token = _fill(data, url, size)
                settings[size] = _settings(data, url)
                works[size] = asyncio.run(_measured_upkeep(settings[size]))
                clients[size] = _clients(stack, data, url, token)
            _report_since(report, database, asyncio.run(_since(settings[few], settings[many])))
            _report_works(report, database, works[few], works[many], few, many)
            _report_counts(report, database, clients[few], clients[many])


def _fill(data: Path, url: str | None, size: Size) -> str:
    """Fills an instance while no server has it open; returns the token of its operator."""
    with guildhall(data, url) as server:
        founder = found(server)
    place = url or f"sqlite:///{data}/guildhall.db"
    fill_counted(place, founder, size.rows)
    key = asyncio.run(_audit_key(_settings(data, url)))
    events = chain_of(key, _COMPANY, size.events)
    copy_rows(place, chain(events, blobs_of(data, founder.org_id, size.blobs)))
    asyncio.run(_make_checkpoints(_settings(data, url)))
    newest = size.events - TAIL
    run_statements(place, [f"DELETE FROM audit_checkpoints WHERE chain = '{_COMPANY}' AND seq > {newest}"])
    return founder.token


def _settings(data: Path, url: str | None) -> Settings:
    database = {} if url is None else {"SERVICE_DATABASE_URL": url}
    return Settings.from_environment({"SERVICE_DATA": str(data), **database})


async def _audit_key(settings: Settings) -> bytes:
    async with opened_instance(settings, engine_of(settings)) as instance:
        return instance.vault.derive(PURPOSE)


async def _make_checkpoints(settings: Settings) -> None:
    async with opened_instance(settings, engine_of(settings)) as instance:
        key = instance.vault.derive(PURPOSE)
        with mock.patch.object(checkpointing, "PIECE_EVENTS", TAIL):
            await Checkpointing(instance.data, key, _CLOCK).catch_up(rest_seconds=0)


async def _measured_upkeep(settings: Settings) -> dict[str, Work]:
    async with opened_instance(settings, engine_of(settings)) as instance:
        return {
            "whole": await _worked(partial(_verify, instance, None)),
            "scrub": await _worked(partial(_scrub, instance, settings)),
            "sweep": await _worked(partial(_sweep, instance, settings)),
        }


async def _since(few: Settings, many: Settings) -> tuple[list[float], list[float]]:
    """Verifies from the last checkpoint, by turns; returns the seconds that each took with few and many."""
    engine = engine_of(few)
    async with opened_instance(few, engine) as small, opened_instance(many, engine) as large:
        seconds: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS + 1):
            for series, instance in zip(seconds, (small, large), strict=True):
                series.append((await _worked(partial(_verify, instance, LAST_CHECKPOINT))).seconds)
    return seconds[0][1:], seconds[1][1:]


async def _verify(instance: OpenedInstance, since: int | None) -> None:
    verdict = await verify(instance.data, instance.vault.derive(PURPOSE), since=since)
    if not verdict.ok:
        raise BenchFailed(str(verdict.faults[0]))


@asynccontextmanager
async def _store(settings: Settings) -> AsyncIterator[BlobStore]:
    _, plugin = directory(ROOT / "plugins/rs3").load()
    (kind,) = plugin.declare_blob_stores()
    store = await kind.open(settings.data, {})
    try:
        yield store
    finally:
        await store.close()


async def _scrub(instance: OpenedInstance, settings: Settings) -> None:
    async with _store(settings) as store:
        scrub = Scrub(store, instance.data, [REFERENCES], lambda wrong, blob: None)
        scrubbed = await scrub.run(_CLOCK.now_ms())
    if not scrubbed.sound or scrubbed.unused:
        raise BenchFailed("the scrub found something where nothing is wrong")


async def _sweep(instance: OpenedInstance, settings: Settings) -> None:
    """Looks at every blob as if all were old enough to go."""
    tomorrow = SimpleNamespace(now_ms=lambda: _CLOCK.now_ms() + 2 * DAY_MS)
    host: Any = SimpleNamespace(clock=tomorrow, data=instance.data)

    async def give_up(org_id: str, sha256: str) -> bool:
        raise BenchFailed("the sweep found something that nothing needs")

    async with _store(settings) as store:
        await OrphanSweep(host, lambda: store, give_up).sweep()


async def _worked(work: Callable[[], Awaitable[None]]) -> Work:
    own = Path("/proc/self")
    (own / "clear_refs").write_text("5", "ascii")
    before, began = _mib(own, "VmRSS:"), time.perf_counter()
    await work()
    return Work(time.perf_counter() - began, max(0.0, _mib(own, "VmHWM:") - before))


def _mib(process: Path, figure: str) -> float:
    return int((process / "status").read_text("ascii").split(figure)[1].split()[0]) / 1024


def _clients(stack: ExitStack, data: Path, url: str | None, token: str) -> dict[str, Client]:
    server = stack.enter_context(guildhall(data, url))
    clients = {path: stack.enter_context(client(server, get(path, token), 1)) for path in PATHS}
    for one in clients.values():
        one.load(WARM_UP)
    return clients


def _report_counts(report: Report, database: str, few: dict[str, Client], many: dict[str, Client]) -> None:
    for path in PATHS:
        turns = {"few": partial(few[path].load, REQUESTS), "many": partial(many[path].load, REQUESTS)}
        loads = take_turns(turns, ROUNDS)
        for measure in ("cpu_us", "latency_us"):
            ours, theirs = ([getattr(load, measure) for load in loads[name]] for name in ("many", "few"))
            name = "CPU" if measure == "cpu_us" else "latency"
            what = f"{name}, {path} on {database}, {grown(MANY):,} of each"
            report.compare(NAME, what, ours, f"{FEW:,} of each", theirs, Aim(1.5))
            report.reading(NAME, what, ours, "µs per request")


def _report_since(report: Report, database: str, seconds: tuple[list[float], list[float]]) -> None:
    few, many = seconds
    what = f"audit verify since its checkpoint on {database}, {grown(MANY_EVENTS):,} events"
    report.compare(NAME, what, many, f"{FEW_EVENTS:,} events", few, Aim(1.5))
    report.reading(NAME, what, [one * 1000 for one in many], "ms")


def _report_works(
    report: Report, database: str, few: dict[str, Work], many: dict[str, Work], small: Size, large: Size
) -> None:
    for name, work, count, least in (
        ("audit verify, an event", "whole", large.events, small.events),
        ("scrub, a blob", "scrub", large.blobs, small.blobs),
        ("orphan sweep, a blob", "sweep", large.blobs, small.blobs),
    ):
        each, each_of_few = [many[work].seconds / count], [few[work].seconds / least]
        what = f"{name} of {count:,} on {database}"
        report.compare(NAME, what, each, f"one of {least:,}", each_of_few, Aim(1.5))
        report.reading(NAME, what, [one * 1e6 for one in each], "µs")
        report.reading(NAME, f"{what}, growth of RSS", [many[work].grown_mib], "MiB")
