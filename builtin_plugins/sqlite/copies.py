"""A SQLite file copied out while it is written to, and a copy put in the place of a file."""

import asyncio
import os
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

from builtin_plugins.sqlite.connection import fetch
from builtin_plugins.sqlite.file import FileLock, find_damage, prepare_file
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import (
    CheckedCopy,
    DatabaseDamaged,
    DatabaseInUse,
    DatabaseOccupied,
    DatabaseUnreachable,
)
from guildhall_sdk.engines.pools import Progress, TableChecksum
from libs.row_digest import RowsDigest

COPY_FILE = "guildhall.db"
_PAGES = 1024
_BESIDE = ".restoring"
_PATIENCE = 30.0
# A virtual table is made of others, which are counted; reading it would take its own way through them.
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
)


class CopiedFile:
    """The copy, which nobody else has open."""

    def __init__(self, path: Path, tables: Mapping[str, TableChecksum]) -> None:
        self._path = path
        self.tables = tables
        self.sequences: Mapping[str, int] = {}

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        return await asyncio.to_thread(self._rows, statement.sqlite, binds)

    def _rows(self, text: str, binds: Mapping[str, Any]) -> list[Any]:
        with closing(_alone(self._path)) as connection:
            return fetch(connection, text, binds)


@asynccontextmanager
async def file_copied_out(source: Path, folder: Path, progress: Progress) -> AsyncIterator[CopiedFile]:
    prepare_file(source, must_exist=True)
    copy = folder / COPY_FILE
    with driver_errors_translated(copy):
        await asyncio.to_thread(_copy_pages, source, copy, progress)
        progress("database", "checking")
        reason = await asyncio.to_thread(find_damage, copy, thorough=False)
        if reason is not None:
            raise DatabaseDamaged(reason, f"the database {source}")
        yield CopiedFile(copy, await asyncio.to_thread(checksums_of, copy))


def _copy_pages(source: Path, copy: Path, progress: Progress) -> None:
    """Copies in one read transaction: later writes neither get in nor make it begin anew."""

    def show(_status: int, left: int, total: int) -> None:
        progress("database", f"{total - left} of {total} pages")

    os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(source, isolation_level=None, timeout=_PATIENCE)) as origin:
        origin.execute("PRAGMA query_only=ON")
        origin.execute("BEGIN")
        origin.execute("SELECT 1 FROM sqlite_master").fetchone()
        with closing(_alone(copy)) as target:
            origin.backup(target, pages=_PAGES, progress=show)
            target.execute("PRAGMA journal_mode=DELETE")
    _flush(copy)


def checksums_of(path: Path) -> dict[str, TableChecksum]:
    """Counts and digests every row, read in the order that it lies in."""
    with closing(_alone(path)) as connection:
        return {name: _checksum(connection, name) for (name,) in connection.execute(_TABLES).fetchall()}


def _checksum(connection: sqlite3.Connection, table: str) -> TableChecksum:
    digest = RowsDigest()
    quoted = table.replace('"', '""')
    for row in connection.execute(f'SELECT * FROM "{quoted}"'):
        digest.add(ascii(row).encode())
    return TableChecksum(*digest.result())


def check_copied_file(folder: Path, wanted: Statement) -> CheckedCopy:
    path = folder / COPY_FILE
    if (reason := find_damage(path, thorough=True)) is not None:
        return CheckedCopy(reason, {}, None)
    with closing(_alone(path)) as connection:
        rows = fetch(connection, wanted.sqlite, {})
    return CheckedCopy(None, checksums_of(path), rows)


class FileRestoration:
    """A copy beside the file, that takes its place in one step."""

    def __init__(self, path: Path, beside: Path, tables: Mapping[str, TableChecksum]) -> None:
        self._path = path
        self._beside = beside
        self.tables = tables

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        return await CopiedFile(self._beside, self.tables).rows(statement, binds)

    async def commit(self) -> str | None:
        return await asyncio.to_thread(self._switch)

    def _switch(self) -> str | None:
        _flush(self._beside)
        warning = _lay_aside_log(self._path) if self._path.exists() else None
        self._beside.rename(self._path)
        _flush(self._path.parent)
        return warning


@asynccontextmanager
async def file_copied_in(
    target: Path, folder: Path, progress: Progress, *, replace: bool
) -> AsyncIterator[FileRestoration]:
    with place_beside(target, replace=replace) as beside, driver_errors_translated(beside):
        progress("database", "copying")
        await asyncio.to_thread(_copy_file, folder / COPY_FILE, beside)
        reason = await asyncio.to_thread(find_damage, beside, thorough=True)
        if reason is not None:
            raise DatabaseDamaged(reason, f"the copy in {folder}")
        yield FileRestoration(target, beside, await asyncio.to_thread(checksums_of, beside))


@contextmanager
def place_beside(target: Path, *, replace: bool) -> Iterator[Path]:
    """Gives the name for a file that is to take the target's place, which no server has meanwhile."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(target)
    beside = target.with_name(target.name + _BESIDE)
    try:
        if not replace:
            _refuse_occupied(target)
        _remove(beside)
        yield beside
    finally:
        _remove(beside)
        lock.release()


def _refuse_occupied(path: Path) -> None:
    if path.exists() and path.stat().st_size:
        raise DatabaseOccupied(f"there is a database at {path} already; --replace puts the backup there")


def _remove(path: Path) -> None:
    """Removes a file with its journal, which SQLite would roll back into the next file of this name."""
    for name in (path.name + "-journal", path.name):
        path.with_name(name).unlink(missing_ok=True)


def _copy_file(source: Path, target: Path) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as copy, source.open("rb") as file:
        shutil.copyfileobj(file, copy, 1024 * 1024)
        copy.flush()
        os.fsync(copy.fileno())


def _lay_aside_log(path: Path) -> str | None:
    """Works what the log holds into the file, so that no log is there when another file takes its name.

    SQLite would replay it into that one. A file too damaged for it is kept under another name, with its log.
    """
    try:
        with closing(_alone(path)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise DatabaseInUse(f"{path} is in use by another command; wait for its end") from error
    logs = [log for end in ("-wal", "-journal") if (log := path.with_name(path.name + end)).exists()]
    if not logs:
        return None
    damaged = path.with_name(f"{path.name}.damaged-{int(time.time())}")
    os.link(path, damaged)
    for log in logs:
        log.rename(damaged.with_name(log.name.replace(path.name, damaged.name)))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    _flush(path.parent)
    return f"the database that stood there could not be closed; it is kept as {damaged}"


def _alone(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def driver_errors_translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
            raise DatabaseDamaged(str(error)) from error
        raise DatabaseUnreachable(f"{path} cannot be written or read: {error}") from error
