"""Rate limits by GCRA: one number per caller, exact, and forgotten when the caller is idle."""

from guildhall_sdk import Clock

_NS_PER_MS = 1_000_000
_NS_PER_MINUTE = 60_000 * _NS_PER_MS
_NS_PER_SECOND = 1_000_000_000


class RateLimiter:
    """`per_minute` on average and `burst` at once, for each key; a rate of 0 admits everybody.

    Held are two generations of keys. A generation lasts as long as a full burst takes to drain, so
    whoever was last seen two generations ago is back at rest and dropping them loses nothing.
    """

    def __init__(self, per_minute: int, burst: int, clock: Clock, *, max_keys: int = 50_000) -> None:
        self._clock = clock
        self._off = per_minute <= 0
        self._interval = -(-_NS_PER_MINUTE // max(per_minute, 1))
        self._capacity = max(burst, 1) * self._interval
        self._max_keys = max_keys
        self._recent: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self._turned_at = 0

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)

    def take(self, key: str) -> float | None:
        """None admits the call; else the seconds until the next one would be admitted."""
        if self._off:
            return None
        now = self._clock.now_ms() * _NS_PER_MS
        if not 0 <= now - self._turned_at < self._capacity or len(self._recent) >= self._max_keys:
            self._turn(now)
        busy_until = max(self._recent.get(key) or self._older.get(key, 0), now)
        if busy_until - now > self._capacity:
            busy_until = now  # only a clock set back gets here: nobody waits for it to catch up
        wait = busy_until + self._interval - now - self._capacity
        if wait > 0:
            return wait / _NS_PER_SECOND
        self._recent[key] = busy_until + self._interval
        return None

    def _turn(self, now: int) -> None:
        """Past `max_keys` the oldest are forgotten early: better a fresh burst than unbounded memory."""
        idle = now - self._turned_at >= 2 * self._capacity
        self._older = {} if idle else self._recent
        self._recent = {}
        self._turned_at = now
