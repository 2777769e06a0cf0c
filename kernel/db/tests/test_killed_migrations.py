"""A server killed outright while it migrates goes on at its next boot."""

import asyncio
import signal
from pathlib import Path

from guildhall_testing.databases import database_at, statement
from kernel.db.database import Database
from kernel.db.migrations import migrate
from kernel.db.tests.mortal_migration import migrate_and_die
from kernel.db.tests.schema import describe_schema
from libs.migration_files import MigrationSource
from tests import commands


def lay_down(folder: Path) -> MigrationSource:
    """Six steps of four statements, each step building on the rows of the one before."""
    folder.mkdir()
    (folder / "0001_a.sql").write_text(
        "CREATE TABLE t1 (n INTEGER); INSERT INTO t1 VALUES (1); INSERT INTO t1 VALUES (2);"
        "CREATE INDEX i1 ON t1 (n);"
    )
    for step in range(2, 7):
        (folder / f"000{step}_b.sql").write_text(
            f"CREATE TABLE t{step} (n INTEGER);"
            f"INSERT INTO t{step} SELECT n * 10 FROM t{step - 1};"
            f"UPDATE t{step - 1} SET n = n + 1000;"
            f"INSERT INTO t{step} VALUES ({step});"
        )
    return MigrationSource("kernel", folder)


async def run(database: Path, folder: Path, statements_to_live: int) -> int | None:
    process = commands.processes.Process(
        target=migrate_and_die, args=(f"sqlite:///{database}", folder, statements_to_live)
    )
    process.start()
    await asyncio.to_thread(process.join)
    return process.exitcode


async def picture(database: Database) -> tuple[object, object]:
    schema = await describe_schema(database)
    async with database.read() as reader:
        rows = {
            table: [row["n"] for row in await reader.all(statement(f"SELECT n FROM {table} ORDER BY n"))]
            for table in schema
        }
    return schema, rows


async def test_twenty_kills_on_the_way_end_at_head_with_equal_data(tmp_path: Path) -> None:
    source = lay_down(tmp_path / "migrations")
    straight = database_at(f"sqlite:///{tmp_path}/straight.db")
    await straight.connect()
    await migrate(straight, [source], 1)

    killed = tmp_path / "killed.db"
    for kill in range(20):
        # Zero to four statements a life: it dies in each place of a step, and sometimes gets one done.
        assert await run(killed, source.folder, kill % 5) == -signal.SIGKILL
    assert await run(killed, source.folder, 1000) == 0

    survivor = database_at(f"sqlite:///{killed}")
    await survivor.connect()
    assert await picture(survivor) == await picture(straight)
    async with survivor.read() as reader:
        assert await reader.value(statement("SELECT COUNT(*) FROM schema_ledger")) == 6
    await survivor.disconnect()
    await straight.disconnect()
