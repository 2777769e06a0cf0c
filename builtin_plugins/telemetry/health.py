"""`GET /api/admin/health`: how the server is right now, and how it was in the last quarter of an hour."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guildhall_sdk import Auth, Call, Host, Reply, Route, load_queries
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.ids import rfc3339
from guildhall_sdk.metrics import Distribution, KernelMetrics, MetricFamily, Metrics, Sample
from guildhall_sdk.schema import array, boolean, integer, number, shape, string
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.server import DatabaseHealth, Readiness

sql = load_queries(Path(__file__).with_name("queries.sql"))

#: What `guildhall top` shows in place of a token: sealed by the server's own key, and short-lived.
PASS_HEADER = "x-guildhall-machine"  # noqa: S105 - a name
PASS_PURPOSE = "telemetry.top"  # noqa: S105 - a name
PASS_MS = 60_000

EVERY_SECONDS = 10.0
_SAMPLES = 90
_MAX_COMPANIES = 10
# What is counted to find the busiest companies; beyond that it is a share of all.
_MAX_JOBS = 10_000
# Whoever looks again sooner gets the same.
_FRESH_SECONDS = 1.0
_REQUESTS = "guildhall_http_requests_total"
_DURATIONS = "guildhall_http_request_duration_seconds"
_STREAMS = "guildhall_http_event_streams"
_ATTEMPTS = "guildhall_job_attempts_total"
_OF_MEMORY = (_REQUESTS, _DURATIONS, _STREAMS, _ATTEMPTS)

_COUNTS = {
    "requests": integer(0, description="Answered since the start"),
    "failed": integer(0, description="Of them, with a 5xx"),
    "streams": integer(0, description="Open now"),
    "jobs_ended": integer(0, description="Attempts that ended since the start"),
    "jobs_failed": integer(0),
}
_POINT = shape(
    {
        "at": string(format="date-time"),
        "requests_per_second": number(),
        "failed_per_second": number(),
        "p95_ms": number(description="Of the requests of this while; 0 where there was none"),
        "jobs_per_second": number(),
        "streams": integer(0),
    }
)
HEALTH = shape(
    {
        "at": string(format="date-time"),
        "version": string(),
        "ready": boolean(),
        "trouble": string(description="Why it is not ready: starting, draining, database or disk"),
        "processes": integer(0, description="Server processes that share the database"),
        "totals": shape(_COUNTS, description="Of all processes of this machine's server"),
        "jobs": shape(
            {"waiting": integer(0), "running": integer(0), "longest_wait_seconds": number()},
            description="Now",
        ),
        "database": shape({"engine": string(), "bytes": integer(0), "waited_seconds": number()}),
        "memory_bytes": integer(0),
        "slow_statements": array(
            shape(
                {
                    "name": string(),
                    "plugin": string(),
                    "ms": integer(0),
                    "at": string(format="date-time"),
                }
            ),
            description="The last ones of the process that answers, the newest first",
        ),
        "companies": array(
            shape({"id": string(), "name": string(), "waiting": integer(0), "running": integer(0)}),
            description="Those with the most jobs now",
        ),
        "history": array(_POINT, description="Every ten seconds, of the process that answers"),
    },
    optional=["trouble"],
)

ROUTES = (
    Route(
        "GET",
        "/api/admin/health",
        "health",
        "How the server is now: requests, jobs, streams, slow statements, busy companies",
        permission="instance:manage",
        reply=HEALTH,
    ),
    Route(
        "GET",
        "/api/admin/health/machine",
        "health_of_machine",
        "The same for `guildhall top`, by a pass that the server's own key seals and no token",
        Auth.PUBLIC,
        reply=HEALTH,
    ),
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The counters of this process at one moment."""

    seconds: float
    requests: float
    failed: float
    attempts: float
    streams: float
    durations: Distribution


