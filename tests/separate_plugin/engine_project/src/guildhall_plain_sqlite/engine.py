"""The engine: it takes the statements of SQLite, and has two connections, each with a thread."""

from pathlib import Path

from guildhall_plain_sqlite.pool import PlainPool
from guildhall_sdk import Statement
from guildhall_sdk.engines.engine import Callers, DatabaseEngine, DatabaseOptions, SchemaStatements

PREFIX = "plain-sqlite:///"


def _statement(name: str, text: str) -> Statement:
    return Statement(name, text, text)


class PlainSqlite(DatabaseEngine):
    name = "plain-sqlite"
    schemes = ("plain-sqlite",)
    form = f"{PREFIX}path"
    dialects = ("plain_sqlite", "sqlite")
    one_process_only = "needs a database that several processes share"
    schema = SchemaStatements(
        table_exists=_statement(
            "table_exists", "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name"
        ),
        objects=_statement(
            "objects",
            "SELECT type AS kind, name FROM sqlite_master "
            "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'",
        ),
        size=_statement(
            "size",
            "SELECT counted.page_count * sized.page_size "
            "FROM pragma_page_count AS counted, pragma_page_size AS sized",
        ),
    )

    def refusal(self, options: DatabaseOptions) -> str | None:
        if not options.url.startswith(PREFIX):
            return f"SERVICE_DATABASE_URL: takes {self.form}"
        return None

    def open(self, options: DatabaseOptions, callers: Callers) -> PlainPool:
        return PlainPool(Path(options.url.removeprefix(PREFIX)), self.dialects, options, callers)
