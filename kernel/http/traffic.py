"""What went through the dispatcher, by row and status: plain numbers on the way of every request."""

from collections.abc import Sequence

from guildhall_sdk import Distribution, Host, Measured, Metric, Reader
from kernel.registry import BoundRoute

UNMATCHED = "none"


class RowTraffic:
    """The requests that one row answered. A path is never kept: only the pattern that it matched."""

    __slots__ = ("labels", "seconds", "statuses")

    def __init__(self, method: str, route: str) -> None:
        self.labels = (method, route)
        self.statuses: dict[int, int] = {}
        self.seconds = Distribution()

    def record(self, status: int, seconds: float) -> None:
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.seconds.observe(seconds)


class Traffic:
    """Of all rows, and of the requests that no row took."""

    def __init__(self, routes: Sequence[BoundRoute]) -> None:
        self._unmatched = RowTraffic(UNMATCHED, UNMATCHED)
        self._of_row = {id(bound): RowTraffic(bound.row.method, bound.row.path) for bound in routes}
        self._abandoned = 0

    def record(self, bound: BoundRoute | None, status: int, seconds: float) -> None:
        row = self._unmatched if bound is None else self._of_row[id(bound)]
        row.record(status, seconds)

    def abandon(self) -> None:
        self._abandoned += 1

    def metrics(self) -> Sequence[Metric]:
        route = ("method", "route")
        return (
            Metric(
                "guildhall_http_requests_total",
                "Requests answered, by the row that took them and the status",
                "counter",
                (*route, "status"),
                measure=self._requests,
            ),
            Metric(
                "guildhall_http_request_duration_seconds",
                "Time from the request's head to the last byte of its answer",
                "histogram",
                route,
                measure=self._durations,
            ),
            Metric(
                "guildhall_http_requests_abandoned_total",
                "Requests whose caller hung up before the answer",
                "counter",
                measure=self._hung_up,
            ),
        )

    def _rows(self) -> list[RowTraffic]:
        return [row for row in (*self._of_row.values(), self._unmatched) if row.statuses]

    async def _requests(self, host: Host, reader: Reader) -> Measured:
        return {
            (*row.labels, str(status)): count
            for row in self._rows()
            for status, count in row.statuses.items()
        }

    async def _durations(self, host: Host, reader: Reader) -> Measured:
        return {row.labels: row.seconds for row in self._rows()}

    async def _hung_up(self, host: Host, reader: Reader) -> Measured:
        return {(): self._abandoned}
