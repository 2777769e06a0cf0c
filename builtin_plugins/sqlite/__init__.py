"""SQLite: one file that one server process owns. `sqlite:///path`, and what a server has by default."""

from collections.abc import Sequence

from builtin_plugins.sqlite.engine import SqliteEngine
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.engines.engine import DatabaseEngine

PLUGIN = Plugin(
    id="sqlite",
    name="SQLite",
    version="0.1.0",
    description="Keeps the database in one file, which needs no other server.",
)

_ENGINE = SqliteEngine()


@hookimpl
def declare_engines() -> Sequence[DatabaseEngine]:
    return [_ENGINE]
