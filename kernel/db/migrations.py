"""Migrations: numbered files per owner, and a ledger of what this database has seen."""

import hashlib
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from guildhall_sdk import Problem, Reader, Row, load_queries
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.engines.pools import Transaction
from guildhall_sdk.errors import OperatorError
from kernel.db.database import Database
from kernel.logs import get_logger

sql = load_queries(Path(__file__).with_name("queries.sql"))
LEDGER_LOCK = _LEDGER = "schema_ledger"
_FILE = re.compile(r"(\d{4})_(\w+)(?:\.([a-z]\w*))?\.sql")
_MADE = re.compile(
    r"(?i)\b(?:CREATE\s+(?:VIRTUAL\s+|MATERIALIZED\s+|OR\s+REPLACE\s+)*(?:TABLE|VIEW)"
    r'(?:\s+IF\s+NOT\s+EXISTS)?|RENAME\s+TO)\s+"?(\w+)'
)
_log = get_logger("migrations")


class MigrationError(OperatorError):
    """The schema cannot be brought to what the program needs; the message names owner and file."""


@dataclass(frozen=True, slots=True)
class MigrationSource:
    """A folder of `NNNN_name.sql` and whose tables it makes; `recorded` keeps a list of them."""

    owner: str
    folder: Path
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Migration:
    """One step, in one engine's words."""

    owner: str
    number: int
    file: str
    checksum: str
    text: str


Ledger = Mapping[tuple[str, int], str]


def check_known(
    ledger: Ledger, sources: Sequence[MigrationSource], engine: DatabaseEngine, *, all_owners: bool
) -> list[Migration]:
    """Returns the steps that made a schema; raises `MigrationError` for a newer one, or a changed step.

    With `all_owners` also for tables of an owner that is not among the sources.
    """
    wanted = [step for source in sources for step in read_source(source, engine)]
    strange = sorted({owner for owner, _ in ledger} - {source.owner for source in sources})
    if strange and all_owners:
        raise MigrationError(f"{strange[0]}: has tables there, and is not among the plugins of this server")
    _check_ledger(ledger, wanted)
    return [step for step in wanted if (step.owner, step.number) in ledger]


async def migrate(
    database: Database,
    sources: Sequence[MigrationSource],
    now_ms: int,
    *,
    ledger: Ledger | None = None,
    read: Callable[[MigrationSource, DatabaseEngine], Sequence[Migration]] | None = None,
) -> Ledger:
    """Brings the schema to head, one transaction per step; several processes may call it at once.

    Returns the ledger as it was before; whoever goes on with other owners gives it along, and it is not read
    again. `read` is for whoever has read the files before.
    """
    wanted = [step for source in sources for step in (read or read_source)(source, database.engine)]
    if ledger is None:
        async with database.read() as reader:
            ledger = await ledger_of(reader, database.engine)
    if ledger is None:
        async with _exclusive(database) as transaction:
            await transaction.rows(sql.make_ledger, {})
        ledger = {}
    _check_ledger(ledger, wanted)
    recorded = {source.owner for source in sources if source.recorded}
    applied: dict[str, list[str]] = {}
    upgraded = {owner for owner, _ in ledger}
    for step in wanted:
        if (step.owner, step.number) not in ledger:
            if step.owner in upgraded:  # of tables that may be large
                _log.info("migrations.applying", plugin=step.owner, file=step.file)
            await _apply(database, step, now_ms, recorded=step.owner in recorded)
            applied.setdefault(step.owner, []).append(step.file)
    for owner, files in applied.items():
        _log.info("migrations.applied", plugin=owner, files=files)
    for owner in recorded & {owner for owner, _ in ledger}:
        await _record_earlier(database, owner, [step for step in wanted if step.owner == owner])
    return ledger


