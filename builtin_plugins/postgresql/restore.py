"""Tables copied into a PostgreSQL database, in one transaction."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from builtin_plugins.postgresql.copies import (
    Table,
    checksum_of,
    connect,
    driver_errors_translated,
    fetch,
    file_of,
    quoted,
    sequences_of,
    tables_of,
)
from builtin_plugins.postgresql.sessions import lock_number
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import DatabaseInUse, DatabaseOccupied, DatabaseUnreachable, RestoredSchema
from guildhall_sdk.services.storage import Progress, TableChecksum

_OTHERS = """
SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'
"""
_FOREIGN_KEYS = """
SELECT t.relname AS name, k.conname AS key, pg_get_constraintdef(k.oid) AS definition
FROM pg_constraint AS k JOIN pg_class AS t ON t.oid = k.conrelid
WHERE k.contype = 'f' AND t.relnamespace = current_schema()::regnamespace
ORDER BY t.relname, k.conname
"""


class TablesRestoration:
    """The open transaction that holds the tables."""

    def __init__(self, connection: Any, tables: Mapping[str, TableChecksum]) -> None:
        self._connection = connection
        self.tables = tables

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        return await fetch(self._connection, statement, binds)

    async def commit(self) -> str | None:
        if await self._connection.execute("COMMIT") != "COMMIT":
            raise DatabaseUnreachable("PostgreSQL rolled the restored tables back instead of committing them")
        return None


@asynccontextmanager
async def tables_copied_in(
    url: str,
    folder: Path,
    schema: RestoredSchema,
    progress: Progress,
    *,
    replace: bool,
) -> AsyncIterator[TablesRestoration]:
    connection = await connect(url)
    try:
        with driver_errors_translated():
            await connection.execute("BEGIN")
            await connection.execute(f"SELECT pg_advisory_xact_lock({lock_number(schema.lock)})")
            await _refuse_company(connection)
            await _drop_tables(connection, replace)
            for step in schema.steps:
                await connection.execute(step)
            tables = await tables_of(connection)
            await _fill(connection, tables, folder, progress)
            await _set_sequences(connection, schema.sequences)
            progress("tables", "comparing")
            yield TablesRestoration(
                connection, {table.name: await checksum_of(connection, table) for table in tables}
            )
    finally:
        connection.terminate()


async def _refuse_company(connection: Any) -> None:
    """Raises where a server is connected: it keeps connections open for as long as it runs."""
    if others := await connection.fetchval(_OTHERS):
        raise DatabaseInUse(
            f"{others} other connections to this database are open: stop the server first, and every other "
            "one that uses it"
        )


async def _drop_tables(connection: Any, replace: bool) -> None:
    tables = await tables_of(connection)
    if tables and not replace:
        raise DatabaseOccupied("there are tables in this database already; --replace puts the backup there")
    for table in tables:
        await connection.execute(f"DROP TABLE {quoted(table.name)} CASCADE")


async def _fill(connection: Any, tables: Sequence[Table], folder: Path, progress: Progress) -> None:
    """Fills the tables in any order, past their triggers, as what those wrote is among the rows.

    Foreign keys come back when all is there, which is also cheaper.
    """
    keys = await connection.fetch(_FOREIGN_KEYS)
    for key in keys:
        await connection.execute(f"ALTER TABLE {quoted(key['name'])} DROP CONSTRAINT {quoted(key['key'])}")
    for table in tables:
        progress("table", table.name)
        await connection.execute(f"ALTER TABLE {quoted(table.name)} DISABLE TRIGGER USER")
        await connection.execute(f"DELETE FROM {quoted(table.name)}")
        source = file_of(folder, table.name)
        if source.exists():
            await connection.copy_to_table(
                table.name, source=source, columns=table.columns, format="text", encoding="utf-8"
            )
        await connection.execute(f"ALTER TABLE {quoted(table.name)} ENABLE TRIGGER USER")
    for key in keys:
        await connection.execute(
            f"ALTER TABLE {quoted(key['name'])} ADD CONSTRAINT {quoted(key['key'])} {key['definition']}"
        )


async def _set_sequences(connection: Any, values: Mapping[str, int]) -> None:
    for column, sequence in (await sequences_of(connection)).items():
        if column in values:
            await connection.fetchval("SELECT setval($1::text::regclass, $2)", sequence, values[column])
