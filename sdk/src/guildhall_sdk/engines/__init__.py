"""Database engines: what a plugin brings so that `SERVICE_DATABASE_URL` may name its kind of database.

A plugin declares a `DatabaseEngine` by `declare_engines`; the scheme of the URL chooses one. The server opens
scopes, runs named statements and applies migrations. The engine has the connections, decides who is given
one, and knows how its database is copied, checked and described. Whoever writes one runs
`kernel.testing.engine_conformance` against it.
"""

from guildhall_sdk.engines.connections import (
    LockedRead,
    OnMessage,
    Pool,
    ReadSession,
    Replica,
    SilentChannel,
    Transaction,
    WriteCondition,
    nothing,
)
from guildhall_sdk.engines.copies import CheckedCopy, RestoredSchema, RowsDigest, TableCopy, TableRestoration
from guildhall_sdk.engines.engine import DatabaseEngine, SchemaStatements
from guildhall_sdk.engines.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseInUse,
    DatabaseOccupied,
    DatabaseUnreachable,
    busy,
    took_too_long,
)
from guildhall_sdk.engines.options import (
    GATES,
    PATIENCE_SECONDS,
    POOL_SIZE,
    REPLICA_LAG_SECONDS,
    SERVER,
    Account,
    Callers,
    DatabaseOptions,
)
from guildhall_sdk.engines.partitions import Partition, PartitionedTable, Partitions

__all__ = [
    "GATES",
    "PATIENCE_SECONDS",
    "POOL_SIZE",
    "REPLICA_LAG_SECONDS",
    "SERVER",
    "Account",
    "Callers",
    "CheckedCopy",
    "DatabaseBusy",
    "DatabaseDamaged",
    "DatabaseEngine",
    "DatabaseInUse",
    "DatabaseOccupied",
    "DatabaseOptions",
    "DatabaseUnreachable",
    "LockedRead",
    "OnMessage",
    "Partition",
    "PartitionedTable",
    "Partitions",
    "Pool",
    "ReadSession",
    "Replica",
    "RestoredSchema",
    "RowsDigest",
    "SchemaStatements",
    "SilentChannel",
    "TableCopy",
    "TableRestoration",
    "Transaction",
    "WriteCondition",
    "busy",
    "nothing",
    "took_too_long",
]
