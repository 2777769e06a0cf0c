"""What a streamed turn costs: its tokens, its memory, and what others feel of five hundred.

Against a bare Quart route that passes the same deltas through from the same endpoint, and does nothing else.
"""

import json
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench.guildhall import Founder
from bench.loads import client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server, get, post
from bench.streams import BARE, OURS, StreamClient, streaming

NAME = "ai"
ROUNDS = 10
STREAMS, TOKENS = 16, 400
OPEN = 500
HOLD_ROUNDS, REQUESTS, WARM_UP = 5, 300, 100
WAITING = 100
_WAITER = """
import asyncio
from guildhall_sdk import Tool, hookimpl

async def wait(host, principal, arguments):
    await asyncio.sleep(3600)

@hookimpl
def declare_tools():
    return [Tool("wait", "Waits.", "chat:use", hosted=wait)]
"""


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        with streaming(folder, SERVICE_PLUGINS=str(_plugins(folder))) as running:
            _compare_tokens(report, running.clients)
            _compare_open_streams(report, running.clients)
            _wait_with_tools(report, running.ours, running.founder)


def _compare_tokens(report: Report, clients: Mapping[str, StreamClient]) -> None:
    taken = take_turns(
        {name: partial(each.stream, STREAMS, TOKENS) for name, each in clients.items()}, ROUNDS
    )
    ours, bare = ([one.cpu_us for one in taken[name]] for name in (OURS, BARE))
    report.compare(NAME, f"CPU per token, answers of {TOKENS}", ours, BARE, bare, Aim(1.25))
    report.reading(NAME, "CPU per token, ours", ours, "µs")
    report.reading(NAME, f"CPU per token, {BARE}", bare, "µs")


def _compare_open_streams(report: Report, clients: Mapping[str, StreamClient]) -> None:
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
    report.compare(NAME, what, slowest[OURS], BARE, slowest[BARE], Aim(3.0))
    report.compare(NAME, "memory per open stream", memory[OURS], BARE, memory[BARE], Aim(1.5))
    for name in (OURS, BARE):
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


def _plugins(folder: Path) -> Path:
    """A folder with a plugin whose tool waits."""
    waiter = folder / "plugins" / "waiter"
    waiter.mkdir(parents=True)
    manifest = {"id": "waiter", "name": "W", "version": "1", "description": "Waits.", "entry": "plugin.py"}
    (waiter / "plugin.json").write_text(json.dumps(manifest))
    (waiter / "plugin.py").write_text(_WAITER)
    return waiter.parent
