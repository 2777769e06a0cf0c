"""`SERVICE_DATABASE_URL=plain-sqlite:///path`: a database engine that its author wrote from the docs."""

from collections.abc import Sequence

from guildhall_plain_sqlite.engine import PlainSqlite
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.engines.engine import DatabaseEngine

PLUGIN = Plugin(
    id="plain-sqlite",
    name="Plain SQLite",
    version="0.1.0",
    description="Keeps the database in one file, by the standard library alone.",
)


@hookimpl
def declare_engines() -> Sequence[DatabaseEngine]:
    return [PlainSqlite()]
