"""CPU per authenticated, permission-checked request, against the same JSON without either."""

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.guildhall import found, guildhall, postgresql
from bench.loads import client
from bench.peers import PATH, datasette, is_installed, peer, without_uvloop
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import BenchFailed, Server, get

NAME = "whoami"
ROUNDS = 121
REQUESTS = 25
WARM_UP = 600
CONNECTIONS = 4


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        contestants = _contestants(stack, folder)
        clients = {
            name: stack.enter_context(client(server, request, CONNECTIONS))
            for name, (server, request) in contestants.items()
        }
        for each in clients.values():
            each.load(WARM_UP)
        loads = take_turns({name: partial(each.load, REQUESTS) for name, each in clients.items()}, ROUNDS)
    cpu = {name: [load.cpu_us for load in series] for name, series in loads.items()}
    for database, aim in (("SQLite", Aim(0.95)), ("PostgreSQL", Aim(1.25))):
        what, ours = f"CPU on {database}", cpu[database]
        report.compare(NAME, what, ours, "stock Quart", cpu["stock Quart"], aim)
        report.compare(NAME, what, ours, "raw ASGI", cpu["raw ASGI"])
        if "Datasette" in cpu:
            report.compare(NAME, what, ours, "Datasette", cpu["Datasette"], Aim(1.0, strictly=True))
    report.compare(
        NAME, "CPU on PostgreSQL", cpu["PostgreSQL"], "Quart with a read", cpu["Quart with a read"], Aim(0.85)
    )
    report.compare(NAME, "CPU of raw ASGI", cpu["raw ASGI"], "stock Quart", cpu["stock Quart"])
    if "without uvloop" in cpu:
        plain = cpu["without uvloop"]
        report.compare(NAME, "CPU on SQLite", cpu["SQLite"], "the same without uvloop", plain, Aim(1.0))
        report.compare(NAME, "CPU without uvloop", plain, "stock Quart", cpu["stock Quart"])
    for name, series in cpu.items():
        report.reading(NAME, name, series, "µs of CPU per request")


def _contestants(stack: ExitStack, folder: Path) -> dict[str, tuple[Server, bytes]]:
    """Each server with the request that it is asked over and over."""
    database_url = stack.enter_context(postgresql()).create_database()
    on_sqlite = stack.enter_context(guildhall(folder / "sqlite"))
    on_postgresql = stack.enter_context(guildhall(folder / "postgresql", database_url))
    token = found(on_sqlite).token
    request = get(PATH, token)
    answer = on_sqlite.ask("GET", PATH, token=token)
    quart = stack.enter_context(peer("quart", answer, folder))
    if quart.ask("GET", PATH) != answer:
        raise BenchFailed("the stock Quart route does not give the same JSON")
    known = get(PATH, found(on_postgresql).token)
    reading = stack.enter_context(peer("quart_with_a_read", answer, folder, database_url))
    contestants = {
        "SQLite": (on_sqlite, request),
        "PostgreSQL": (on_postgresql, known),
        "stock Quart": (quart, request),
        "Quart with a read": (reading, known),
        "raw ASGI": (stack.enter_context(peer("asgi", answer, folder)), request),
    }
    if is_installed("uvloop"):
        plain = stack.enter_context(guildhall(folder / "plain", **without_uvloop(folder)))
        contestants["without uvloop"] = (plain, get(PATH, found(plain).token))
    if is_installed("datasette"):
        contestants["Datasette"] = (stack.enter_context(datasette(folder)), get("/-/versions.json"))
    return contestants
