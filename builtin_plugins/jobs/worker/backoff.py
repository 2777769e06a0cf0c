"""How long to wait before the next try: longer each time, and never all workers at once."""

import random
from collections.abc import Callable

Spread = Callable[[], float]
"""A number from 0 to 1, by chance."""

by_chance: Spread = random.SystemRandom().random


class Backoff:
    """Doubles up to `maximum`; each wait is between half of that and all of it."""

    def __init__(self, first: float, maximum: float, spread: Spread = by_chance) -> None:
        self._first = first
        self._maximum = maximum
        self._spread = spread
        self._tries = 0

    def next_seconds(self, retry_after: float | None = None) -> float:
        """Never sooner than the server asked for."""
        reach = min(self._maximum, self._first * float(2**self._tries))
        if reach < self._maximum:
            self._tries += 1
        if retry_after is not None:
            return retry_after + min(reach, 1 + retry_after / 10) * self._spread()
        return reach * (0.5 + 0.5 * self._spread())

    def start_over(self) -> None:
        self._tries = 0
