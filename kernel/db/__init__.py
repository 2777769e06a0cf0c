"""The database behind one small door: scopes to read and to write, and migrations."""

from kernel.db.channels import Dialect
from kernel.db.conditions import WriteCondition
from kernel.db.describe import describe_schema
from kernel.db.door import Database
from kernel.db.entries import AuditEntry, AuditSink
from kernel.db.errors import DatabaseUnreachable, MigrationError
from kernel.db.figures import database_metrics
from kernel.db.migrations import MigrationSource, migrate
from kernel.db.scopes import ScopedWriter, WriteScope

__all__ = [
    "AuditEntry",
    "AuditSink",
    "Database",
    "DatabaseUnreachable",
    "Dialect",
    "MigrationError",
    "MigrationSource",
    "ScopedWriter",
    "WriteCondition",
    "WriteScope",
    "database_metrics",
    "describe_schema",
    "migrate",
]
