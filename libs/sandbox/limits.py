"""The limits of a child, set by itself before it does anything else."""

import os
import resource
import signal
from contextlib import suppress
from typing import NamedTuple

from libs.sandbox.native import prctl

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4


class Bounds(NamedTuple):
    """The limits of one child."""

    memory_bytes: int
    """Address space, the interpreter included."""
    cpu_seconds: int
    wall_seconds: int


def bind(bounds: Bounds, parent: int) -> None:
    """Sets rlimits and an alarm, so that the child ends even when nobody is left to end it."""
    signal.alarm(bounds.wall_seconds)
    set_limit(resource.RLIMIT_AS, bounds.memory_bytes)
    set_limit(resource.RLIMIT_CPU, bounds.cpu_seconds, slack=1)
    for nothing in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC):
        set_limit(nothing, 0)
    yield_to_others()
    with suppress(OSError, AttributeError):
        # Or a neighbour of the same user could look into its memory.
        prctl(_PR_SET_DUMPABLE, 0)
    end_with_parent(parent)


def end_with_parent(parent: int | None) -> None:
    """Lets the kernel kill this process when `parent` ends; None for whoever must be the parent already."""
    with suppress(OSError, AttributeError):
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have gone before the kernel was asked to say so.
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def yield_to_others() -> None:
    """Lets others have the processor first, and lets this process go first when memory runs out."""
    os.nice(10)
    with suppress(OSError):
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(score, b"1000")
        os.close(score)


def set_limit(which: int, value: int, slack: int = 0) -> None:
    """Sets an rlimit, never above the one that the process was started with."""
    hard = resource.getrlimit(which)[1]
    hard_limit = value + slack if hard == resource.RLIM_INFINITY else min(value + slack, hard)
    resource.setrlimit(which, (min(value, hard_limit), hard_limit))
