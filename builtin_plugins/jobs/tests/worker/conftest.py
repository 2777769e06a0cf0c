"""A worker in this process, its time in the test's hands, and a stand-in for the server's four routes."""

import asyncio
import contextlib
import heapq
import itertools
import json
import threading
from dataclasses import dataclass, field

import httpx
import pytest

from builtin_plugins.jobs.worker.api_client import ApiClient, HeldJob, Lease
from builtin_plugins.jobs.worker.attempt import Attempt
from builtin_plugins.jobs.worker.display import ProgressReport
from builtin_plugins.jobs.worker.kinds import Runnable
from builtin_plugins.jobs.worker.pull_worker import Worker
from guildhall_testing.clock import FakeClock

TOKEN = "ghw_canary"
KIND = "x.toy.sum"
PATIENCE = 60
"""Seconds after which what a test waits for will not come; a broken worker fails instead of hanging."""


class FakeTime(FakeClock):
    """Time that passes when the test says so, and wakes whoever slept that long."""

    def __init__(self):
        super().__init__()
        self._sleepers = []
        self._order = itertools.count()
        self._changed = asyncio.Event()

    async def sleep(self, seconds):
        if round(seconds * 1000) <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        entry = (self.steady_ms() + round(seconds * 1000), next(self._order), woken)
        heapq.heappush(self._sleepers, entry)
        self._changed.set()
        await woken

    def waits(self):
        """For how long each sleeper still has to sleep, in seconds."""
        return [(at - self.steady_ms()) / 1000 for at, _, woken in sorted(self._sleepers) if not woken.done()]

    async def slept(self, low, high=None):
        """Once somebody sleeps so long, how long it is."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for wait in self.waits():
                    if low <= wait <= (low if high is None else high):
                        return wait
                self._changed.clear()
                await self._changed.wait()

    def pass_time(self, seconds):
        """Moves the clock at once, as for a process that was stopped meanwhile, and wakes who is due."""
        self.advance(seconds=seconds)
        while self._sleepers and self._sleepers[0][0] <= self.steady_ms():
            woken = heapq.heappop(self._sleepers)[2]
            if not woken.done():
                woken.set_result(None)


class Gate:
    """A handler that waits for the test, without blocking."""

    def __init__(self, result="fine"):
        self.result = result
        self.stopped = threading.Event()
        self._entered = threading.Semaphore(0)
        self._inside = []

    async def __call__(self, call):
        opened = asyncio.Event()
        self._inside.append((asyncio.get_running_loop(), opened))
        self._entered.release()
        try:
            await opened.wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise
        return self.result

    async def entered(self, times=1):
        for _ in range(times):
            assert await asyncio.to_thread(self._entered.acquire, True, PATIENCE)

    def open(self):
        for loop, opened in self._inside:
            loop.call_soon_threadsafe(opened.set)


@pytest.fixture
def make_gate():
    return Gate


@dataclass
class Request:
    route: str
    job_id: str | None
    body: dict
    headers: dict
    _answer: asyncio.Future

    def answer(self, status=200, body=None, **headers):
        self._answer.set_result((status, body, headers))

    def hang_up(self):
        self._answer.set_result(None)

    def problem(self, status, code, detail, **headers):
        self.answer(status, {"status": status, "code": code, "title": code, "detail": detail}, **headers)

    def not_known(self, *kinds):
        detail = f"There is no job kind {', '.join(kinds)}."
        self.answer(400, {"status": 400, "code": "unknown_kind", "detail": detail, "kinds": list(kinds)})

    def give(self, job_id="job_1", kind=KIND, payload=None, seconds=60, token="1.abc"):
        lease = {"seconds": seconds, "expires_at": "2001-01-01T00:00:00.000Z"}
        self.answer(
            200,
            {
                "id": job_id,
                "kind": kind,
                "payload": payload,
                "attempt": 1,
                "team_id": "team_1",
                "lease": lease,
                "claim_token": token,
            },
        )

    def extend(self, seconds=60):
        self.answer(200, {"lease": {"seconds": seconds, "expires_at": "2001-01-01T00:00:00.000Z"}})


@dataclass
class FakeApi:
    """Hands every request to the test, which answers it."""

    port: int = 0
    _queue: asyncio.Queue = field(default_factory=asyncio.Queue)
    _connections: set = field(default_factory=set)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    async def next(self, route=None):
        request = await asyncio.wait_for(self._queue.get(), PATIENCE)
        assert route is None or request.route == route, f"expected {route}, got {request}"
        return request

    def unread(self):
        return self._queue.qsize()

    async def serve(self, reader, writer):
        self._connections.add(asyncio.current_task())
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._connections.discard(asyncio.current_task())
            writer.close()

    async def _one(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        method, path, _ = first.split(" ")
        parts = path.removeprefix("/api/workers/").split("/")
        assert method == "POST"
        answer = asyncio.get_running_loop().create_future()
        job_id = parts[1] if parts[0] == "jobs" else None
        await self._queue.put(Request(parts[-1], job_id, body, headers, answer))
        gone = asyncio.ensure_future(reader.read(1))
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            await self._queue.put(Request("gone", job_id, body, headers, answer))
            return False
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        if answer.result() is None:
            return False
        status, content, extra = answer.result()
        data = b"" if content is None else json.dumps(content).encode()
        extra = {name.replace("_", "-"): value for name, value in extra.items()}
        fields = {"Content-Length": len(data), "Content-Type": "application/json", **extra}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode("latin-1") + data)
        await writer.drain()
        return True

    async def close(self):
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)


@contextlib.asynccontextmanager
async def fake_api():
    fake = FakeApi()
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    yield fake
    server.close()
    await fake.close()


@pytest.fixture
async def api():
    async with fake_api() as fake:
        yield fake


@pytest.fixture
async def second_api():
    """As a stand-in for a model's endpoint: its route is `completions`."""
    async with fake_api() as fake:
        yield fake


