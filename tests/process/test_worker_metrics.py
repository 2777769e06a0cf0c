"""Metrics of `guildhall serve --workers N`: whichever process is asked tells what all have counted."""

import asyncio
import os
import resource
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.process.test_workers import THREE, pids, until

pytestmark = pytest.mark.hall_databases("postgresql")

REQUESTS, DURATIONS = "guildhall_http_requests_total", "guildhall_http_request_duration_seconds"
MEMORY = "guildhall-metrics"
# Says which process answers, and counts that by process; each reports by itself sooner than it would.
COUNTING = """
import os
from builtin_plugins.metrics import shared
from guildhall_sdk import Metric, Reply, Route, hookimpl
from guildhall_sdk.metrics import Distribution
from guildhall_sdk.metrics import Metrics

shared.REPORT_SECONDS = 0.5
waits = Distribution((1, 5))

async def spin(call):
    call.service(Metrics).counter("counting_spins_total").add(str(os.getpid()))
    for wait in (0.5, 3, 9):
        waits.observe(wait)
    return Reply({"pid": os.getpid()})

async def measure_waits(host, reader):
    return {(): waits}

async def measure_one(host, reader):
    return {(): 1}

@hookimpl
def declare_metrics():
    return [
        Metric("counting_spins_total", "Spins", "counter", ("pid",)),
        Metric("counting_waits", "Waits", "histogram", measure=measure_waits),
        Metric("counting_processes", "Each is one", "gauge", measure=measure_one, per_process=True),
        Metric("counting_servers", "All are one", "gauge", measure=measure_one),
    ]

@hookimpl
def declare_routes():
    return [Route("POST", "/api/counting", "spin", "Spin", permission="notes:read")]

@hookimpl
def declare_handlers():
    return {"spin": spin}
"""


class Scrape:
    """What one scrape was answered."""

    def __init__(self, answer):
        assert answer.status_code == 200, answer.text
        items = answer.json()["items"]
        self._families = {item["name"]: item for item in items}
        assert len(self._families) == len(items)

    def samples(self, name):
        return {tuple(sample["labels"].values()): sample for sample in self._families[name]["samples"]}

    def value(self, name, *labels):
        return self.samples(name)[labels]["value"]

    def spins(self):
        return {int(pid): one["value"] for (pid,), one in self.samples("counting_spins_total").items()}

    def counted(self):
        """Every number that may only grow."""
        for name, family in self._families.items():
            if family["type"] == "gauge":
                continue
            for sample in family["samples"]:
                of = (name, *sample["labels"].values())
                yield (*of, "value"), sample["value"]
                for bound, count in sample.get("buckets", {}).items():
                    yield (*of, bound), count
                if "sum" in sample:
                    yield (*of, "sum"), sample["sum"]


class Spinning:
    """Connections to the processes of a server, each kept, and how often each process was asked to spin."""

    def __init__(self, server, bearer, stack):
        self._server, self._bearer, self._stack = server, bearer, stack
        self._connections = {}
        self.spins = {}

    async def spin(self, http):
        answer = await http.post("/api/counting")
        assert answer.status_code == 200, answer.text
        pid = answer.json()["pid"]
        self.spins[pid] = self.spins.get(pid, 0) + 1
        return pid

    async def connect(self, wanted):
        """Until there is a connection to each of these processes, and none to others."""
        self._connections = {pid: http for pid, http in self._connections.items() if pid in wanted}
        async with asyncio.timeout(60):
            while set(self._connections) != set(wanted):
                http = self._bearer(self._server, self._server.people.operator)
                pid = await self.spin(await self._stack.enter_async_context(http))
                if pid in self._connections:
                    await http.aclose()
                else:
                    self._connections[pid] = http

    async def scrape(self, pid):
        return Scrape(await self._connections[pid].get("/api/metrics"))

    async def scrapes(self, of=None):
        return [await self.scrape(pid) for pid in of or self._connections]

    async def reported(self, to=None):
        """Until what was counted so far is told by each."""
        async with asyncio.timeout(60):
            while any(told.spins() != self.spins for told in await self.scrapes(to)):
                pass

    async def spin_at(self, pid):
        assert await self.spin(self._connections[pid]) == pid