class ServerHealth:
    """Samples what this process counts, and sums up all of it for whoever asks."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._points: deque[Mapping[str, Any]] = deque(maxlen=_SAMPLES)
        self._last: _Reading | None = None
        self._lock = asyncio.Lock()
        self._found: Mapping[str, Any] = {}
        self._found_at = -_FRESH_SECONDS

    async def sample_always(self) -> None:
        """Samples until it is cancelled."""
        while True:
            await self.sample()
            await asyncio.sleep(EVERY_SECONDS)

    async def sample(self) -> None:
        """Adds a point to the history; the first call only begins it."""
        reading = await self._read()
        before, self._last = self._last, reading
        if before is None:
            return
        seconds = max(0.001, reading.seconds - before.seconds)
        self._points.append(
            {
                "at": rfc3339(self._host.clock.now_ms()),
                "requests_per_second": round((reading.requests - before.requests) / seconds, 2),
                "failed_per_second": round((reading.failed - before.failed) / seconds, 2),
                "p95_ms": round(_quantile(before.durations, reading.durations, 0.95) * 1000, 1),
                "jobs_per_second": round((reading.attempts - before.attempts) / seconds, 2),
                "streams": int(reading.streams),
            }
        )

    async def now(self) -> Mapping[str, Any]:
        """Returns the answer of `GET /api/admin/health`; many who ask at once are answered by one look."""
        async with self._lock:
            if time.monotonic() - self._found_at >= _FRESH_SECONDS:
                self._found = await self._look()
                self._found_at = time.monotonic()
        return self._found

    async def _look(self) -> Mapping[str, Any]:
        host = self._host
        found = {one.name: one for one in await host.service(Metrics).collect()}
        trouble = await host.service(Readiness).trouble()
        async with host.data.read() as reader:
            companies = await reader.all(sql.busiest_companies, max_jobs=_MAX_JOBS, max_rows=_MAX_COMPANIES)
        attempts = found.get(_ATTEMPTS)
        return {
            "at": rfc3339(host.clock.now_ms()),
            "version": host.settings.version,
            "ready": trouble is None,
            **({} if trouble is None else {"trouble": trouble.reason}),
            "processes": int(_sum(found.get("guildhall_processes"))),
            "totals": {
                "requests": int(_sum(found.get(_REQUESTS))),
                "failed": int(_sum(found.get(_REQUESTS), status="5")),
                "streams": int(_sum(found.get(_STREAMS))),
                "jobs_ended": int(_sum(attempts)),
                "jobs_failed": int(_sum(attempts, outcome="failed")),
            },
            "jobs": {
                "waiting": int(
                    _sum(found.get("guildhall_jobs"), state="queued")
                    + _sum(found.get("guildhall_jobs"), state="scheduled")
                ),
                "running": int(_sum(found.get("guildhall_jobs"), state="running")),
                "longest_wait_seconds": _sum(found.get("guildhall_jobs_wait_seconds")),
            },
            "database": {
                "engine": _label(found.get("guildhall_database_size_bytes"), "dialect"),
                "bytes": int(_sum(found.get("guildhall_database_size_bytes"))),
                "waited_seconds": round(_sum(found.get("guildhall_database_wait_seconds_total")), 3),
            },
            "memory_bytes": int(_sum(found.get("process_resident_memory_bytes"))),
            "slow_statements": [
                {"name": one.name, "plugin": one.plugin, "ms": one.ms, "at": rfc3339(one.at)}
                for one in host.service(DatabaseHealth).slow_statements()
            ],
            "companies": [dict(row) for row in companies],
            "history": [*self._points],
        }

    async def _read(self) -> _Reading:
        """Reads the counters that are in memory: nothing is asked of the database."""
        host, found = self._host, dict[str, Mapping[tuple[str, ...], Any]]()
        measures = host.service(KernelMetrics).measures
        async with host.data.read() as reader:
            for name in _OF_MEMORY:
                if name in measures:
                    found[name] = await measures[name](host, reader)
        requests = found.get(_REQUESTS, {})
        durations = Distribution()
        for one in found.get(_DURATIONS, {}).values():
            durations.counts = [a + b for a, b in zip(durations.counts, one.counts, strict=True)]
        return _Reading(
            time.monotonic(),
            sum(requests.values()),
            sum(many for labels, many in requests.items() if labels[-1].startswith("5")),
            sum(found.get(_ATTEMPTS, {}).values()),
            sum(found.get(_STREAMS, {}).values()),
            durations,
        )


def _quantile(before: Distribution, after: Distribution, share: float) -> float:
    """Returns the upper bound of the bucket with the value below which this share of them is; 0 of none."""
    counts = [late - early for early, late in zip(before.counts, after.counts, strict=True)]
    wanted, seen = sum(counts) * share, 0
    if not wanted:
        return 0.0
    for bound, many in zip(after.bounds, counts, strict=False):
        seen += many
        if seen >= wanted:
            return bound
    return after.bounds[-1]


def _sum(family: MetricFamily | None, **beginnings: str) -> float:
    """Returns the sum of a metric's samples whose labels begin with these texts."""
    return sum(
        sample.value
        for sample in _samples(family)
        if all(sample.labels.get(name, "").startswith(text) for name, text in beginnings.items())
    )


def _label(family: MetricFamily | None, name: str) -> str:
    return next((sample.labels.get(name, "") for sample in _samples(family)), "")


def _samples(family: MetricFamily | None) -> Sequence[Sample]:
    return () if family is None else family.samples


def machine_pass(vault: Vault, now_ms: int) -> str:
    """Makes the pass of a command that has the server's own key."""
    return vault.seal(PASS_PURPOSE, json.dumps(now_ms + PASS_MS))


def _is_let_in(call: Call) -> bool:
    sealed = call.headers.get(PASS_HEADER, "")
    opened = call.service(Vault).unseal(PASS_PURPOSE, sealed) if sealed.isascii() else None
    return opened is not None and call.host.clock.now_ms() <= int(opened)


async def health(call: Call) -> Reply:
    return Reply(await call.service(ServerHealth).now())


async def health_of_machine(call: Call) -> Reply:
    if not _is_let_in(call):
        raise Unauthenticated(
            "This is for `guildhall top` on the server's machine; elsewhere read GET /api/admin/health."
        )
    return await health(call)


HANDLERS = {"health": health, "health_of_machine": health_of_machine}
