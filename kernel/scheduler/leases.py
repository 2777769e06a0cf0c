"""The leases of held jobs, extended for whoever has their current claim token."""

import json
from collections.abc import Mapping, Sequence

from guildhall_sdk.services import Lease
from kernel.db import Database
from kernel.scheduler.statements import LeaseClock, sql

Held = tuple[str, str, float | None]
"""A job's id, its claim token, and how far it has come."""


class Leases:
    def __init__(self, data: Database, time: LeaseClock, seconds: int) -> None:
        self._data = data
        self._time = time
        self._seconds = seconds

    async def extend(self, jobs: Sequence[Held]) -> Mapping[str, int]:
        """Gives each job a whole lease from now, and returns when it ends; a job without one is lost."""
        async with self._data.write() as writer:
            rows = await writer.all(sql.beat, **self._bound(jobs))
        return {row["id"]: row["lease_until"] for row in rows}

    async def renew(self, jobs: Sequence[Held]) -> set[str]:
        """Extends the leases of jobs that this process runs, and returns those that are still its own."""
        async with self._data.write() as writer:
            rows = await writer.all(sql.renew_own, **self._bound(jobs))
        return {row["id"] for row in rows}

    def public(self, until: int) -> Lease:
        """Returns the lease with the time of day at which it ends."""
        return Lease(self._seconds, self._time.to_time_of_day(until))

    def _bound(self, jobs: Sequence[Held]) -> Mapping[str, object]:
        return {"jobs": json.dumps(jobs), "now": self._time.now(), "lease_ms": self._seconds * 1000}
