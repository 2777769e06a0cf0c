"""What an operator can watch of the server's process, under the names that Prometheus gives them."""

import asyncio
import os
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from guildhall_sdk import Host, Metric, Reader
from guildhall_sdk.metrics import Measure, Measured
from libs.own_process.supervision import ProcessGroup

_PROC = Path("/proc")
# Positions in /proc/PID/stat behind the name, which ends in the last parenthesis.
_STARTED, _VIRTUAL, _RESIDENT = 19, 20, 21


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
