"""Writers that come together: what they cost on SQLite, and that one company's wait for no commit but one.

PostgreSQL is made to take ten milliseconds over every flush of its log, as a slow disk or a synchronous
standby would. Eight writers of one company are then compared with one writer of each of eight companies.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import asyncpg

from bench.guildhall import PASSWORD, found, guildhall, postgresql
from bench.loads import Client, Load, client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server, post

NAME = "commits"
WRITERS = 8
ROUNDS, REQUESTS, WARM_UP = 15, 80, 80
SLOW_COMMIT_US = 10_000
ONE_AGAINST_EIGHT = 0.7
NOTE = {"title": "Arrivals", "body": "Two ships came in with the tide; the third waits off the bar."}
JOB = {"kind": "x.integrator-demo.lane-report", "payload": {"lane": "hamburg-shanghai"}}


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        _on_sqlite(report, folder / "sqlite")
        cluster = stack.enter_context(postgresql(durable=True))
        _on_postgresql(report, folder / "postgresql", cluster.create_database())


def _on_sqlite(report: Report, data: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(guildhall(data))
        token = found(server).token
        clients: dict[str, Client] = {}
        for what, request in (
            ("POST /api/notes", post("/api/notes", NOTE, token)),
            ("POST /api/jobs", post("/api/jobs", JOB, token)),
        ):
            for writers in (1, WRITERS):
                clients[f"{what} × {writers}"] = stack.enter_context(client(server, request, writers))
        loads = _measured(clients)
    for what in ("POST /api/notes", "POST /api/jobs"):
        alone, together = loads[f"{what} × 1"], loads[f"{what} × {WRITERS}"]
        cpu = [[load.cpu_us for load in series] for series in (together, alone)]
        report.compare(NAME, f"CPU of {what}, {WRITERS} writers on SQLite", cpu[0], "one writer", cpu[1])
    for name, series in loads.items():
        _readings(report, f"{name} on SQLite", series)


def _on_postgresql(report: Report, data: Path, url: str) -> None:
    asyncio.run(_slow_commits(url))
    with ExitStack() as stack:
        server = stack.enter_context(guildhall(data, url))
        tokens = [found(server).token]
        tokens += [_company(server, f"c{number}", tokens[0]) for number in range(1, WRITERS)]
        requests = [post("/api/notes", NOTE, token) for token in tokens]
        clients = {
            "one": stack.enter_context(client(server, requests[0], WRITERS)),
            "eight": stack.enter_context(client(server, requests, WRITERS)),
        }
        loads = _measured(clients)
    seconds = {name: [1 / load.per_second for load in series] for name, series in loads.items()}
    report.compare(
        NAME,
        f"time per note on PostgreSQL with slow commits, {WRITERS} writers of one company",
        seconds["one"],
        f"of {WRITERS} companies",
        seconds["eight"],
        Aim(1 / ONE_AGAINST_EIGHT),
    )
    _readings(report, "POST /api/notes, one company, slow commits", loads["one"])
    _readings(report, "POST /api/notes, eight companies, slow commits", loads["eight"])


def _measured(clients: dict[str, Client]) -> dict[str, list[Load]]:
    for each in clients.values():
        each.load(WARM_UP)
    return take_turns({name: partial(each.load, REQUESTS) for name, each in clients.items()}, ROUNDS)


def _readings(report: Report, what: str, loads: Sequence[Load]) -> None:
    report.reading(NAME, what, [load.per_second for load in loads], "requests a second")
    report.reading(NAME, what, [load.cpu_us / 1000 for load in loads], "ms of CPU per request")
    report.reading(NAME, what, [load.slowest_us / 1000 for load in loads], "ms, 99th percentile")


async def _slow_commits(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("ALTER SYSTEM SET commit_siblings = 0")
        await connection.execute(f"ALTER SYSTEM SET commit_delay = {SLOW_COMMIT_US}")
        await connection.execute("SELECT pg_reload_conf()")
    finally:
        await connection.close()


def _company(server: Server, name: str, operator: str) -> str:
    owner = {"username": name, "password": PASSWORD}
    answer = server.ask("POST", "/api/orgs", {"name": name, "owner": owner}, operator)
    token: str = answer["token"]
    return token
