"""The requests of each protocol, counted and logged: by row, or by operation."""

import time
from collections.abc import Sequence

from guildhall_sdk import Auth, Host, Metric, Reader
from guildhall_sdk.metrics import Distribution, Measured
from kernel.http.context import Context, Incoming
from kernel.logs import get_logger
from kernel.registry import BoundRoute

UNMATCHED = "none"
UNKNOWN = "Unknown"


class RowCounts:
    """The requests that one row answered. A path is never kept: only the pattern that it matched."""

    __slots__ = ("labels", "seconds", "statuses")

    def __init__(self, method: str, route: str) -> None:
        self.labels = (method, route)
        self.statuses: dict[int, int] = {}
        self.seconds = Distribution()


class RowTraffic:
    """Counts and logs the answers of all rows, and the requests that no row took."""

    def __init__(self) -> None:
        self._of_row: dict[int, RowCounts] = {}
        self._abandoned = 0
        self._log = get_logger("http")

    def done(self, incoming: Incoming, status: int) -> None:
        ctx = incoming.ctx
        bound = None if ctx is None else ctx.bound
        seconds = time.perf_counter() - incoming.started
        row = self._of_row.get(id(bound)) or self._counts_of(bound)
        row.statuses[status] = row.statuses.get(status, 0) + 1
        row.seconds.observe(seconds)
        self._log.info_plain(
            "request.done",
            request_id=incoming.id,
            method=incoming.method[:16],
            route=bound.row.path if bound else None,
            status=status,
            user=ctx.principal.user_id if ctx is not None and ctx.signed_in else None,
            ms=round(seconds * 1000, 2),
        )

    def abandoned(self, incoming: Incoming) -> None:
        self._abandoned += 1
        self._log.info("request.abandoned", request_id=incoming.id, method=incoming.method)

    def failed(self, incoming: Incoming, error: Exception) -> None:
        bound = None if incoming.ctx is None else incoming.ctx.bound
        self._log.error(
            "request.failed",
            exc=error,
            request_id=incoming.id,
            method=incoming.method,
            route=bound.row.path if bound else None,  # the path itself may name what is private
            plugin=bound.plugin_id if bound else None,
        )

    def broken(self, incoming: Incoming, error: Exception, status: int) -> None:
        plugin = None if incoming.ctx is None else incoming.ctx.bound.plugin_id
        self._log.error(
            "reply.broken", exc=error, request_id=incoming.id, method=incoming.method, plugin=plugin
        )

    def _counts_of(self, bound: BoundRoute | None) -> RowCounts:
        method, path = (UNMATCHED, UNMATCHED) if bound is None else (bound.row.method, bound.row.path)
        row = self._of_row[id(bound)] = RowCounts(method, path)
        return row

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

    async def _requests(self, host: Host, reader: Reader) -> Measured:
        return {
            (*row.labels, str(status)): count
            for row in self._of_row.values()
            for status, count in row.statuses.items()
        }

    async def _durations(self, host: Host, reader: Reader) -> Measured:
        return {row.labels: row.seconds for row in self._of_row.values()}

    async def _hung_up(self, host: Host, reader: Reader) -> Measured:
        return {(): self._abandoned}


class OperationTraffic:
    """Counts and logs the answers of one adapter by operation.

    Never a path, query or header is logged, which may hold a credential; nor the operation that somebody
    unknown asked for.
    """

    def __init__(self, name: str, title: str) -> None:
        self._metric = f"guildhall_{name.replace('-', '_')}_requests_total"
        self._title = title
        self._counts: dict[tuple[str, ...], int] = {}
        self._log = get_logger(name)

    def done(self, incoming: Incoming, status: int) -> None:
        labels = (_operation(incoming.ctx), str(status))
        self._counts[labels] = self._counts.get(labels, 0) + 1
        self._log.info("request.done", **_fields(incoming, status))

    def abandoned(self, incoming: Incoming) -> None:
        self._log.info("request.abandoned", **_fields(incoming, 0))

    def failed(self, incoming: Incoming, error: Exception) -> None:
        self._log.error("request.failed", exc=error, **_fields(incoming, 500))

    def broken(self, incoming: Incoming, error: Exception, status: int) -> None:
        self._log.error("reply.broken", exc=error, **_fields(incoming, status))

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric(
                self._metric,
                f"{self._title} requests, by operation and status",
                "counter",
                ("operation", "status"),
                measure=self._requests,
            ),
        )

    async def _requests(self, host: Host, reader: Reader) -> Measured:
        return dict(self._counts)


Traffic = RowTraffic | OperationTraffic


def _operation(ctx: Context | None) -> str:
    is_told = ctx is not None and (ctx.signed_in or ctx.bound.row.auth is Auth.PUBLIC)
    return ctx.bound.row.handler if ctx is not None and is_told else UNKNOWN


def _fields(incoming: Incoming, status: int) -> dict[str, str | float | None]:
    ctx = incoming.ctx
    return {
        "request_id": incoming.id,
        "method": incoming.method[:16],
        "operation": _operation(ctx),
        "status": status,
        "user": ctx.principal.user_id if ctx is not None and ctx.signed_in else None,
        "ms": round((time.perf_counter() - incoming.started) * 1000, 2),
    }
