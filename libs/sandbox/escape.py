"""A hostile program in the sandbox of programs: it tries every way out and says what came of each attempt."""

import errno
import json
import mmap
import os
import threading
from collections.abc import Mapping
from typing import Any

from libs.sandbox.probe import (
    Attempts,
    call,
    file_attempts,
    memory_attempts,
    network_attempts,
    outcome_of,
    process_attempts,
)

_PR_SET_PDEATHSIG = 1
_MANY_THREADS = 400
# What a program needs that a child which only computes does not: none of it leads out.
_OWN_AFFAIRS = frozenset(
    {
        *("stat", "pipe", "change folder", "duplicate", "write beside standard output"),
        *("allocate beyond the limit", "make code"),
        *("thread", "execute", "change limits", "change its name", "ignore its alarm", "ask for its session"),
    }
)


def main(request: str) -> None:
    """Tries everything and writes the outcomes; those that change this process come last."""
    task = json.loads(request)
    tree = {"stat": outcome_of(lambda: os.stat(f"{task['folder']}/there"))}  # noqa: PTH116
    outcomes = {
        area: {name: outcome_of(attempt) for name, attempt in within.items() if name not in _OWN_AFFAIRS}
        for area, within in _attempts(task).items()
    }
    os.write(1, json.dumps({**outcomes, "tree": tree}).encode())
    os._exit(0)


def _attempts(task: Mapping[str, Any]) -> Mapping[str, Attempts]:
    folder, victim, memory_bytes = task["folder"], task["victim"], task["memory_bytes"]
    return {
        "network": network_attempts(folder, task["port"], task["name"]),
        "files": file_attempts(folder),
        "signals": _signals(victim, task["priority"]),
        "memory": {**memory_attempts(victim), **_allocations(memory_bytes)},
        "processes": {
            **process_attempts(),
            "outlive the server": call("prctl", _PR_SET_PDEATHSIG, 0),
            "many threads": _start_many_threads,
        },
    }


def _signals(victim: int, priority: int) -> Attempts:
    """Tries signals by plain calls; `priority` is the victim's own: nothing changes where it gets through."""
    return {
        "kill": lambda: os.kill(victim, 0),
        "kill all": lambda: os.kill(-1, 0),
        "kill its group": lambda: os.kill(0, 0),
        "tkill": call("tkill", victim, 0),
        "tgkill": call("tgkill", victim, victim, 0),
        "queue": call("rt_sigqueueinfo", victim, 0, bytes(128)),
        "pidfd": call("pidfd_open", victim, 0),
        "signal by pidfd": call("pidfd_send_signal", -1, 0, None, 0),
        "take by pidfd": call("pidfd_getfd", -1, 0, 0),
        "signal by descriptor": call("fcntl", 0, 8, victim),
        "limits of another": call("prlimit64", victim, 7, None, bytes(16)),
        "priority of another": call("setpriority", 0, victim, priority),
        "disk priority of another": call("ioprio_set", 1, victim, 0),
        "processors of another": call("sched_setaffinity", victim, 8, bytes(8)),
    }


def _allocations(memory_bytes: int) -> Attempts:
    def allocate(flags: int) -> None:
        try:
            mmap.mmap(-1, 2 * memory_bytes, flags=flags | mmap.MAP_ANONYMOUS).close()
        except (OSError, MemoryError):
            raise PermissionError(errno.EPERM, "beyond the limit") from None

    return {
        "much memory": lambda: allocate(mmap.MAP_PRIVATE),
        "much shared memory": lambda: allocate(mmap.MAP_SHARED),
    }


def _start_many_threads() -> None:
    """Starts threads; the attempt is refused if the system stops it long before the end."""
    done = threading.Event()
    threading.stack_size(max(64 << 10, os.sysconf("SC_THREAD_STACK_MIN")))
    started: list[threading.Thread] = []
    try:
        for _ in range(_MANY_THREADS):
            thread = threading.Thread(target=done.wait)
            thread.start()
            started.append(thread)
    except RuntimeError:
        raise PermissionError(errno.EPERM, "no more threads") from None
    finally:
        done.set()
        for thread in started:
            thread.join()