def read_source(source: MigrationSource, engine: DatabaseEngine) -> list[Migration]:
    """Reads the steps of one owner in order; a file in the engine's own spelling wins over the plain one."""
    if not source.folder.is_dir():
        raise MigrationError(f"{source.owner}: there is no folder of migrations at {source.folder}")
    spellings = [*engine.dialects, None]
    chosen: dict[int, tuple[int, Path]] = {}
    names: dict[int, str] = {}
    for path in sorted(source.folder.glob("*.sql")):
        match = _FILE.fullmatch(path.name)
        if match is None:
            raise MigrationError(f"{source.owner}: {path.name} is not named like 0001_name.sql")
        number, name, spelling = int(match[1]), match[2], match[3]
        if near := _misspelled(spelling, engine):
            meant = f"{match[1]}_{name}.{near}.sql"
            raise MigrationError(f"{source.owner}: {path.name}: did you mean {meant}?")
        if names.setdefault(number, name) != name:
            raise MigrationError(f"{source.owner}: {path.name} has a number that is taken already")
        if spelling in spellings:
            rank = spellings.index(spelling)
            chosen[number] = min(chosen.get(number, (rank, path)), (rank, path))
    for expected, number in enumerate(sorted(names), start=1):
        if number != expected:
            raise MigrationError(f"{source.owner}: migration {expected:04d} is missing in {source.folder}")
        if number not in chosen:
            raise MigrationError(f"{source.owner}: {number:04d}_{names[number]} is missing for {engine.name}")
    return [_read_file(source.owner, number, path, engine) for number, (_, path) in sorted(chosen.items())]


def _misspelled(spelling: str | None, engine: DatabaseEngine) -> str | None:
    """Returns the dialect of the engine that a file's spelling is nearly, and not quite."""
    if spelling is None or spelling in engine.dialects:
        return None
    return next(iter(get_close_matches(spelling, engine.dialects, 1, 0.8)), None)


def _read_file(owner: str, number: int, path: Path, engine: DatabaseEngine) -> Migration:
    text = path.read_text("utf-8")
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return Migration(owner, number, path.name, checksum, re.sub(r"\$ID\b", engine.id_type, text))


async def ledger_of(reader: Reader, engine: DatabaseEngine) -> Ledger | None:
    """Reads what was applied; returns None in a database that has no ledger yet."""
    if await reader.one(engine.schema.table_exists, name=_LEDGER) is None:
        return None
    return as_ledger(await reader.all(sql.ledger))


def as_ledger(rows: Sequence[Row]) -> Ledger:
    return {(row["owner"], row["number"]): row["checksum"] for row in rows}


def _check_ledger(ledger: Ledger, wanted: Sequence[Migration]) -> None:
    """Refuses a database that other files than ours have made; an owner we do not load keeps its tables."""
    known = {(step.owner, step.number): step for step in wanted}
    owners = {step.owner for step in wanted}
    for (owner, number), checksum in ledger.items():
        step = known.get((owner, number))
        if step is not None:
            _check_unchanged(step, checksum)
        elif owner in owners:
            raise MigrationError(
                f"{owner}: the database has migration {number:04d}, which this program does not know; "
                "a newer version made it"
            )


def _check_unchanged(step: Migration, checksum: str) -> None:
    if step.checksum != checksum:
        raise MigrationError(
            f"{step.owner}: {step.file} was changed after it had been applied: another version made these "
            "tables; go on with that version, or with a fresh database"
        )


async def _apply(database: Database, step: Migration, now_ms: int, *, recorded: bool) -> None:
    try:
        async with _exclusive(database) as transaction:
            if rows := await transaction.rows(sql.ledger_entry, {"owner": step.owner, "number": step.number}):
                # Another process was faster.
                _check_unchanged(step, rows[0]["checksum"])
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
        made = await _objects(transaction, database.engine)
        there = {(kind, name) for kind, name in made if name in named}
        await _record_objects(transaction, owner, made=there, dropped=set())


@asynccontextmanager
async def _exclusive(database: Database) -> AsyncIterator[Transaction]:
    """Opens a transaction that no other migrating process is in at the same time."""
    transaction = await database.migration()
    try:
        await transaction.lock(LEDGER_LOCK)
        yield transaction
    except BaseException:
        await transaction.rollback()
        raise
    await transaction.commit()
