"""One process owns a SQLite file, and nobody but its user may read it."""

import asyncio
import signal
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from builtin_plugins.sqlite.tests.damage import damage
from guildhall_sdk.engines.engine import DatabaseDamaged, DatabaseUnreachable
from guildhall_testing.databases import Database, database_at, statement

OWNER = """
import asyncio, sys
from guildhall_sdk.engines.engine import DatabaseUnreachable
from guildhall_testing.databases import database_at

async def main():
    database = database_at(sys.argv[1])
    try:
        await database.connect()
    except DatabaseUnreachable as error:
        sys.exit(str(error))
    print("open", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "guildhall.db"


async def start_process(path: Path) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, f"sqlite:///{path}", stdin=pipe, stdout=pipe, stderr=pipe
    )


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


async def test_the_folder_and_every_file_are_private(path: Path) -> None:
    database = database_at(f"sqlite:///{path}")
    await database.connect()
    async with database.write() as writer:
        await writer.run(statement("CREATE TABLE t (id TEXT)"))
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert modes(path.parent) == dict.fromkeys(
        ["guildhall.db", "guildhall.db-wal", "guildhall.db-shm", "guildhall.db.lock"], 0o600
    )
    await database.disconnect()


async def test_a_second_process_is_refused_in_one_line(path: Path) -> None:
    database = database_at(f"sqlite:///{path}")
    await database.connect()
    second = await start_process(path)
    _, complaint = await second.communicate()
    assert second.returncode == 1
    assert complaint.count(b"\n") == 1
    assert b"stop the server first" in complaint
    await database.disconnect()


def checks(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.msg for record in caplog.records if record.msg.startswith("db.check")]


async def test_the_lock_goes_with_a_killed_owner_and_the_next_one_checks_the_file(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    owner = await start_process(path)
    assert owner.stdout is not None
    assert await owner.stdout.readline() == b"open\n"
    database = database_at(f"sqlite:///{path}")
    with pytest.raises(DatabaseUnreachable, match=f"process {owner.pid}"):
        await database.connect()
    owner.send_signal(signal.SIGKILL)
    await owner.wait()
    assert checks(caplog) == []
    await database.connect()
    await database.ping()
    await database.disconnect()
    assert checks(caplog) == ["db.checking", "db.checked"]
    await database.connect()
    await database.disconnect()
    assert checks(caplog) == ["db.checking", "db.checked"], "after a clean stop there is nothing to check"


async def test_a_file_that_goes_bad_is_told_as_damage(path: Path) -> None:
    database = database_at(f"sqlite:///{path}")
    await database.connect()
    async with database.write() as writer:
        await writer.run(statement("CREATE TABLE things (name TEXT NOT NULL)"))
        for _ in range(200):
            await writer.run(statement("INSERT INTO things VALUES (:name)"), name="x" * 100)
    await database.disconnect()
    damage(path, "things")
    await database.connect()
    async with database.read() as reader:
        with pytest.raises(DatabaseDamaged, match="guildhall restore"):
            await reader.all(statement("SELECT * FROM things"))
    with pytest.raises(DatabaseDamaged):
        async with database.write() as writer:
            await writer.all(statement("SELECT * FROM things"))
    await database.disconnect()


async def test_a_closed_database_can_be_opened_again(path: Path) -> None:
    for _ in range(2):
        database = database_at(f"sqlite:///{path}")
        for _ in range(2):
            await database.connect()
            await database.ping()
            await database.disconnect()


async def test_a_command_works_beside_the_owner(path: Path) -> None:
    owner, command = database_at(f"sqlite:///{path}"), database_at(f"sqlite:///{path}", shared=True)
    await owner.connect()
    await command.connect()
    async with command.write() as writer:
        await writer.run(statement("CREATE TABLE t (id TEXT)"))
    async with owner.read() as reader:
        assert await reader.value(statement("SELECT COUNT(*) FROM t")) == 0
    await command.disconnect()
    with pytest.raises(DatabaseUnreachable):
        await database_at(f"sqlite:///{path}").connect()
    await owner.disconnect()


async def test_a_command_and_the_owner_lose_none_of_each_others_updates(path: Path) -> None:
    """Only a transaction that is a writer's from its first statement cannot be overtaken between two."""
    owner, command = (
        database_at(f"sqlite:///{path}", shared=shared, patience=60) for shared in (False, True)
    )
    await owner.connect()
    await command.connect()
    async with owner.write() as writer:
        await writer.run(statement("CREATE TABLE t (n INTEGER)"))
        await writer.run(statement("INSERT INTO t VALUES (0)"))

    async def increment(database: Database) -> None:
        async with database.write() as writer:
            n = await writer.value(statement("SELECT n FROM t"))
            await writer.run(statement("UPDATE t SET n = :n"), n=n + 1)

    await asyncio.gather(*(increment(database) for database in [owner, command] * 20))
    async with owner.read() as reader:
        assert await reader.value(statement("SELECT n FROM t")) == 40
    await command.disconnect()
    await owner.disconnect()


async def test_a_command_does_not_make_a_database(path: Path) -> None:
    with pytest.raises(DatabaseUnreachable, match="there is no database"):
        await database_at(f"sqlite:///{path}", shared=True).connect()
    assert not path.parent.exists()


async def test_a_file_that_is_no_database_is_refused_and_not_kept_locked(path: Path) -> None:
    await asyncio.to_thread(path.parent.mkdir)
    await asyncio.to_thread(path.write_text, "this is no database, but long enough to be read as one" * 50)
    for _ in range(2):
        with pytest.raises(DatabaseUnreachable, match="not a database"):
            await database_at(f"sqlite:///{path}").connect()


async def test_what_is_acknowledged_is_durable_and_keys_are_kept(path: Path) -> None:
    """The pragmas hold on the connection that writes."""
    database = database_at(f"sqlite:///{path}")
    await database.connect()
    async with database.write() as writer:
        values = [await writer.value(statement(f"PRAGMA {name}")) for name in ("synchronous", "foreign_keys")]
        assert values == [2, 1]
        await writer.run(statement("CREATE TABLE a (id TEXT PRIMARY KEY)"))
        await writer.run(statement("CREATE TABLE b (id TEXT REFERENCES a)"))
    with pytest.raises(sqlite3.IntegrityError):
        async with database.write() as writer:
            await writer.run(statement("INSERT INTO b VALUES ('x')"))
    async with database.read() as reader:
        assert await reader.value(statement("PRAGMA journal_mode")) == "wal"
    await database.disconnect()