@pytest.fixture
async def clock():
    return FakeTime()


@pytest.fixture
async def client(api):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(
        base_url=api.url, headers=headers, timeout=60, verify=False, trust_env=False
    ) as client:
        yield client


class Lines:
    """A display that remembers."""

    def __init__(self):
        self.events = []
        self.shown = ""

    def event(self, text):
        self.events.append(text)

    def now(self, text):
        self.shown = text

    def close(self):
        pass

    def show(self, words):
        return any(words in event for event in self.events)


@pytest.fixture
def lines():
    return Lines()


@pytest.fixture
def start_attempt(client, clock):
    """`start_attempt(handler, seconds=60)`: an attempt under way, and the task that ends with its ending."""
    started = []

    def start(handler, *, seconds=60, timeout_seconds=3600, payload=None):
        lease = Lease.starting(clock.steady_ms(), seconds)
        held = HeldJob("job_1", KIND, payload, 1, lease, "1.abc")
        attempt = Attempt(ApiClient(client, clock), clock, held, Runnable(handler, timeout_seconds))
        task = asyncio.ensure_future(asyncio.wait_for(attempt.run(), PATIENCE))
        started.append(task)
        return attempt, task

    yield start
    for task in started:
        task.cancel()


@pytest.fixture
async def start_worker(client, clock, lines):
    """`start_worker(handler, slots=1)`: a worker for the kind x.toy.sum, and the task of its run."""
    started = []

    def start(handler, *, slots=1, models=(), timeout_seconds=3600, also=()):
        kinds = {name: Runnable(handler, timeout_seconds) for name in (KIND, *also)}
        worker = Worker(
            ApiClient(client, clock), clock, kinds, ProgressReport(lines), models=list(models), slots=slots
        )
        task = asyncio.ensure_future(asyncio.wait_for(worker.run(), PATIENCE))
        started.append(task)
        return worker, task

    yield start
    for task in started:
        task.cancel()
        with contextlib.suppress(BaseException):
            await task
