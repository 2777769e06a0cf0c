"""What a streamed turn costs: its tokens, its first one, its memory, and what others feel of five hundred.

Against a bare Quart route that passes the same deltas through from the same endpoint, and does nothing else.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from bench.guildhall import Founder, found, guildhall
from bench.loads import client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import BenchFailed, Server, get, post
from bench.stream_peers import HOLD, STREAM_PATH, bare_app, endpoint

NAME = "ai"
ROUNDS = 9
STREAMS, TOKENS = 16, 400
FIRST_ROUNDS, FIRSTS = 15, 8
OPEN = 500
HOLD_ROUNDS, REQUESTS, WARM_UP = 5, 300, 100
WAITING = 100
BARE = "a bare pass-through"
_CLIENT = Path(__file__).parent.with_name("stream_client.py")
_WAITER = """
import asyncio
from guildhall_sdk import Tool, hookimpl

async def wait(host, principal, arguments):
    await asyncio.sleep(3600)

@hookimpl
def declare_tools():
    return [Tool("wait", "Waits.", "chat:use", hosted=wait)]
"""


@dataclass(frozen=True, slots=True)
class Streamed:
    """What some streams came to: CPU of the server per delta, seconds to the first one of a stream."""

    cpu_us: float
    first_us: float


@dataclass(frozen=True, slots=True)
class StreamClient:
    """Reads streams of one server, from another process."""

    server: Server
    token: str
    process: "subprocess.Popen[str]"

    def stream(self, streams: int, tokens: int) -> Streamed:
        before = self.server.cpu_seconds()
        deltas, first, _ = self._tell(request=self._request("go on", tokens), streams=streams)
        if deltas != streams * tokens:
            raise BenchFailed(f"{deltas} deltas came of {streams * tokens}")
        return Streamed((self.server.cpu_seconds() - before) / deltas * 1e6, first * 1e6)

    def hold(self, streams: int) -> None:
        self._tell(request=self._request(HOLD, 1024), streams=streams, hold=True)

    def release(self) -> None:
        self._tell(release=True)

    def _request(self, prompt: str, tokens: int) -> str:
        return post(STREAM_PATH, {"prompt": prompt, "max_tokens": tokens}, self.token).decode("ascii")

    def _tell(self, **wanted: object) -> tuple[int, float, float]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(wanted) + "\n")
        self.process.stdin.flush()
        told = self.process.stdout.readline().split()
        if not told:
            assert self.process.stderr is not None
            raise BenchFailed(self.process.stderr.read().strip())
        return int(told[0]), float(told[1]), float(told[2])


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        model = stack.enter_context(endpoint(folder))
        settings = {
            "SERVICE_MODEL_URL": f"http://127.0.0.1:{model.port}/v1",
            "SERVICE_MODEL_NAME": "m",
            "SERVICE_PLUGINS": str(_plugins(folder)),
        }
        ours = stack.enter_context(guildhall(folder / "data", **settings))
        founder = found(ours)
        _lift_limits(ours, founder)
        servers = {"ours": ours, "bare": stack.enter_context(bare_app(folder, model))}
        clients = {
            name: stack.enter_context(_stream_client(server, founder.token))
            for name, server in servers.items()
        }
        for each in clients.values():
            each.stream(2, 50)
        _compare_tokens(report, clients)
        _compare_first_tokens(report, clients, model)
        _compare_open_streams(report, clients)
        _wait_with_tools(report, ours, founder)


def _compare_tokens(report: Report, clients: dict[str, StreamClient]) -> None:
    taken = take_turns(
        {name: partial(each.stream, STREAMS, TOKENS) for name, each in clients.items()}, ROUNDS
    )
    ours, bare = ([one.cpu_us for one in taken[name]] for name in ("ours", "bare"))
    report.compare(NAME, f"CPU per token, answers of {TOKENS}", ours, BARE, bare, Aim(1.25))
    report.reading(NAME, "CPU per token, ours", ours, "µs")
    report.reading(NAME, f"CPU per token, {BARE}", bare, "µs")


def _compare_first_tokens(report: Report, clients: dict[str, StreamClient], model: Server) -> None:
    taken = take_turns(
        {
            **{name: partial(_first_of, each) for name, each in clients.items()},
            "endpoint": partial(_own_first_of, model),
        },
        FIRST_ROUNDS,
    )
    own = median(taken["endpoint"])
    ours, bare = ([max(1.0, one - own) for one in taken[name]] for name in ("ours", "bare"))
    report.compare(NAME, "time to the first token beyond the endpoint's", ours, BARE, bare, Aim(1.5))
    for name, series in (("ours", ours), (BARE, bare), ("the endpoint alone", taken["endpoint"])):
        report.reading(NAME, f"time to the first token, {name}", series, "µs")


def _first_of(each: StreamClient) -> float:
    return median(each.stream(1, 2).first_us for _ in range(FIRSTS))


def _own_first_of(model: Server) -> float:
    """Of the endpoint itself, asked by a socket."""
    times = []
    body = json.dumps({"messages": [{"role": "user", "content": "go on"}], "max_tokens": 2})
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    for _ in range(FIRSTS):
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", model.port)) as connection:
            connection.sendall((head + body).encode("ascii"))
            received = b""
            while b"delta" not in received:
                received += connection.recv(65_536)
            times.append(time.perf_counter() - began)
    return median(times) * 1e6


def _compare_open_streams(report: Report, clients: dict[str, StreamClient]) -> None:
    slowest: dict[str, list[float]] = {}
    memory: dict[str, list[float]] = {}
    for name, each in clients.items():
        before = each.server.resident_mib()
        each.hold(OPEN)
        # Of a few streams it may be none that shows.
        memory[name] = [max(1.0, (each.server.resident_mib() - before) * 1024 / OPEN)]
        with client(each.server, get("/api/whoami", each.token), connections=1) as asking:
            asking.load(WARM_UP)
            slowest[name] = [asking.load(REQUESTS).slowest_us for _ in range(HOLD_ROUNDS)]
        each.release()
    what = f"p99 of /api/whoami beside {OPEN} open streams"
    report.compare(NAME, what, slowest["ours"], BARE, slowest["bare"], Aim(3.0))
    report.compare(NAME, "memory per open stream", memory["ours"], BARE, memory["bare"], Aim(1.5))
    for name in ("ours", "bare"):
        report.reading(NAME, f"{what}, {name}", slowest[name], "µs")
        report.reading(NAME, f"memory per open stream, {name}", memory[name], "KiB")


def _wait_with_tools(report: Report, server: Server, founder: Founder) -> None:
    """Calls that wait hold no connection of the database: who asks meanwhile waits for none."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}}
    request = post("/api/mcp/server", call, founder.token)
    with client(server, get("/api/notes", founder.token), connections=1) as asking:
        asking.load(WARM_UP)
        alone = [asking.load(REQUESTS).slowest_us for _ in range(HOLD_ROUNDS)]
        with _unanswered(server, request, WAITING):
            server.wait_until_idle()
            beside = [asking.load(REQUESTS).slowest_us for _ in range(HOLD_ROUNDS)]
    what = f"p99 of /api/notes beside {WAITING} tool calls that wait"
    report.compare(NAME, what, beside, "the same alone", alone, Aim(1.5))


@contextmanager
def _unanswered(server: Server, request: bytes, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            connection.sendall(request)
        yield


def _lift_limits(server: Server, founder: Founder) -> None:
    limit = {"dimension": "ai.concurrency", "limit": None, "window": "none"}
    for path in ("/api/quota", f"/api/orgs/{founder.org_id}/quota"):
        server.ask("POST", path, limit, founder.token)


def _plugins(folder: Path) -> Path:
    """A folder with a plugin whose tool waits."""
    waiter = folder / "plugins" / "waiter"
    waiter.mkdir(parents=True)
    manifest = {"id": "waiter", "name": "W", "version": "1", "description": "Waits.", "entry": "plugin.py"}
    (waiter / "plugin.json").write_text(json.dumps(manifest))
    (waiter / "plugin.py").write_text(_WAITER)
    return waiter.parent


@contextmanager
def _stream_client(server: Server, token: str) -> Iterator[StreamClient]:
    process = subprocess.Popen(
        [sys.executable, "-IS", _CLIENT, str(server.port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield StreamClient(server, token, process)
        finally:
            process.kill()
