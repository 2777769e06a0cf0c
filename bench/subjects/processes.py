"""CPU per request of four processes together, against one process, on PostgreSQL.

Against one with the same load, and against one with as much load as each of the four. Two processors have no
room for four processes side by side: so CPU is compared, and not how fast they are. They still take turns on
them, and each finds the caches full of what another left there. What that costs by itself is shown by four
servers that share nothing but the machine: one process, one database and one company each.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean

from bench.guildhall import found, guildhall, postgresql
from bench.loads import client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server, get, post

NAME = "processes"
WORKERS = 4
ROUNDS = 35
REQUESTS = 48
# Of each process: where it has met its statements, and its connections to the database are open.
WARM_UP = 400
CONNECTIONS = 16
IDLE_SECONDS = 5.0
FOUR, SAME_LOAD, SHARE_OF_IT = "four processes", "one process", "one process with a quarter"
APART = "four servers apart"
MakeRequest = Callable[[str], bytes]
REQUEST_OF: Mapping[str, MakeRequest] = {
    "whoami": lambda token: get("/api/whoami", token),
    "a note written": lambda token: post(
        "/api/notes", {"title": "One of many", "body": "of the bench"}, token
    ),
}


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        database = stack.enter_context(postgresql())

        def serve(name: str, workers: int) -> Server:
            return stack.enter_context(guildhall(folder / name, database.create_database(), workers))

        four = serve("four", WORKERS)
        apart = [serve(f"apart-{number}", 1) for number in range(WORKERS)]
        tokens = {server.port: found(server).token for server in (four, *apart)}
        contestants = {
            FOUR: ([four], CONNECTIONS),
            SAME_LOAD: (apart[:1], CONNECTIONS),
            SHARE_OF_IT: (apart[:1], CONNECTIONS // WORKERS),
            APART: (apart, CONNECTIONS // WORKERS),
        }
        for what, request_of in REQUEST_OF.items():
            loads = {
                name: stack.enter_context(_load(servers, connections, request_of, tokens))
                for name, (servers, connections) in contestants.items()
            }
            _compare(report, what, loads)
        for workers, server in ((1, apart[0]), (WORKERS, four)):
            server.wait_until_idle()
            before = server.cpu_seconds()
            time.sleep(IDLE_SECONDS)
            idle = (server.cpu_seconds() - before) / IDLE_SECONDS * 1000
            report.reading(NAME, f"{workers} processes, idle", [idle], "ms of CPU per second")


@contextmanager
def _load(
    servers: Sequence[Server], connections: int, request_of: MakeRequest, tokens: Mapping[int, str]
) -> Iterator[Callable[[int], float]]:
    """Gives what puts so many requests on the servers, shared out and at once; the CPU of each in µs."""
    with ExitStack() as stack:
        clients = [
            stack.enter_context(client(server, request_of(tokens[server.port]), connections))
            for server in servers
        ]
        threads = stack.enter_context(ThreadPoolExecutor(len(clients)))

        def load(requests: int) -> float:
            shares = threads.map(lambda one: one.load(requests // len(clients)), clients)
            return fmean(share.cpu_us for share in shares)

        yield load


def _compare(report: Report, what: str, loads: Mapping[str, Callable[[int], float]]) -> None:
    for name, load in loads.items():
        load(WARM_UP * (WORKERS if name in (FOUR, APART) else 1))
    cpu = take_turns({name: partial(load, REQUESTS) for name, load in loads.items()}, ROUNDS)
    for peer in (SAME_LOAD, SHARE_OF_IT, APART):
        report.compare(NAME, f"CPU of {FOUR}, {what}", cpu[FOUR], peer, cpu[peer], Aim(1.15))
    report.compare(NAME, f"CPU of {APART}, {what}", cpu[APART], SAME_LOAD, cpu[SAME_LOAD])
    for name, series in cpu.items():
        report.reading(NAME, f"{name}, {what}", series, "µs of CPU per request")