@pytest.fixture
async def spinning(serve, bearer, plugin_folder):
    async with (
        serve(options=THREE, SERVICE_PLUGINS=plugin_folder("counting", COUNTING)) as server,
        AsyncExitStack() as stack,
    ):
        await until(lambda: len(pids(server)) == 3)
        spinning = Spinning(server, bearer, stack)
        await spinning.connect(pids(server))
        yield server, spinning


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits the files of another process")
async def test_any_process_tells_the_sum_and_no_counter_falls_when_one_is_killed(spinning):
    server, spinning = spinning
    await spinning.reported()
    first, *_ = before = await spinning.scrapes()
    spins = sum(spinning.spins.values())
    started = first.value("process_start_time_seconds")
    for told in before:
        sums_are_right(told, spins, processes=3)
        assert told.value("process_start_time_seconds") == started
    killed, *others = pids(server)
    await spinning.spin_at(killed)
    await spinning.reported(others)  # without being asked
    last = await spinning.scrape(killed)

    seen = await scrapes_without(killed, server, spinning, others)
    await spinning.connect(pids(server))
    await spinning.reported()
    seen += [*await spinning.scrapes(), *await spinning.scrapes()]
    nothing_fell([first, *before, last, *seen])
    assert spinning.spins[killed] > 0
    for told in seen[-3:]:
        sums_are_right(told, sum(spinning.spins.values()), processes=3)
        assert told.value("process_start_time_seconds") == started
    assert 2 in {told.value("counting_processes") for told in seen}  # before another came in its place

    # Also of one that is told to stop: what it has counted stays.
    told_to_stop = pids(server)[0]
    os.kill(told_to_stop, signal.SIGTERM)
    await until(lambda: told_to_stop not in (left := pids(server)) and len(left) == 3)
    await spinning.connect(pids(server))
    await spinning.reported()
    told = await spinning.scrapes()
    nothing_fell([seen[-1], *told])
    sums_are_right(told[0], sum(spinning.spins.values()), processes=3)
    assert len(told[0].spins()) == 5
    assert (server.errors, server.logged("metric.failed"), server.logged("background.failed")) == ([], [], [])


async def scrapes_without(killed, server, spinning, others):
    """Scrapes of those that are left, in turn, before and while another takes the place of the one killed."""
    seen, supervisor = [], server.running.pid
    _, most = files = resource.prlimit(supervisor, resource.RLIMIT_NOFILE)
    resource.prlimit(supervisor, resource.RLIMIT_NOFILE, (3, most))  # it can start nobody meanwhile
    os.kill(killed, signal.SIGKILL)
    await until(lambda: server.logged("process.not_started"))
    for _ in range(2):
        seen += await spinning.scrapes(others)
    resource.prlimit(supervisor, resource.RLIMIT_NOFILE, files)
    while len(pids(server)) < 3:
        seen += await spinning.scrapes(others)
    return seen


def sums_are_right(told, spins, processes):
    assert sum(told.spins().values()) == spins
    assert told.value(REQUESTS, "POST", "/api/counting", "200") == spins
    durations = told.samples(DURATIONS)["POST", "/api/counting"]
    assert durations["value"] == durations["buckets"]["+Inf"] == spins
    waits = told.samples("counting_waits")[()]
    assert (waits["value"], waits["sum"]) == (3 * spins, 12.5 * spins)
    assert waits["buckets"] == {"1": spins, "5": 2 * spins, "+Inf": 3 * spins}
    assert (told.value("counting_processes"), told.value("counting_servers")) == (processes, 1)
    assert told.value("process_resident_memory_bytes") > processes * 20_000_000
    assert told.value("guildhall_processes") >= processes


def nothing_fell(scrapes):
    known = {}
    for told in scrapes:
        found = dict(told.counted())
        assert {of: count for of, count in known.items() if found.get(of, -1) < count} == {}
        known = found


@pytest.mark.long_form
@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="elsewhere than on Linux they are in a file")
async def test_reports_have_no_name_and_a_server_on_its_own_makes_none(serve):
    async with serve() as alone, serve(options=("--workers", "2")) as several:
        assert shared_memory(alone.running.pid) == []
        assert shared_memory(several.running.pid) == [f"/memfd:{MEMORY} (deleted)"] * 4


def shared_memory(pid):
    found = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return [name for name in found if MEMORY in name]
