"""CPU of the catalog of all screens, from memory, against `GET /health` of the same server."""

import tempfile
import urllib.request
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.guildhall import guildhall, postgresql
from bench.loads import client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server, get

NAME = "l10n"
ROUNDS = 121
REQUESTS = 25
WARM_UP = 600
CONNECTIONS = 4
PATH = "/api/i18n/catalog?locale=nl"


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        database_url = stack.enter_context(postgresql()).create_database()
        servers = {
            "SQLite": stack.enter_context(guildhall(folder / "sqlite")),
            "PostgreSQL": stack.enter_context(guildhall(folder / "postgresql", database_url)),
        }
        requests = {
            f"{what} on {database}": (server, request)
            for database, server in servers.items()
            for what, request in _requests(server).items()
        }
        clients = {
            name: stack.enter_context(client(server, request, CONNECTIONS))
            for name, (server, request) in requests.items()
        }
        for each in clients.values():
            each.load(WARM_UP)
        loads = take_turns({name: partial(each.load, REQUESTS) for name, each in clients.items()}, ROUNDS)
    cpu = {name: [load.cpu_us for load in series] for name, series in loads.items()}
    for database in servers:
        health, what = cpu[f"health on {database}"], f"CPU of a catalog on {database}"
        unchanged, whole = cpu[f"304 on {database}"], cpu[f"whole on {database}"]
        report.compare(NAME, f"{what}, 304", unchanged, "GET /health", health, Aim(1.2))
        report.compare(NAME, f"{what}, whole", whole, "GET /health", health)
    for name, series in cpu.items():
        report.reading(NAME, name, series, "µs of CPU per request")


def _requests(server: Server) -> dict[str, bytes]:
    """The catalog for who has it and for who has it not, and what it is measured by."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{PATH}") as answer:
        tag = answer.headers["ETag"]
    whole = get(PATH)
    held = whole.replace(b"\r\n\r\n", f"\r\nIf-None-Match: {tag}\r\n\r\n".encode())
    return {"health": get("/health"), "304": held, "whole": whole}
