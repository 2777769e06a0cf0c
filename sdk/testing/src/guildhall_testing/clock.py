"""A clock that stands still until it is moved."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

START_MS = int(datetime(2030, 1, 1, 9, tzinfo=UTC).timestamp() * 1000)


class FakeClock:
    """Starts on 2030-01-01 at 09:00 UTC. A hall's clients move it by one millisecond per request."""

    def __init__(self, start_ms: int = START_MS) -> None:
        self._now_ms = start_ms
        self._steady_ms = start_ms
        self._is_stopped = False

    def now_ms(self) -> int:
        return self._now_ms

    def steady_ms(self) -> int:
        return self._steady_ms

    def advance(
        self,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        milliseconds: int = 0,
    ) -> None:
        """Lets time pass, unless the clock is stopped. Negative amounts set the clock back."""
        if self._is_stopped:
            return
        total_seconds = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        passed = round(total_seconds * 1000) + milliseconds
        self._now_ms += passed
        self._steady_ms += max(0, passed)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Lets no time pass until the end of the block: what is not due by now does not come due."""
        self._is_stopped = True
        try:
            yield
        finally:
            self._is_stopped = False

    def jump(self, *, hours: float = 0, seconds: float = 0) -> None:
        """Sets the clock on or back while no time passes, as an administrator would."""
        self._now_ms += round((hours * 3600 + seconds) * 1000)
