"""What an operator can watch of the database."""

from collections.abc import Sequence

from guildhall_sdk import Host, Metric, Reader
from guildhall_sdk.metrics import Measured, measured_from
from kernel.db.database import Database


def database_metrics(database: Database) -> Sequence[Metric]:
    async def size(host: Host, reader: Reader) -> Measured:
        return {(database.engine.name,): await reader.value(database.engine.schema.size)}

    def replica_lag() -> Measured:
        seconds = None if database.pool.replica is None else database.pool.replica.lag_seconds
        return {} if seconds is None else {(): seconds}

    def replica_in_use() -> Measured:
        return {} if database.pool.replica is None else {(): int(database.pool.replica.in_use)}

    return (
        Metric("guildhall_database_size_bytes", "Size of the database", "gauge", ("dialect",), measure=size),
        Metric(
            "guildhall_database_write_scopes_total",
            "Transactions begun to write",
            "counter",
            measure=measured_from(lambda: {(): database.write_scopes}),
        ),
        Metric(
            "guildhall_database_wait_seconds_total",
            "Time spent waiting: for one's turn on SQLite, for a free connection on PostgreSQL",
            "counter",
            measure=measured_from(lambda: {(): database.pool.waited_seconds}),
        ),
        Metric(
            "guildhall_database_slow_statements_total",
            "Statements slower than SERVICE_LOG_SLOW_MS, by plugin",
            "counter",
            ("plugin",),
            measure=measured_from(lambda: dict(database.slow.counts)),
        ),
        Metric(
            "guildhall_database_replica_lag_seconds",
            "How far the replica is behind at the most",
            "gauge",
            measure=measured_from(replica_lag),
        ),
        Metric(
            "guildhall_database_replica_in_use",
            "1 while the replica is asked, 0 while it is away or too far behind",
            "gauge",
            measure=measured_from(replica_in_use),
        ),
    )
