"""Listing notes must cost the same whether the team has a thousand of them or a hundred thousand."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.filling import fill_postgresql, fill_sqlite
from bench.guildhall import found, guildhall, postgresql
from bench.loads import Client, Load, client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server, get

NAME = "notes"
PATH = "/api/notes"
FEW, MANY = 1_000, 100_000
ROUNDS = 61
REQUESTS = 6
WARM_UP = 40
DEEP = 10_000


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        clients: dict[str, Client] = {}
        for notes in (FEW, MANY):
            for database, url in (("SQLite", None), ("PostgreSQL", cluster.create_database())):
                server, token = _filled_server(stack, folder / f"{database}-{notes}", url, notes)
                for page, path in (("first page", PATH), ("deep page", _deep_path(server, token, notes))):
                    asking = stack.enter_context(client(server, get(path, token), connections=1))
                    asking.load(WARM_UP)
                    clients[f"{page} on {database}, {notes:,} notes"] = asking
        loads = take_turns({name: partial(each.load, REQUESTS) for name, each in clients.items()}, ROUNDS)
    for database in ("SQLite", "PostgreSQL"):
        for page in ("first page", "deep page"):
            few, many = (loads[f"{page} on {database}, {notes:,} notes"] for notes in (FEW, MANY))
            _compare(report, f"{page} on {database}", many, few)


def _filled_server(stack: ExitStack, data: Path, url: str | None, notes: int) -> tuple[Server, str]:
    """A server over that many notes, and the token of a plain member, who must not see all of them."""
    with guildhall(data, url) as server:
        founder = found(server)
        joined = server.ask("POST", "/api/members", {"username": "bob", "role": "member"}, founder.token)
    member_id: str = joined["member"]["user_id"]
    if url is None:
        fill_sqlite(data / "guildhall.db", notes, founder, member_id)
    else:
        fill_postgresql(url, notes, founder, member_id)
    return stack.enter_context(guildhall(data, url)), joined["token"]


def _compare(report: Report, what: str, many: Sequence[Load], few: Sequence[Load]) -> None:
    for measure, ours, theirs in (
        ("CPU", [load.cpu_us for load in many], [load.cpu_us for load in few]),
        ("latency", [load.latency_us for load in many], [load.latency_us for load in few]),
    ):
        name = f"{measure}, {what}, {MANY:,} notes"
        report.compare(NAME, name, ours, f"{FEW:,} notes", theirs, Aim(1.2))
        report.reading(NAME, name, ours, "µs per request")


def _deep_path(server: Server, token: str, notes: int) -> str:
    """Follows the cursors to a page far down, as a caller would have to."""
    path, passed = f"{PATH}?limit=200", 0
    while True:
        page = server.ask("GET", path, token=token)
        passed += len(page["items"])
        if passed >= min(DEEP, notes // 2):
            return f"{PATH}?cursor={page['next_cursor']}"
        path = f"{PATH}?limit=200&cursor={page['next_cursor']}"
