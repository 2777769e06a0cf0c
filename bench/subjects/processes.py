"""CPU per request of four processes together, against one process with the same load, on PostgreSQL.

Two processors have no room for four processes side by side: so CPU is compared, and not how fast they are.
"""

import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.guildhall import found, guildhall, postgresql
from bench.loads import Client, client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import get, post

NAME = "processes"
WORKERS = 4
ROUNDS = 41
REQUESTS = 48
# Of each process: where it has met its statements, and its connections to the database are open.
WARM_UP = 800
CONNECTIONS = 16
IDLE_SECONDS = 5.0


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        database = stack.enter_context(postgresql())
        servers = {
            workers: stack.enter_context(
                guildhall(folder / str(workers), database.create_database(), workers)
            )
            for workers in (1, WORKERS)
        }
        tokens = {workers: found(server).token for workers, server in servers.items()}
        requests = {
            "whoami": {workers: get("/api/whoami", token) for workers, token in tokens.items()},
            "a note written": {
                workers: post("/api/notes", {"title": "One of many", "body": "of the bench"}, token)
                for workers, token in tokens.items()
            },
        }
        for what, of in requests.items():
            clients = {
                workers: stack.enter_context(client(server, of[workers], CONNECTIONS))
                for workers, server in servers.items()
            }
            _compare(report, what, clients)
        for workers, server in servers.items():
            server.wait_until_idle()
            before = server.cpu_seconds()
            time.sleep(IDLE_SECONDS)
            idle = (server.cpu_seconds() - before) / IDLE_SECONDS * 1000
            report.reading(NAME, f"{workers} processes, idle", [idle], "ms of CPU per second")


def _compare(report: Report, what: str, clients: dict[int, Client]) -> None:
    for each in clients.values():
        each.load(WARM_UP)
    loads = take_turns(
        {str(workers): partial(each.load, REQUESTS) for workers, each in clients.items()}, ROUNDS
    )
    cpu = {workers: [load.cpu_us for load in series] for workers, series in loads.items()}
    four, one = cpu[str(WORKERS)], cpu["1"]
    report.compare(NAME, f"CPU of {WORKERS} processes, {what}", four, "one process", one, Aim(1.15))
    for workers, series in cpu.items():
        report.reading(NAME, f"{workers} processes, {what}", series, "µs of CPU per request")
