"""The database: scopes to read and to write, and migrations; an engine has the connections."""

from kernel.db.database import ConditionOf, Database
from kernel.db.metrics import database_metrics
from kernel.db.migrations import (
    LEDGER_LOCK,
    Migration,
    MigrationError,
    MigrationSource,
    as_ledger,
    check_known,
    ledger_of,
    migrate,
    read_source,
)
from kernel.db.scopes import AuditEntry, AuditSink, ScopedReader, ScopedWriter, WriteScope

__all__ = [
    "LEDGER_LOCK",
    "AuditEntry",
    "AuditSink",
    "ConditionOf",
    "Database",
    "Migration",
    "MigrationError",
    "MigrationSource",
    "ScopedReader",
    "ScopedWriter",
    "WriteScope",
    "as_ledger",
    "check_known",
    "database_metrics",
    "ledger_of",
    "migrate",
    "read_source",
]
