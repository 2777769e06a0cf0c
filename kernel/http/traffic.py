"""The requests of each protocol, counted and logged: by row, or by operation."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence

from guildhall_sdk import Auth, Metric
from guildhall_sdk.metrics import Distribution, measured_from
from kernel.http.context import UNMATCHED, Context
from kernel.logs import get_logger

UNKNOWN = "Unknown"
_FAILED = 500


class Traffic(ABC):
    """Counts and logs the answers of one protocol.

    Never a path, query or header is logged, which may hold a credential: only what the request was found to
    be for, under the name `label`.
    """

    def __init__(self, name: str, label: str) -> None:
        self._log = get_logger(name)
        self._label = label
        self._counts: dict[tuple[str, ...], int] = {}
        self._abandoned = 0

    @abstractmethod
    def subject(self, ctx: Context) -> str | None:
        """Returns what a request is for, as the log names it."""

    @abstractmethod
    def done(self, ctx: Context, status: int) -> None: ...

    def abandoned(self, ctx: Context) -> None:
        self._abandoned += 1
        self._log.info("request.abandoned", **self._fields(ctx, 0))

    def failed(self, ctx: Context, error: Exception) -> None:
        self._log.error("request.failed", exc=error, plugin=ctx.plugin_id, **self._fields(ctx, _FAILED))

    def broken(self, ctx: Context, error: Exception, status: int) -> None:
        self._log.error("reply.broken", exc=error, plugin=ctx.plugin_id, **self._fields(ctx, status))

    def _fields(self, ctx: Context, status: int) -> dict[str, str | float | None]:
        return {
            "request_id": ctx.request_id,
            "method": ctx.method[:16],
            self._label: self.subject(ctx),
            "status": status,
            "user": None if ctx.who is None else ctx.who.user_id,
            "ms": round((time.perf_counter() - ctx.started) * 1000, 2),
        }


class RowTraffic(Traffic):
    """The answers of all rows, and the requests that no row took."""

    def __init__(self) -> None:
        super().__init__("http", "route")
        self._seconds: dict[tuple[str, ...], Distribution] = {}

    def subject(self, ctx: Context) -> str | None:
        return None if ctx.row is UNMATCHED else ctx.row.path

    def done(self, ctx: Context, status: int) -> None:
        fields = self._fields(ctx, status)
        row = (ctx.row.method, ctx.row.path)
        labels = (*row, str(status))
        self._counts[labels] = self._counts.get(labels, 0) + 1
        if row not in self._seconds:
            self._seconds[row] = Distribution()
        self._seconds[row].observe(time.perf_counter() - ctx.started)
        self._log.info_plain("request.done", **fields)

    def metrics(self) -> Sequence[Metric]:
        route = ("method", "route")
        return (
            Metric(
                "guildhall_http_requests_total",
                "Requests answered, by the row that took them and the status",
                "counter",
                (*route, "status"),
                measure=measured_from(lambda: dict(self._counts)),
            ),
            Metric(
                "guildhall_http_request_duration_seconds",
                "Time from the request's head to the last byte of its answer",
                "histogram",
                route,
                measure=measured_from(lambda: dict(self._seconds)),
            ),
            Metric(
                "guildhall_http_requests_abandoned_total",
                "Requests whose caller hung up before the answer",
                "counter",
                measure=measured_from(lambda: {(): self._abandoned}),
            ),
        )


class OperationTraffic(Traffic):
    """The answers of one adapter by operation; what somebody unknown asked for is not told."""

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, "operation")
        self._metric = f"guildhall_{name.replace('-', '_')}_requests_total"
        self._title = title

    def subject(self, ctx: Context) -> str:
        is_told = ctx.row is not UNMATCHED and (ctx.who is not None or ctx.row.auth is Auth.PUBLIC)
        return str(ctx.row.handler) if is_told else UNKNOWN

    def done(self, ctx: Context, status: int) -> None:
        fields = self._fields(ctx, status)
        labels = (str(fields["operation"]), str(status))
        self._counts[labels] = self._counts.get(labels, 0) + 1
        self._log.info_plain("request.done", **fields)

    def metrics(self) -> Sequence[Metric]:
        return (
            Metric(
                self._metric,
                f"{self._title} requests, by operation and status",
                "counter",
                ("operation", "status"),
                measure=measured_from(lambda: dict(self._counts)),
            ),
        )
