"""What an operator can watch of the database."""

from collections.abc import Sequence

from guildhall_sdk import Host, Metric, Reader
from guildhall_sdk.metrics import Measured
from kernel.db.database import Database


def database_metrics(database: Database) -> Sequence[Metric]:
    async def size(host: Host, reader: Reader) -> Measured:
        return {(database.engine.name,): await reader.value(database.engine.schema.size)}

    async def write_scopes(host: Host, reader: Reader) -> Measured:
        return {(): database.write_scopes}

    async def waited(host: Host, reader: Reader) -> Measured:
        return {(): database.waited_seconds}

    async def replica_lag(host: Host, reader: Reader) -> Measured:
        seconds = None if database.replica is None else database.replica.lag_seconds
        return {} if seconds is None else {(): seconds}

    async def replica_in_use(host: Host, reader: Reader) -> Measured:
        return {} if database.replica is None else {(): int(database.replica.in_use)}

    return (
        Metric("guildhall_database_size_bytes", "Size of the database", "gauge", ("dialect",), measure=size),
        Metric(
            "guildhall_database_write_scopes_total",
            "Transactions begun to write",
            "counter",
            measure=write_scopes,
        ),
        Metric(
            "guildhall_database_wait_seconds_total",
            "Time spent waiting: for one's turn on SQLite, for a free connection on PostgreSQL",
            "counter",
            measure=waited,
        ),
        Metric(
            "guildhall_database_replica_lag_seconds",
            "How far the replica is behind at the most",
            "gauge",
            measure=replica_lag,
        ),
        Metric(
            "guildhall_database_replica_in_use",
            "1 while the replica is asked, 0 while it is away or too far behind",
            "gauge",
            measure=replica_in_use,
        ),
    )
