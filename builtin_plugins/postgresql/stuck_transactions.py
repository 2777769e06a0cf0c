"""Transactions in the middle of a statement whose process does not go on with it.

PostgreSQL ends one that is idle between two statements. In the middle of a statement it waits for ever: for
what the driver sends after the text of one that is new to a connection, or for whoever takes a long result.
"""

import logging
from datetime import datetime
from typing import Any

_log = logging.getLogger("guildhall.db")
LOOK_SECONDS = 2.0
_QUIET_SECONDS = 4.0
# Those alone that others may wait for. A COPY moves more than a statement does, and takes the time it needs.
_STUCK = f"""
SELECT pid, query_start, application_name AS application,
    COALESCE(host(client_addr), 'this machine') AS host,
    CAST(EXTRACT(EPOCH FROM clock_timestamp() - query_start) AS INTEGER) AS seconds,
    query_start < clock_timestamp() - INTERVAL '{_QUIET_SECONDS} seconds' AS is_quiet
FROM pg_stat_activity AS own
WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND state = 'active' AND wait_event_type = 'Client' AND query NOT ILIKE 'copy%'
    AND query_start < clock_timestamp() - INTERVAL '{LOOK_SECONDS / 2} seconds'
    AND EXISTS (
        SELECT 1 FROM pg_locks
        WHERE pg_locks.pid = own.pid AND granted AND locktype IN ('advisory', 'transactionid')
    )
"""
_END = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid = $1 AND query_start = $2 AND wait_event_type = 'Client'
"""


class StuckTransactions:
    """Ends those that have not moved from one look to the next, and says whose they were."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, datetime]] = set()

    async def end_stuck(self, connection: Any, patience: float) -> None:
        """Looks once, by a connection to the database itself, outside any transaction."""
        found = {
            (row["pid"], row["query_start"]): row for row in await connection.fetch(_STUCK, timeout=patience)
        }
        for place, row in found.items():
            if (
                place in self._seen
                and row["is_quiet"]
                and await connection.fetchval(_END, *place, timeout=patience)
            ):
                fields = {name: row[name] for name in ("application", "host", "seconds")}
                _log.warning("db.stuck_transaction_ended", extra={"fields": fields})
        self._seen = set(found)
