"""The engine for a SQLite file; what opens one is imported when it is needed."""

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from guildhall_sdk import Statement
from guildhall_sdk.engines.engine import (
    Callers,
    CheckedCopy,
    DatabaseEngine,
    DatabaseOptions,
    RestoredSchema,
    SchemaStatements,
    TableCopy,
    TableRestoration,
)
from guildhall_sdk.engines.pools import Pool, Progress, TableText, TableTexts


def _statement(name: str, text: str) -> Statement:
    return Statement(name, text, text)


_SCHEMA = SchemaStatements(
    table_exists=_statement(
        "table_exists", "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name"
    ),
    objects=_statement(
        "objects",
        "SELECT type AS kind, name FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    ),
    size=_statement(
        "size",
        "SELECT counted.page_count * sized.page_size "
        "FROM pragma_page_count AS counted, pragma_page_size AS sized",
    ),
)


class SqliteEngine(DatabaseEngine):
    """Opens `sqlite:///path`."""

    name = "sqlite"
    schemes = ("sqlite",)
    form = "sqlite:///path"
    dialects = ("sqlite",)
    schema = _SCHEMA
    one_process_only = (
        "needs PostgreSQL: one process owns the file of SQLite. Set SERVICE_DATABASE_URL to postgresql://…"
    )

    def refusal(self, options: DatabaseOptions) -> str | None:
        if not options.url.startswith("sqlite:///"):
            return f"SERVICE_DATABASE_URL: takes {self.form}"
        for name, url in (("DIRECT", options.direct_url), ("REPLICA", options.replica_url)):
            if url is not None:
                return f"SERVICE_DATABASE_{name}_URL: takes PostgreSQL in SERVICE_DATABASE_URL too"
        return None

    def open(self, options: DatabaseOptions, callers: Callers) -> Pool:
        from builtin_plugins.sqlite.pool import SqlitePool

        return SqlitePool(options, callers)

    def copied_out(
        self, url: str, folder: Path, progress: Progress
    ) -> AbstractAsyncContextManager[TableCopy]:
        from builtin_plugins.sqlite.copies import file_copied_out
        from builtin_plugins.sqlite.file import database_path

        return file_copied_out(database_path(url), folder, progress)

    def copied_in(
        self,
        url: str,
        source: Path | Iterable[TableText],
        schema: RestoredSchema,
        progress: Progress,
        *,
        replace: bool,
    ) -> AbstractAsyncContextManager[TableRestoration]:
        """Puts a copied file in place whole, whose schema is in it; else makes one of the texts."""
        from builtin_plugins.sqlite.copies import file_copied_in
        from builtin_plugins.sqlite.file import database_path
        from builtin_plugins.sqlite.texts import texts_put_in

        if isinstance(source, Path):
            return file_copied_in(database_path(url), source, progress, replace=replace)
        return texts_put_in(database_path(url), source, schema, progress, replace=replace)

    def check_copy(self, folder: Path, wanted: Statement) -> CheckedCopy:
        from builtin_plugins.sqlite.copies import check_copied_file

        return check_copied_file(folder, wanted)

    def texts_out(self, source: Path | str) -> AbstractAsyncContextManager[TableTexts]:
        from builtin_plugins.sqlite.texts import texts_of

        return texts_of(source)
