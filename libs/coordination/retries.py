"""When to try again what failed."""

import random


def backoff(attempt: int, first: float, longest: float, chance: float | None = None) -> float:
    """Returns the wait before the next attempt: it doubles with each, and chance makes it half to all."""
    reach: float = min(longest, first * 2 ** min(attempt, 20))
    return reach * (0.5 + (random.random() if chance is None else chance) / 2)  # noqa: S311
