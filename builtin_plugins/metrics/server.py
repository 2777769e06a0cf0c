"""The metrics of the server: of its process, its database, and what the kernel measures, with its meaning."""

import asyncio
import os
import resource
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from guildhall_sdk import Host, Metric, Reader
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.metrics import Measure, Measured
from guildhall_sdk.routes import Adapter
from guildhall_sdk.services.server import DatabaseHealth
from libs.own_process.supervision import ProcessGroup

_PROC = Path("/proc")
# Positions in /proc/PID/stat behind the name, which ends in the last parenthesis.
_STARTED, _VIRTUAL, _RESIDENT = 19, 20, 21

_ROUTE = ("method", "route")


def process_metrics() -> Sequence[Metric]:
    """Returns the metrics of this process, where there is `/proc`."""
    if not (_PROC / "stat").exists():
        return ()
    return (
        _own("virtual_memory_bytes", "Virtual memory size in bytes", _measured(_virtual)),
        _own("resident_memory_bytes", "Resident memory size in bytes", _measured(_resident)),
        Metric(
            "process_cpu_seconds_total",
            "Total user and system CPU time spent in seconds",
            "counter",
            measure=_measured(time.process_time),
        ),
        _own("open_fds", "Number of open file descriptors", _open_files),
        _own("max_fds", "Maximum number of open file descriptors", _measured(_max_files)),
        Metric(
            "process_start_time_seconds",
            "Start time of the server since unix epoch in seconds",
            "gauge",
            measure=_start_time,
        ),
    )


def _own(name: str, text: str, measure: Measure) -> Metric:
    return Metric(f"process_{name}", text, "gauge", measure=measure, per_process=True)


def _measured(figure: Callable[[], float]) -> Measure:
    async def measure(host: Host, reader: Reader) -> Measured:
        return {(): figure()}

    return measure


async def _open_files(host: Host, reader: Reader) -> Measured:
    # On a thread: tens of thousands take a while to list.
    return {(): len(await asyncio.to_thread(os.listdir, "/proc/self/fd"))}


def _stat(pid: int, position: int) -> int:
    return int((_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[position])


def _virtual() -> int:
    return _stat(os.getpid(), _VIRTUAL)


def _resident() -> int:
    return _stat(os.getpid(), _RESIDENT) * resource.getpagesize()


def _max_files() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


async def _start_time(host: Host, reader: Reader) -> Measured:
    """Measures when the server began: of several processes, their supervisor."""
    group = host.find_service(ProcessGroup)
    lines = (_PROC / "stat").read_text().splitlines()
    (booted,) = (line.split()[1] for line in lines if line.startswith("btime "))
    pid = os.getpid() if group is None else group.supervisor
    return {(): float(booted) + _stat(pid, _STARTED) / os.sysconf("SC_CLK_TCK")}


async def _size(host: Host, reader: Reader) -> Measured:
    engine = host.service(DatabaseEngine)
    return {(engine.name,): await reader.value(engine.schema.size)}


async def _write_scopes(host: Host, reader: Reader) -> Measured:
    return {(): host.service(DatabaseHealth).write_scopes}


async def _waited(host: Host, reader: Reader) -> Measured:
    return {(): host.service(DatabaseHealth).pool.waited_seconds}


async def _slow(host: Host, reader: Reader) -> Measured:
    return dict(host.service(DatabaseHealth).slow_counts)


async def _replica_lag(host: Host, reader: Reader) -> Measured:
    replica = host.service(DatabaseHealth).pool.replica
    seconds = None if replica is None else replica.lag_seconds
    return {} if seconds is None else {(): seconds}


async def _replica_in_use(host: Host, reader: Reader) -> Measured:
    replica = host.service(DatabaseHealth).pool.replica
    return {} if replica is None else {(): int(replica.in_use)}


_OF_DATABASE = (
    Metric("guildhall_database_size_bytes", "Size of the database", "gauge", ("dialect",), measure=_size),
    Metric(
        "guildhall_database_write_scopes_total",
        "Transactions begun to write",
        "counter",
        measure=_write_scopes,
    ),
    Metric(
        "guildhall_database_wait_seconds_total",
        "Time spent waiting: for one's turn on SQLite, for a free connection on PostgreSQL",
        "counter",
        measure=_waited,
    ),
    Metric(
        "guildhall_database_slow_statements_total",
        "Statements slower than SERVICE_LOG_SLOW_MS, by plugin",
        "counter",
        ("plugin",),
        measure=_slow,
    ),
    Metric(
        "guildhall_database_replica_lag_seconds",
        "How far the replica is behind at the most",
        "gauge",
        measure=_replica_lag,
    ),
    Metric(
        "guildhall_database_replica_in_use",
        "1 while the replica is asked, 0 while it is away or too far behind",
        "gauge",
        measure=_replica_in_use,
    ),
)

_MEASURED_BY_KERNEL = (
    Metric("guildhall_secrets", "Secrets at rest", "gauge"),
    Metric(
        "guildhall_http_requests_total",
        "Requests answered, by the row that took them and the status",
        "counter",
        (*_ROUTE, "status"),
    ),
    Metric(
        "guildhall_http_request_duration_seconds",
        "Time from the request's head to the last byte of its answer",
        "histogram",
        _ROUTE,
    ),
    Metric(
        "guildhall_http_requests_abandoned_total",
        "Requests whose caller hung up before the answer",
        "counter",
    ),
    Metric(
        "guildhall_http_event_streams",
        "Streams of server-sent events that are open",
        "gauge",
        per_process=True,
    ),
    Metric(
        "guildhall_rate_limit_refusals_total",
        "Requests refused for their rate, by whose budget was spent",
        "counter",
        ("budget",),
    ),
    Metric(
        "guildhall_row_limit_refusals_total",
        "Requests refused because their address called one public row too often",
        "counter",
    ),
    Metric("guildhall_jobs", "Jobs that wait or run", "gauge", ("state", "kind")),
    Metric("guildhall_jobs_wait_seconds", "How long the longest waiting job has been ready", "gauge"),
    Metric("guildhall_job_attempts_total", "Attempts that ended, and how", "counter", ("kind", "outcome")),
    Metric("guildhall_processes", "Server processes that share the database", "gauge"),
    Metric("guildhall_events_waiting", "Events that are recorded and no job yet", "gauge", ("subscription",)),
)


def metrics_of_kernel(measures: Mapping[str, Measure], adapters: Iterable[Adapter]) -> Sequence[Metric]:
    """Returns those of the database, and those that the kernel measures by now."""
    of_adapters = (
        Metric(
            one.counted_as,
            f"{one.title} requests, by operation and status",
            "counter",
            ("operation", "status"),
        )
        for one in adapters
    )
    known = (*_MEASURED_BY_KERNEL, *of_adapters)
    measured = [replace(one, measure=measures[one.name]) for one in known if one.name in measures]
    return [*_OF_DATABASE, *measured]
