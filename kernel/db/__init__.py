"""The database: scopes to read and to write, and migrations; an engine has the connections."""

from kernel.db.database import ConditionOf, Database
from kernel.db.metrics import database_metrics
from kernel.db.migrations import (
    LEDGER_LOCK,
    MigrationError,
    as_ledger,
    check_known,
    check_ledger,
    ledger_of,
    migrate,
    read_source,
)
from kernel.db.scopes import AuditEntry, AuditSink, ScopedReader, ScopedWriter, WriteScope
from libs.migration_files import MigrationSource

__all__ = [
    "LEDGER_LOCK",
    "AuditEntry",
    "AuditSink",
    "ConditionOf",
    "Database",
    "MigrationError",
    "MigrationSource",
    "ScopedReader",
    "ScopedWriter",
    "WriteScope",
    "as_ledger",
    "check_known",
    "check_ledger",
    "database_metrics",
    "ledger_of",
    "migrate",
    "read_source",
]
