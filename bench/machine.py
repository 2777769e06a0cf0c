"""The machine that a run is on, in words, and whether others use it."""

import os
import platform
import time
from pathlib import Path

_LOOK_SECONDS = 1.0
_MAX_BUSY = 0.1


def described_machine() -> str:
    """Returns what a reader of ratios may want to know of it; no name of it."""
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    return f"{os.cpu_count()} cores ({platform.machine()}), {system}, Python {platform.python_version()}"


def is_quiet() -> bool:
    """Looks for a second whether anybody else works here, before a subject begins."""
    busy, whole = _ticks()
    time.sleep(_LOOK_SECONDS)
    busy_then, whole_then = _ticks()
    return busy_then - busy <= _MAX_BUSY * (whole_then - whole)


def _ticks() -> tuple[int, int]:
    """Returns the time that all processors worked so far, and all their time."""
    line = Path("/proc/stat").read_text("ascii").splitlines()[0]
    user, nice, system, idle, waiting, *others = map(int, line.split()[1:9])
    return user + nice + system + sum(others), user + nice + system + idle + waiting + sum(others)
