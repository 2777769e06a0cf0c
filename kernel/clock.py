"""The one source of time; tests put their own in its place."""

import time


class SystemClock:
    def __init__(self) -> None:
        self._ahead_ns = time.time_ns() - _uptime_ns()

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def steady_ms(self) -> int:
        return (self._ahead_ns + _uptime_ns()) // 1_000_000


def _uptime_ns() -> int:
    """Goes on while the machine sleeps, where the system can tell."""
    return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
