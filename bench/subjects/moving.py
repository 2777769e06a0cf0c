"""Moving an instance from SQLite to PostgreSQL, against `COPY` of the same rows into the same tables.

Ours reads them from the file, counts and digests them, and reads all of it back to compare; `COPY` takes
them from files that are ready for it, into tables with the same indexes, and compares nothing.
"""

import asyncio
import subprocess
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import asyncpg

from bench.guildhall import OURS, found, guildhall, postgresql
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import plain_environment
from bench.upkeep_rows import fill_counted, run_statements
from builtin_plugins.postgresql.copies import tables_copied_out, tables_of
from guildhall_testing.postgres import PostgresServer

NAME = "moving"
ROUNDS = 5
#: Of each of four tables.
ROWS = 100_000
# At least half as fast, reading it all back included.
AIM = Aim(2.0)
_BODIES = "UPDATE notes SET body = 'Ships are safe in harbour, but that is not what ships are for. ' || id"


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        data = folder / "data"
        with guildhall(data) as server:
            founder = found(server)
        place = f"sqlite:///{data}/guildhall.db"
        fill_counted(place, founder, ROWS)
        run_statements(place, [_BODIES])
        moved = cluster.create_database()
        _move(data, moved)
        (folder / "copied").mkdir()
        asyncio.run(_copy_out(moved, folder / "copied"))
        empty = cluster.create_database(moved)
        asyncio.run(_empty(empty))
        contestants = {
            "move": partial(_moved, data, cluster),
            "COPY": partial(_copied, folder / "copied", cluster, empty),
        }
        seconds = take_turns(contestants, ROUNDS)
    report.compare(NAME, f"guildhall move, {4 * ROWS:,} rows", seconds["move"], "COPY", seconds["COPY"], AIM)
    report.reading(NAME, "rows moved in a second", [4 * ROWS / one for one in seconds["move"]], "rows")


def _moved(data: Path, cluster: PostgresServer) -> float:
    url = cluster.create_database()
    began = time.perf_counter()
    _move(data, url)
    took = time.perf_counter() - began
    cluster.drop_database(url)
    return took


def _move(data: Path, url: str) -> None:
    command = [str(OURS), "move", "--to", url]
    environment = {**plain_environment(), "SERVICE_DATA": str(data)}
    subprocess.run(command, env=environment, check=True, capture_output=True)


def _copied(files: Path, cluster: PostgresServer, empty: str) -> float:
    url = cluster.create_database(empty)
    began = time.perf_counter()
    asyncio.run(_copy_in(url, files))
    took = time.perf_counter() - began
    cluster.drop_database(url)
    return took


async def _copy_out(url: str, folder: Path) -> None:
    async with tables_copied_out(url, folder, lambda what, state: None):
        pass


async def _empty(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        names = ", ".join(f'"{table.name}"' for table in await tables_of(connection))
        await connection.execute(f"TRUNCATE {names} CASCADE")
    finally:
        await connection.close()


async def _copy_in(url: str, files: Path) -> None:
    connection = await asyncpg.connect(url, server_settings={"session_replication_role": "replica"})
    try:
        async with connection.transaction():
            for table in await tables_of(connection):
                source = files / f"{table.name}.txt"
                await connection.copy_to_table(
                    table.name, source=source, columns=table.columns, format="text", encoding="utf-8"
                )
    finally:
        await connection.close()
