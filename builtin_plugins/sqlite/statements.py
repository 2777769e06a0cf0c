"""Running statements on a connection to SQLite, and what its errors mean."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from guildhall_sdk import Problem, Statement
from guildhall_sdk.engines.engine import DatabaseDamaged, busy, took_too_long

_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
}
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class LockTaken(Exception):
    """Raised when another process writes just now: whoever wants to has to wait."""


def fetch(connection: sqlite3.Connection, sql: str, binds: Mapping[str, Any]) -> list[Any]:
    """Runs a statement and returns rows as dicts, which cost less where most columns are read by name."""
    cursor = connection.execute(sql, binds)
    rows = cursor.fetchall()
    names = [column[0] for column in cursor.description] if rows else ()
    return [dict(zip(names, row, strict=True)) for row in rows]


def prepare_all(connection: sqlite3.Connection, texts: Sequence[str]) -> list[str | None]:
    """Compiles each without running it; of each that cannot be compiled, why."""
    return [_fault(connection, text) for text in texts]


def _fault(connection: sqlite3.Connection, text: str) -> str | None:
    try:
        connection.execute(f"EXPLAIN {text}", defaultdict(lambda: None)).close()
    except sqlite3.DatabaseError as error:
        if isinstance(translated(error), Problem):
            raise
        return str(error)
    except sqlite3.Warning as error:  # of more than one statement
        return str(error)
    return None


def run_script(connection: sqlite3.Connection, text: str) -> list[Any]:
    """Runs the statements of a migration; raises when they leave the transaction or break a foreign key."""
    for statement in split_statements(text):
        connection.execute(statement)
    if not connection.in_transaction:
        raise RuntimeError("it ends the transaction it runs in")
    if orphan := connection.execute("PRAGMA foreign_key_check").fetchone():
        raise sqlite3.IntegrityError(f"it leaves rows in {orphan[0]} that point at nothing in {orphan[2]}")
    return []


def split_statements(text: str) -> Iterator[str]:
    """Cuts at the semicolons that end a statement; SQLite itself knows quotes, comments and triggers."""
    start = 0
    for position, character in enumerate(text):
        if character == ";" and sqlite3.complete_statement(text[start : position + 1]):
            yield text[start : position + 1]
            start = position + 1
    if text[start:].strip():
        yield text[start:]


def begin(connection: sqlite3.Connection) -> None:
    """Begins a transaction that may write; waits for whoever does so now, as long as the connection may."""
    connection.execute("BEGIN IMMEDIATE")


def begin_unless_locked(connection: sqlite3.Connection, patience: float) -> None:
    """Begins a transaction that may write without a wait. Raises `LockTaken`.

    `patience` is how long the connection waits otherwise.
    """
    connection.execute("PRAGMA busy_timeout=0")
    try:
        begin(connection)
    except sqlite3.OperationalError as error:
        if _code(error) == sqlite3.SQLITE_BUSY:
            raise LockTaken from None
        raise
    finally:
        connection.execute(f"PRAGMA busy_timeout={int(patience * 1000)}")


def commit(connection: sqlite3.Connection) -> None:
    """Commits, or leaves no transaction open."""
    if not connection.in_transaction:
        raise RuntimeError("the transaction has ended inside its scope; nothing was committed")
    try:
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def translated(error: sqlite3.DatabaseError) -> Exception:
    """Turns a passing error into a 503; what is neither that nor damage is a defect of ours and stays."""
    code = _code(error)
    if code == sqlite3.SQLITE_INTERRUPT:
        return took_too_long()
    if code in _PASSING:
        full = code == sqlite3.SQLITE_FULL
        return busy("The database cannot take this just now; nothing was changed.", disk_full=full)
    if code in _DAMAGE or str(error).startswith("Could not decode to UTF-8"):
        return DatabaseDamaged(str(error).partition(" column")[0])
    return error


def _code(error: BaseException) -> int | None:
    """Returns the primary error code, without what SQLite adds to it."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def at_savepoint(text: str) -> Statement:
    return Statement("savepoint", text, text, quick=True)


@contextmanager
def all_or_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    """Undoes all changes where the block fails: what was undone of whom could not be told."""
    try:
        yield
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
