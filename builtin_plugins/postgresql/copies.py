"""The tables of a PostgreSQL database copied out, all of one snapshot, as text that any version reads."""

import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from builtin_plugins.postgresql.connect import connect as open_connection
from builtin_plugins.postgresql.connections import DRIVER_ERRORS, PostgresRow
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import CheckedCopy, DatabaseUnreachable
from guildhall_sdk.engines.pools import Progress, TableChecksum, TableText
from libs.row_digest import LinesDigest
from libs.sql_binds import numbered

_CHUNK = 1024 * 1024
#: The columns of each table, for another engine; one of the same makes the tables from the same steps.
COLUMNS = "columns.json"
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_TABLES = """
SELECT t.relname AS name, array_agg(c.attname::text ORDER BY c.attnum) AS columns
FROM pg_class AS t
JOIN pg_attribute AS c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped AND c.attgenerated = ''
WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
GROUP BY t.relname ORDER BY t.relname
"""
_SEQUENCES = """
SELECT t.relname AS name, c.attname AS column_name,
    pg_get_serial_sequence(quote_ident(t.relname), c.attname) AS sequence
FROM pg_class AS t
JOIN pg_attribute AS c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
    AND pg_get_serial_sequence(quote_ident(t.relname), c.attname) IS NOT NULL
ORDER BY t.relname, c.attname
"""
# As text every setting that changes how a value is written must be the same on both ends.
SETTINGS = {
    "application_name": "guildhall backup",
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
}


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[str, ...]


class CopiedSnapshot:
    """The copied tables, and the snapshot that they are of."""

    def __init__(
        self, connection: Any, tables: Mapping[str, TableChecksum], sequences: Mapping[str, int]
    ) -> None:
        self._connection = connection
        self.tables = tables
        self.sequences = sequences

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        return await fetch(self._connection, statement, binds)


@asynccontextmanager
async def tables_copied_out(url: str, folder: Path, progress: Progress) -> AsyncIterator[CopiedSnapshot]:
    connection = await connect(url)
    try:
        with driver_errors_translated():
            locked = ", ".join(quoted(table.name) for table in await tables_of(connection))
            await connection.execute(_SNAPSHOT)
            if locked:
                # Before the snapshot begins: no partition may be dropped that it knows of.
                await connection.execute(f"LOCK TABLE {locked} IN ACCESS SHARE MODE")
            tables, columns = {}, {}
            for table in await tables_of(connection):
                progress("table", table.name)
                tables[table.name] = await _copy_out(connection, table, folder)
                columns[table.name] = table.columns
            (folder / COLUMNS).write_text(json.dumps(columns), "utf-8")
            # Sequences know no snapshot: read last, none is behind the rows.
            yield CopiedSnapshot(connection, tables, await _sequence_values(connection))
    finally:
        connection.terminate()


async def connect(url: str) -> Any:
    try:
        return await open_connection(url, record_class=PostgresRow, server_settings=SETTINGS)
    except DRIVER_ERRORS as error:
        raise DatabaseUnreachable(f"the database cannot be reached: {_first_line(error)}") from error
    except ValueError:
        # Its own words would quote what stands in the place of a port, as of a password.
        raise DatabaseUnreachable(
            "the URL of the database is not well formed; percent-encode what is special in its password"
        ) from None


async def fetch(connection: Any, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
    text, names = numbered(statement.postgresql)
    found: Sequence[Row] = await connection.fetch(text, *(binds[name] for name in names))
    return found


async def tables_of(connection: Any) -> list[Table]:
    rows = await connection.fetch(_TABLES)
    return [Table(row["name"], tuple(row["columns"])) for row in rows]


async def sequences_of(connection: Any) -> dict[str, str]:
    """Maps `table.column` to the sequence that numbers it."""
    rows = await connection.fetch(_SEQUENCES)
    return {f"{row['name']}.{row['column_name']}": row["sequence"] for row in rows}


async def _sequence_values(connection: Any) -> dict[str, int]:
    return {
        column: int(await connection.fetchval(f"SELECT last_value FROM {sequence}"))
        for column, sequence in (await sequences_of(connection)).items()
    }


async def _copy_out(connection: Any, table: Table, folder: Path) -> TableChecksum:
    digest = LinesDigest()
    descriptor = os.open(file_of(folder, table.name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:

        async def take(data: bytes) -> None:
            file.write(data)
            digest.update(data)

        await copy_text(connection, table, take)
        file.flush()
        os.fsync(file.fileno())
    return TableChecksum(*digest.result())


async def checksum_of(connection: Any, table: Table) -> TableChecksum:
    digest = LinesDigest()

    async def take(data: bytes) -> None:
        digest.update(data)

    await copy_text(connection, table, take)
    return TableChecksum(*digest.result())


async def copy_text(connection: Any, table: Table, take: Any) -> None:
    columns = ", ".join(map(quoted, table.columns))
    await connection.copy_from_query(
        f"SELECT {columns} FROM {quoted(table.name)}", output=take, format="text", encoding="utf-8"
    )


def check_copied_tables(folder: Path) -> CheckedCopy:
    """Reads every file; a line is a row, so that nothing can be asked of them."""
    tables = {path.stem: _checksum_of_file(path) for path in sorted(folder.glob("*.txt"))}
    return CheckedCopy(None, tables, None)


def _checksum_of_file(path: Path) -> TableChecksum:
    digest = LinesDigest()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return TableChecksum(*digest.result())


class CopiedTexts:
    """The copied files as they lie there."""

    sequences: Mapping[str, int] = {}

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tables(self) -> Iterator[TableText]:
        listed = self._folder / COLUMNS
        columns = json.loads(listed.read_text("utf-8")) if listed.exists() else {}
        for path in sorted(self._folder.glob("*.txt")):
            yield TableText(path.stem, columns.get(path.stem, ()), _whole_lines(path))


def _whole_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk + (b"" if chunk.endswith(b"\n") else file.readline())


def file_of(folder: Path, table: str) -> Path:
    return folder / f"{table}.txt"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def driver_errors_translated() -> Iterator[None]:
    """Turns the driver's errors inside the block into one line for the operator."""
    try:
        yield
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise DatabaseUnreachable(f"the database refused: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
