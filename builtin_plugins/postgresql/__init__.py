"""PostgreSQL: state that several server processes share. `postgresql://user@host/name`."""

from collections.abc import Sequence

from builtin_plugins.postgresql.engine import PostgresEngine
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.engines.engine import DatabaseEngine

PLUGIN = Plugin(
    id="postgresql",
    name="PostgreSQL",
    version="0.1.0",
    description="Keeps the database in PostgreSQL, which several server processes can share.",
)

_ENGINE = PostgresEngine()


@hookimpl
def declare_engines() -> Sequence[DatabaseEngine]:
    return [_ENGINE]
