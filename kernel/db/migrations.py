"""Migrations: numbered files per owner, and a ledger of what this database has seen."""

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from guildhall_sdk import Problem, Reader, Row, load_queries
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.engines.pools import Transaction
from guildhall_sdk.errors import OperatorError
from kernel.db.database import Database
from kernel.logs import get_logger
from libs.migration_files import Ledger, Migration, MigrationFiles, MigrationSource

sql = load_queries(Path(__file__).with_name("queries.sql"))
LEDGER_LOCK = _LEDGER = "schema_ledger"
#: What an engine has of its own: checksums of its spellings, and names of what plugins made.
LEDGER_TABLES = (_LEDGER, "schema_objects")
_MADE = re.compile(
    r"(?i)\b(?:CREATE\s+(?:VIRTUAL\s+|MATERIALIZED\s+|OR\s+REPLACE\s+)*(?:TABLE|VIEW)"
    r'(?:\s+IF\s+NOT\s+EXISTS)?|RENAME\s+TO)\s+"?(\w+)'
)
_log = get_logger("migrations")


class MigrationError(OperatorError):
    """The schema cannot be brought to what the program needs; the message names owner and file."""


_files = MigrationFiles(MigrationError)
read_source, check_known, check_ledger = _files.read, _files.check_known, _files.check_ledger


async def migrate(
    database: Database,
    sources: Sequence[MigrationSource],
    now_ms: int,
    *,
    ledger: Ledger | None = None,
    contracting: bool = False,
    read: Callable[[MigrationSource, DatabaseEngine], Sequence[Migration]] | None = None,
) -> Ledger:
    """Brings the schema to head, one transaction per step; several processes may call it at once.

    Returns the ledger as it was before; whoever goes on with other owners gives it along, and it is not read
    again. `read` is for whoever has read the files before. What takes something away waits for a call with
    `contracting`, unless its owner is new here.
    """
    wanted = [step for source in sources for step in (read or read_source)(source, database.engine)]
    if ledger is None:
        async with database.read() as reader:
            ledger = await ledger_of(reader, database.engine)
    if ledger is None:
        async with _exclusive(database) as transaction:
            await transaction.rows(sql.make_ledger, {})
        ledger = {}
    _files.check_ledger(ledger, wanted, newer=True)
    recorded = {source.owner for source in sources if source.recorded}
    applied: dict[str, list[str]] = {}
    upgraded = {owner for owner, _ in ledger}
    for step in wanted:
        if (step.owner, step.number) not in ledger:
            if step.contracts and step.owner in upgraded and not contracting:
                continue
            if step.owner in upgraded:  # of tables that may be large
                _log.info("migrations.applying", plugin=step.owner, file=step.file)
            await _apply(database, step, now_ms, recorded=step.owner in recorded)
            applied.setdefault(step.owner, []).append(step.file)
    for owner, files in applied.items():
        _log.info("migrations.applied", plugin=owner, files=files)
    for owner in recorded & {owner for owner, _ in ledger}:
        await _record_earlier(database, owner, [step for step in wanted if step.owner == owner])
    return ledger


async def ledger_of(reader: Reader, engine: DatabaseEngine) -> Ledger | None:
    """Reads what was applied; returns None in a database that has no ledger yet."""
    if await reader.one(engine.schema.table_exists, name=_LEDGER) is None:
        return None
    return as_ledger(await reader.all(sql.ledger))


async def contracts_of(reader: Reader) -> Sequence[Row]:
    """Returns the steps that took something away, with the time."""
    return await reader.all(sql.contracts)


def as_ledger(rows: Sequence[Row]) -> Ledger:
    return {(row["owner"], row["number"]): row["checksum"] for row in rows}


async def _apply(database: Database, step: Migration, now_ms: int, *, recorded: bool) -> None:
    try:
        async with _exclusive(database) as transaction:
            if rows := await transaction.rows(sql.ledger_entry, {"owner": step.owner, "number": step.number}):
                # Another process was faster.
                _files.check_unchanged(step, rows[0]["checksum"])
                return
            before = await _objects(transaction, database.engine) if recorded else set()
            await transaction.script(step.text)
            if recorded:
                after = await _objects(transaction, database.engine)
                await _record_objects(transaction, step.owner, made=after - before, dropped=before - after)
            await transaction.rows(sql.record, _record(step, now_ms))
    except (MigrationError, Problem):
        raise
    except Exception as error:
        raise MigrationError(f"{step.owner}: {step.file} failed: {error}") from error


def _record(step: Migration, now_ms: int) -> Mapping[str, Any]:
    return {
        "owner": step.owner,
        "number": step.number,
        "name": step.file.split(".")[0],
        "checksum": step.checksum,
        "applied_at": now_ms,
    }


def ledger_line(step: Migration) -> str:
    """Returns the statement, without binds, that records a step which was applied to another engine."""
    owner, name = (text.replace("'", "''") for text in (step.owner, step.file.split(".")[0]))
    return (
        f"INSERT INTO {_LEDGER} (owner, number, name, checksum, applied_at) "
        f"VALUES ('{owner}', {step.number}, '{name}', '{step.checksum}', 0)"
    )


async def _objects(transaction: Transaction, engine: DatabaseEngine) -> set[tuple[str, str]]:
    """Returns kinds and names of all tables, views and sequences."""
    return {(row["kind"], row["name"]) for row in await transaction.rows(engine.schema.objects, {})}


async def _record_objects(
    transaction: Transaction, owner: str, *, made: set[tuple[str, str]], dropped: set[tuple[str, str]]
) -> None:
    for kind, name in sorted(dropped):
        await transaction.rows(sql.forget_object, {"owner": owner, "kind": kind, "name": name})
    for kind, name in sorted(made):
        await transaction.rows(sql.record_object, {"owner": owner, "kind": kind, "name": name})


async def _record_earlier(database: Database, owner: str, steps: Sequence[Migration]) -> None:
    """Records what earlier steps have made, by their text and as far as it is there.

    These are the steps that were applied before anybody kept a list.
    """
    async with database.read() as reader:
        if await reader.one(sql.has_objects, owner=owner) is not None:
            return
    named = {name for step in steps for name in _MADE.findall(step.text)}
    async with _exclusive(database) as transaction:
        there = {one for one in await _objects(transaction, database.engine) if one[1] in named}
        await _record_objects(transaction, owner, made=there, dropped=set())


@asynccontextmanager
async def _exclusive(database: Database) -> AsyncIterator[Transaction]:
    """Opens a transaction that no other migrating process is in at the same time."""
    transaction = await database.pool.migration()
    try:
        await transaction.lock(LEDGER_LOCK)
        yield transaction
    except BaseException:
        await transaction.rollback()
        raise
    await transaction.commit()
