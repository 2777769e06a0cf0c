"""What is said of a writer that waited for another's lock until its patience ended."""

import asyncio
import logging
from collections.abc import Callable
from contextvars import Context
from math import inf
from typing import Any

from guildhall_sdk import Problem, Statement
from guildhall_sdk.engines.engine import DatabaseBusy, busy
from guildhall_sdk.engines.pools import ReadSession

_log = logging.getLogger("guildhall.db")
_QUIET_SECONDS = 5.0
# Not those who wait for a lock themselves, nor those that failed, as that of whoever waited in vain, and hold
# none any more: what is left are the transactions that may hold it.
_OPEN = """
SELECT pid, application_name AS application, COALESCE(host(client_addr), 'this machine') AS host, state,
    CAST(EXTRACT(EPOCH FROM clock_timestamp() - xact_start) AS INTEGER) AS seconds
FROM pg_stat_activity
WHERE datname = current_database() AND xact_start IS NOT NULL
    AND pid <> pg_backend_pid() AND wait_event_type IS DISTINCT FROM 'Lock'
    AND state IS DISTINCT FROM 'idle in transaction (aborted)'
ORDER BY xact_start LIMIT 3
"""
_FIND_OPEN = Statement("open_transactions", _OPEN, _OPEN)


def lock_timeout() -> DatabaseBusy:
    """Returns the refusal for a writer that another one kept waiting for too long."""
    return busy(
        "Another change to the same data is under way and was waited for in vain; nothing was changed. "
        "Ask again in a moment."
    )


class LockWaits:
    """Logs what was waited for and which transactions are open, a line every few seconds at most."""

    def __init__(self, open_session: Callable[[], ReadSession], own_context: Callable[[], Context]) -> None:
        self._open_session = open_session
        self._own_context = own_context
        self._quiet_until = -inf
        self._saying: asyncio.Task[None] | None = None

    def note(self, waited_for: str) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._quiet_until:
            self._quiet_until = now + _QUIET_SECONDS
            self._saying = asyncio.create_task(self._say(waited_for), context=self._own_context())

    async def _say(self, waited_for: str) -> None:
        holders: list[dict[str, Any]] | None = None
        session = self._open_session()
        try:
            holders = [dict(row) for row in await session.rows(_FIND_OPEN, {})]
        except Problem:
            pass  # the database is too busy even for that
        finally:
            await session.close()
        # What follows may name what people keep.
        kind_and_id = ":".join(waited_for.split(":")[:2])
        fields = {"waited_for": kind_and_id, "open_transactions": holders}
        _log.warning("db.lock_waited", extra={"fields": fields})
