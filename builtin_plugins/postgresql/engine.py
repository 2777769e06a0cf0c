"""The engine for PostgreSQL; the driver is imported when a database is opened."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from guildhall_sdk import Statement
from guildhall_sdk.engines.engine import (
    Callers,
    CheckedCopy,
    DatabaseEngine,
    DatabaseOptions,
    DatabaseUnreachable,
    PartitionedTable,
    Partitions,
    RestoredSchema,
    SchemaStatements,
    TableCopy,
    TableRestoration,
)
from guildhall_sdk.engines.pools import Pool, Progress, TableText, TableTexts
from guildhall_sdk.errors import OperatorError


def _statement(name: str, text: str) -> Statement:
    return Statement(name, text, text)


_SCHEMA = SchemaStatements(
    table_exists=_statement("table_exists", "SELECT 1 WHERE to_regclass(:name) IS NOT NULL"),
    objects=_statement(
        "objects",
        "SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' "
        "ELSE 'table' END AS kind, relname AS name FROM pg_class "
        "WHERE relnamespace = current_schema()::regnamespace "
        "AND relkind IN ('r', 'p', 'f', 'v', 'm', 'S') AND NOT relispartition",
    ),
    size=_statement("size", "SELECT pg_database_size(current_database())"),
)


class ReplicaUnused(OperatorError):
    """The replica is set and not asked, with the reason; the server goes on without it."""


class PostgresEngine(DatabaseEngine):
    """Opens `postgresql://user@host/name`."""

    name = "postgresql"
    schemes = ("postgresql",)
    form = "postgresql://user@host/name"
    dialects = ("postgresql",)
    schema = _SCHEMA
    id_type = 'TEXT COLLATE "C"'
    copies_rows_alone = True

    def refusal(self, options: DatabaseOptions) -> str | None:
        for name, url in (("DIRECT", options.direct_url), ("REPLICA", options.replica_url)):
            if url is not None and not url.startswith("postgresql://"):
                return (
                    f"SERVICE_DATABASE_{name}_URL: takes {self.form}, and PostgreSQL in SERVICE_DATABASE_URL"
                )
        return None

    def open(self, options: DatabaseOptions, callers: Callers) -> Pool:
        from builtin_plugins.postgresql.pool import PostgresPool
        from builtin_plugins.postgresql.replica import PoolWithReplica

        return (PostgresPool if options.replica_url is None else PoolWithReplica)(options, callers)

    def partitions(self, table: PartitionedTable) -> Partitions:
        from builtin_plugins.postgresql.partitions import MonthlyPartitions

        return MonthlyPartitions(table)

    async def check_replica(self, options: DatabaseOptions) -> str:
        if options.replica_url is None:
            return "none"
        from builtin_plugins.postgresql.replica import ReplicaBehind, ReplicaBehindPooler, lag_of

        own_url = options.direct_url or options.url
        try:
            return f"ok ({await lag_of(options.replica_url, own_url, options.replica_lag_seconds)})"
        except (ReplicaBehind, ReplicaBehindPooler) as refusal:
            raise ReplicaUnused(f"is not used, so all is read from the database: {refusal}") from None
        except Exception as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            if isinstance(error, ValueError) and not isinstance(error, OSError):
                # Its own words would quote what stands in the place of a port, as of a password.
                reason = "its URL is not well formed; percent-encode what is special in its password"
        raise ReplicaUnused(f"cannot be reached, so all is read from the database: {reason}")

    def copied_out(
        self, url: str, folder: Path, progress: Progress
    ) -> AbstractAsyncContextManager[TableCopy]:
        from builtin_plugins.postgresql.copies import tables_copied_out

        return tables_copied_out(url, folder, progress)

    def copied_in(
        self,
        url: str,
        source: Path | Iterable[TableText],
        schema: RestoredSchema,
        progress: Progress,
        *,
        replace: bool,
    ) -> AbstractAsyncContextManager[TableRestoration]:
        from builtin_plugins.postgresql.restore import tables_copied_in, texts_copied_in

        if isinstance(source, Path):
            return tables_copied_in(url, source, schema, progress, replace=replace)
        return texts_copied_in(url, source, schema, progress, replace=replace)

    def check_copy(self, folder: Path, wanted: Statement) -> CheckedCopy:
        from builtin_plugins.postgresql.copies import check_copied_tables

        return check_copied_tables(folder)

    @asynccontextmanager
    async def texts_out(self, source: Path | str) -> AsyncIterator[TableTexts]:
        from builtin_plugins.postgresql.copies import CopiedTexts

        if isinstance(source, str):
            raise DatabaseUnreachable(
                "tables leave PostgreSQL as a backup: guildhall backup DIR, and guildhall restore DIR there"
            )
        yield CopiedTexts(source)
