"""The database: scopes to read and to write, and migrations."""

from kernel.db.backend import Dialect, LockedRead, WriteCondition
from kernel.db.copies import TableRestoration, check_copy, copied_in, copied_out, dialect_of
from kernel.db.database import Database
from kernel.db.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseInUse,
    DatabaseOccupied,
    DatabaseUnreachable,
    MigrationError,
)
from kernel.db.metrics import database_metrics
from kernel.db.migrations import (
    LEDGER_LOCK,
    Migration,
    MigrationSource,
    check_known,
    ledger_of,
    migrate,
    read_source,
)
from kernel.db.scopes import AuditEntry, AuditSink, ScopedWriter, WriteScope
from kernel.db.sqlite_statements import is_disk_full

__all__ = [
    "LEDGER_LOCK",
    "AuditEntry",
    "AuditSink",
    "Database",
    "DatabaseBusy",
    "DatabaseDamaged",
    "DatabaseInUse",
    "DatabaseOccupied",
    "DatabaseUnreachable",
    "Dialect",
    "LockedRead",
    "Migration",
    "MigrationError",
    "MigrationSource",
    "ScopedWriter",
    "TableRestoration",
    "WriteCondition",
    "WriteScope",
    "check_copy",
    "check_known",
    "copied_in",
    "copied_out",
    "database_metrics",
    "dialect_of",
    "is_disk_full",
    "ledger_of",
    "migrate",
    "read_source",
]
