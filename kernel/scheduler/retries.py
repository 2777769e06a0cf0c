"""When to try again, and when not. No database here."""

import random

_FIRST_WAIT_MS = 1_000
LONGEST_WAIT_MS = 10 * 60_000
_LAPSES_BEFORE_POISON = 3

LOST = ("worker_lost", "Whoever ran it stopped answering.")
POISON = ("poison", "It was given up: again and again whoever ran it died or stopped answering.")
RETURNED = ("worker_retired", "The worker that ran it was retired.")
RETIRED = ("worker_retired", "The worker that it was bound to is gone.")


def wait_ms(attempt: int, chance: float | None = None) -> int:
    """Returns the wait before the next attempt: it doubles with each, and chance makes it half to all."""
    longest: int = min(LONGEST_WAIT_MS, _FIRST_WAIT_MS * 2 ** min(attempt, 20))
    return round(longest * (0.5 + (random.random() if chance is None else chance) / 2))  # noqa: S311


def is_poisoned(lapses: int, max_attempts: int) -> bool:
    """Tells whether a job was lost so often in a row that it seems to kill its runner.

    One that may try often may lapse often.
    """
    return lapses >= max(_LAPSES_BEFORE_POISON, max_attempts // 2)
