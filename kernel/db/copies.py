"""All tables of a database as files, and back: what a backup is made of.

Out of a running database they are taken as they were at one moment. Into a database they come whole or
not at all: nothing of it is seen before `TableRestoration.commit`, and that happens at once.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from databases import DatabaseURL

from guildhall_sdk import Reader, Row, Statement
from guildhall_sdk.services.storage import CheckedTables, CopiedTables, Progress, TableChecksum
from kernel.db.backend import Dialect
from kernel.db.errors import DatabaseUnreachable
from kernel.db.migrations import Migration
from kernel.db.scopes import ScopedReader
from kernel.db.sqlite_file import database_path


class RowsDigest:
    """Adds up the digests of rows: equal for the same rows in any order."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def add(self, row: bytes) -> None:
        self._rows += 1
        self._sum += int.from_bytes(hashlib.sha256(row).digest(), "big")

    def checksum(self) -> TableChecksum:
        return TableChecksum(self._rows, f"{self._sum % 2**256:064x}")


class TableRestoration(Protocol):
    """Tables that stand ready, and are not there for anybody else before `commit`."""

    tables: Mapping[str, TableChecksum]

    def read(self) -> AbstractAsyncContextManager[Reader]: ...

    async def run(self, statement: Statement, **binds: Any) -> None: ...

    async def commit(self) -> str | None:
        """Puts them in place; gives back what an operator should know of what stood there."""
        ...


class CopyChannel(Protocol):
    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]: ...


@asynccontextmanager
async def reading(channel: Any) -> AsyncIterator[ScopedReader]:
    yield ScopedReader(channel)


def copied_out(url: str, folder: Path, progress: Progress) -> AbstractAsyncContextManager[CopiedTables]:
    """Writes every table below the folder, as it is at one moment; the server may run and write."""
    if dialect_of(url) == "sqlite":
        from kernel.db.sqlite_copy import file_copied_out

        return file_copied_out(database_path(DatabaseURL(url)), folder, progress)
    from kernel.db.postgresql_copy import tables_copied_out

    return tables_copied_out(url, folder, progress)


def copied_in(
    url: str,
    folder: Path,
    steps: Sequence[Migration],
    sequences: Mapping[str, int],
    progress: Progress,
    *,
    replace: bool,
) -> AbstractAsyncContextManager[TableRestoration]:
    """Makes the tables of the folder ready to take the place of what the URL names.

    `steps` make their schema on PostgreSQL. Raises `DatabaseInUse` beside a running server, and
    `DatabaseOccupied` where there is something already, unless it is to be replaced.
    """
    if dialect_of(url) == "sqlite":
        from kernel.db.sqlite_copy import file_copied_in

        return file_copied_in(database_path(DatabaseURL(url)), folder, progress, replace=replace)
    from kernel.db.postgresql_restore import tables_copied_in

    return tables_copied_in(url, folder, steps, sequences, progress, replace=replace)


def check_copy(dialect: Dialect, folder: Path) -> CheckedTables:
    if dialect == "sqlite":
        from kernel.db.sqlite_copy import check_copied_file

        return CheckedTables(*check_copied_file(folder))
    from kernel.db.postgresql_copy import checksums_of_files

    return CheckedTables(None, checksums_of_files(folder), None)


def dialect_of(url: str) -> Dialect:
    dialect = DatabaseURL(url).dialect
    if dialect == "sqlite":
        return "sqlite"
    if dialect in ("postgresql", "postgres"):
        return "postgresql"
    raise DatabaseUnreachable("the database URL must begin with sqlite:// or postgresql://")
