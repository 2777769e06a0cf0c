"""Databases without a server, opened by the engine that a server would have for their URL."""

from functools import cache
from typing import Any

from guildhall_sdk import Statement
from guildhall_sdk.engines.engine import DatabaseEngine, DatabaseOptions
from kernel.config import Settings
from kernel.db.database import ConditionOf, Database
from kernel.db.scopes import AuditSink, LockedReadOf
from kernel.plugins.engines import engine_of


def statement(text: str) -> Statement:
    """Returns a statement that is spelled the same for each engine."""
    return Statement("of_a_test", text, text)


@cache
def engine_named(scheme: str) -> DatabaseEngine:
    """Returns the engine of an installed plugin for URLs of this scheme; raises `SettingsError`."""
    return engine_of(Settings(database_url=f"{scheme}:///"))


def database_at(
    url: str,
    *,
    audit_sink: AuditSink | None = None,
    condition_of: ConditionOf | None = None,
    locked_read_of: LockedReadOf | None = None,
    **options: Any,
) -> Database:
    """Returns the database at a URL, to be connected to; `options` are those of `DatabaseOptions`."""
    return Database(
        engine_named(url.partition(":")[0]),
        DatabaseOptions(url=url, **options),
        audit_sink=audit_sink,
        condition_of=condition_of,
        locked_read_of=locked_read_of,
    )
