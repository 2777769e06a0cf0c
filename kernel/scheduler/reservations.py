"""What kinds of job reserve of declared dimensions while they run."""

from collections.abc import Iterable, Mapping

from guildhall_sdk import Row, TooManyRequests, Writer
from guildhall_sdk.services.jobs import JobReservations
from guildhall_sdk.services.quotas import Reservation
from kernel.scheduler.core import Core
from kernel.scheduler.statements import sql

# Settled or given back when the job ends; should nobody do either, this is when it lapses.
_RESERVED_MS = 24 * 3600 * 1000
_LONGEST_POSTPONEMENT_MS = 30_000


class Reservations:
    """Made with the plugin that counts, which is there once jobs are claimed.

    By company, since each reservation holds its company's place until the commit: whoever writes for several
    takes them in the same order.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    async def admit(self, writer: Writer, taken: list[Row]) -> list[Row]:
        """Reserves what the jobs need; returns those that got it, and the others wait to be tried again."""
        admitted = [row for row in taken if not self._reserves(row)]
        for row in _by_company(row for row in taken if self._reserves(row)):
            try:
                reservation = await self._core.host.service(JobReservations).reserve(
                    writer, row["org_id"], row["team_id"], self._reserves(row), _RESERVED_MS
                )
            except TooManyRequests as refusal:
                wait = min(_LONGEST_POSTPONEMENT_MS, 1000 * int(refusal.headers.get("Retry-After", "1")))
                await writer.run(sql.postpone, id=row["id"], wall=self._core.time.time_of_day(), wait_ms=wait)
            else:
                await writer.run(sql.note_reservation, id=row["id"], reservation=reservation.id)
                admitted.append(row)
        return admitted

    async def settle(self, writer: Writer, rows: Iterable[Row]) -> None:
        """Settles the reservations of jobs that succeeded, and gives back those of the others."""
        for row in _by_company(row for row in rows if row["reservation"] is not None):
            reservation = Reservation(row["reservation"], row["org_id"], row["team_id"])
            if row["state"] == "succeeded":
                await self._core.host.service(JobReservations).settle(writer, reservation)
            else:
                await self._core.host.service(JobReservations).release(writer, reservation)

    def _reserves(self, row: Row) -> Mapping[str, int]:
        kind = self._core.kinds.get(row["kind"])
        return {} if kind is None else kind.reserves


def _by_company(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: str(row["org_id"]))
