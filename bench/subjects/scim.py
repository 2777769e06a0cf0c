"""Ten thousand people by SCIM, against inserting the rows that they make.

Ours is the whole of `POST /scim/v2/Bulk`, a thousand people in each: they are read, judged, made members and
recorded, and twenty-five at a time commit durably. Theirs is given the rows, inserts those of one person
after the other, and commits as often.
"""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg

from bench.guildhall import beside_a_copy, found, postgresql
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server

NAME = "scim"
PEOPLE = 10_000
IN_ONE_BULK = 1_000
IN_ONE_COMMIT = 25
ROUNDS = 3
_OF_COMPANY = ("orgs", "teams", "users", "memberships")
_OF_PEOPLE = {
    "users": "id",
    "scim_users": "user_id",
    "person_emails": "user_id",
    "memberships": "user_id",
    "audit_events": "target_id",
}
Rows = Sequence[Mapping[str, Any]]


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql(durable=True))
        for name in ("SQLite", "PostgreSQL"):
            with beside_a_copy(name, folder, cluster) as (data, urls, server):
                token = found(server).token
                scim = server.ask("POST", "/api/tokens", {"kind": "scim"}, token)["token"]
                pair = _Pair([one / "guildhall.db" for one in data], urls)
                asyncio.run(pair.begin())
                numbers = count()
                seconds = take_turns({"both": partial(_turn, server, scim, pair, numbers)}, ROUNDS)
            ours, theirs = zip(*seconds["both"], strict=True)
            what = f"{PEOPLE:,} people by SCIM on {name}"
            report.compare(NAME, what, ours, "inserting the same rows", theirs, Aim(3.0))
            report.reading(NAME, what, [1000 * one for one in ours], "ms")
            report.reading(NAME, f"inserting on {name}", [1000 * one for one in theirs], "ms")


def _turn(server: Server, token: str, pair: "_Pair", numbers: Iterator[int]) -> tuple[float, float]:
    people = [_person(next(numbers)) for _ in range(PEOPLE)]
    began = time.perf_counter()
    for start in range(0, PEOPLE, IN_ONE_BULK):
        body = {"Operations": people[start : start + IN_ONE_BULK]}
        results = server.ask("POST", "/scim/v2/Bulk", body, token)["Operations"]
        assert {one["status"] for one in results} == {"201"}
    ours = time.perf_counter() - began
    rows = asyncio.run(pair.new_rows())
    assert len(rows) == PEOPLE
    return ours, asyncio.run(pair.insert(rows))


def _person(number: int) -> dict[str, Any]:
    name = f"person.{number}@bench.example"
    data = {
        "userName": name,
        "externalId": f"{number:08}",
        "name": {"givenName": "Ada", "familyName": f"Lovelace {number}"},
        "emails": [{"value": name, "type": "work", "primary": True}],
        "active": True,
    }
    return {"method": "POST", "path": "/Users", "bulkId": str(number), "data": data}


class _Pair:
    """The databases of two servers: rows are read from the one, and inserted into the other as they are."""

    def __init__(self, files: Sequence[Path], urls: Sequence[str | None]) -> None:
        self._files = files
        self._urls = urls
        self._last = ""

    async def begin(self) -> None:
        """Makes the company over there, and the audit trail's partitions of now."""
        for table in _OF_COMPANY:
            rows = await self._read(f"SELECT * FROM {table}", ())
            await self._write([[(table, row) for row in rows]])
        self._last = (await self._read("SELECT MAX(id) AS last FROM users", ()))[0]["last"]

    async def new_rows(self) -> list[list[tuple[str, Mapping[str, Any]]]]:
        """Returns the rows of each person who is new."""
        people: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        for table, key in _OF_PEOPLE.items():
            mark = "$1" if self._urls[0] else "?"
            for row in await self._read(f"SELECT * FROM {table} WHERE {key} > {mark}", (self._last,)):
                if row[key].startswith("usr_"):
                    people.setdefault(row[key], []).append((table, row))
        self._last = max(people)
        return [*people.values()]

    async def insert(self, people: Sequence[Sequence[tuple[str, Mapping[str, Any]]]]) -> float:
        began = time.perf_counter()
        await self._write(people)
        return time.perf_counter() - began

    async def _read(self, select: str, binds: Sequence[Any]) -> Rows:
        if self._urls[0] is not None:
            connection = await asyncpg.connect(self._urls[0])
            try:
                return [dict(row) for row in await connection.fetch(select, *binds)]
            finally:
                await connection.close()
        with sqlite3.connect(self._files[0]) as reading:
            reading.row_factory = sqlite3.Row
            return [dict(row) for row in reading.execute(select, binds)]

    async def _write(self, people: Sequence[Sequence[tuple[str, Mapping[str, Any]]]]) -> None:
        commits = [people[at : at + IN_ONE_COMMIT] for at in range(0, len(people), IN_ONE_COMMIT)]
        if self._urls[1] is not None:
            await _write_postgresql(self._urls[1], commits)
            return
        connection = sqlite3.connect(self._files[1])
        try:
            for pragma in ("synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY", "cache_size=-16000"):
                connection.execute(f"PRAGMA {pragma}")
            for commit in commits:
                with connection:
                    for table, row in (one for rows in commit for one in rows):
                        marks = ", ".join("?" * len(row))
                        connection.execute(
                            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", [*row.values()]
                        )
        finally:
            connection.close()


async def _write_postgresql(url: str, commits: Sequence[Any]) -> None:
    connection = await asyncpg.connect(url)
    try:
        for commit in commits:
            async with connection.transaction():
                for table, row in (one for rows in commit for one in rows):
                    marks = ", ".join(f"${number + 1}" for number in range(len(row)))
                    await connection.execute(
                        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", *row.values()
                    )
    finally:
        await connection.close()
