"""Tables copied into a PostgreSQL database, in one transaction."""

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
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
from guildhall_sdk.engines.engine import (
    DatabaseInUse,
    DatabaseOccupied,
    DatabaseUnreachable,
    RestoredSchema,
)
from guildhall_sdk.engines.pools import Progress, TableChecksum, TableText

_LOOKS, _PAUSE_SECONDS = 5, 0.1
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


def tables_copied_in(
    url: str, folder: Path, schema: RestoredSchema, progress: Progress, *, replace: bool
) -> AbstractAsyncContextManager[TablesRestoration]:
    async def fill(connection: Any, tables: Sequence[Table]) -> None:
        for table in tables:
            progress("table", table.name)
            source = file_of(folder, table.name)
            if source.exists():
                await _copy(connection, table.name, table.columns, source)

    return _filled(url, schema, progress, fill, replace=replace)


def texts_copied_in(
    url: str, texts: Iterable[TableText], schema: RestoredSchema, progress: Progress, *, replace: bool
) -> AbstractAsyncContextManager[TablesRestoration]:
    """Fills tables from another engine's text; its columns are the same, and maybe in another order."""

    async def fill(connection: Any, tables: Sequence[Table]) -> None:
        columns = {table.name: table.columns for table in tables}
        every = iter(texts)
        while (text := await asyncio.to_thread(next, every, None)) is not None:
            if text.table in schema.kept:
                continue
            if text.table not in columns:
                raise DatabaseUnreachable(f"the table {text.table} is not one that PostgreSQL has")
            progress("table", text.table)
            async with aclosing(_read_ahead(text.chunks)) as chunks:
                await _copy(connection, text.table, text.columns or columns[text.table], chunks)

    return _filled(url, schema, progress, fill, replace=replace)


@asynccontextmanager
async def _filled(
    url: str,
    schema: RestoredSchema,
    progress: Progress,
    fill: Callable[[Any, Sequence[Table]], Awaitable[None]],
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
            async with _past_triggers(connection, [one for one in tables if one.name not in schema.kept]):
                await fill(connection, tables)
            await _set_sequences(connection, schema.sequences)
            progress("tables", "comparing")
            yield TablesRestoration(
                connection, {table.name: await checksum_of(connection, table) for table in tables}
            )
    finally:
        connection.terminate()


async def _read_ahead(chunks: Iterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Reads the next chunk in a thread while the database takes the one before."""
    following = asyncio.ensure_future(asyncio.to_thread(next, chunks, None))
    try:
        while (chunk := await following) is not None:
            following = asyncio.ensure_future(asyncio.to_thread(next, chunks, None))
            yield chunk
    finally:
        await asyncio.wait([following])


async def _copy(connection: Any, table: str, columns: Sequence[str], source: Any) -> None:
    await connection.copy_to_table(table, source=source, columns=columns, format="text", encoding="utf-8")


async def _refuse_company(connection: Any) -> None:
    """Raises where a server is connected: it keeps connections open for as long as it runs."""
    others = 0
    for _ in range(_LOOKS):
        if not (others := await connection.fetchval(_OTHERS)):
            return
        await asyncio.sleep(_PAUSE_SECONDS)  # that of a command which was killed is about to end
    if others:
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


@asynccontextmanager
async def _past_triggers(connection: Any, tables: Sequence[Table]) -> AsyncIterator[None]:
    """Empties tables, to be filled in any order past their triggers: what those wrote is among the rows.

    Foreign keys come back when all is there, which is also cheaper.
    """
    keys = await connection.fetch(_FOREIGN_KEYS)
    for key in keys:
        await connection.execute(f"ALTER TABLE {quoted(key['name'])} DROP CONSTRAINT {quoted(key['key'])}")
    for table in tables:
        await connection.execute(f"ALTER TABLE {quoted(table.name)} DISABLE TRIGGER USER")
        await connection.execute(f"DELETE FROM {quoted(table.name)}")
    yield
    for table in tables:
        await connection.execute(f"ALTER TABLE {quoted(table.name)} ENABLE TRIGGER USER")
    for key in keys:
        await connection.execute(
            f"ALTER TABLE {quoted(key['name'])} ADD CONSTRAINT {quoted(key['key'])} {key['definition']}"
        )


async def _set_sequences(connection: Any, values: Mapping[str, int]) -> None:
    for column, sequence in (await sequences_of(connection)).items():
        if column in values:
            await connection.fetchval(
                "SELECT setval($1::text::regclass, $2)", sequence, max(values[column], 1)
            )
