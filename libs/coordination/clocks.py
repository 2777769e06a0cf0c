"""Clocks that may be set while a process runs."""

from typing import NamedTuple


class ClockReading(NamedTuple):
    """One moment on three clocks: a shared one, the time of day, and how long this process runs."""

    now: int
    of_day: int
    steady: int

    def jumps_since(self, before: "ClockReading") -> tuple[int, int]:
        """Returns by how much the shared clock and the time of day were set since then."""
        passed = self.steady - before.steady
        return self.now - before.now - passed, self.of_day - before.of_day - passed
