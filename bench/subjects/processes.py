"""CPU per request of four processes together, against one process, on PostgreSQL.

Against one with the same load, and against one with as much load as each of the four. Two processors have no
room for four processes side by side: so CPU is compared, and not how fast they are.
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
FOUR, SAME_LOAD, SHARE_OF_IT = "four processes", "one process", "one process with a quarter"


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
            contestants = {
                FOUR: (WORKERS, CONNECTIONS),
                SAME_LOAD: (1, CONNECTIONS),
                SHARE_OF_IT: (1, CONNECTIONS // WORKERS),
            }
            clients = {
                name: stack.enter_context(client(servers[workers], of[workers], connections))
                for name, (workers, connections) in contestants.items()
            }
            _compare(report, what, clients)
        for workers, server in servers.items():
            server.wait_until_idle()
            before = server.cpu_seconds()
            time.sleep(IDLE_SECONDS)
            idle = (server.cpu_seconds() - before) / IDLE_SECONDS * 1000
            report.reading(NAME, f"{workers} processes, idle", [idle], "ms of CPU per second")


def _compare(report: Report, what: str, clients: dict[str, Client]) -> None:
    for each in clients.values():
        each.load(WARM_UP)
    loads = take_turns({name: partial(each.load, REQUESTS) for name, each in clients.items()}, ROUNDS)
    cpu = {name: [load.cpu_us for load in series] for name, series in loads.items()}
    for one in (SAME_LOAD, SHARE_OF_IT):
        report.compare(NAME, f"CPU of {FOUR}, {what}", cpu[FOUR], one, cpu[one], Aim(1.15))
    for name, series in cpu.items():
        report.reading(NAME, f"{name}, {what}", series, "µs of CPU per request")
