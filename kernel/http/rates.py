"""Rate limits by GCRA: one number per caller, exact, and forgotten when the caller is idle."""

from collections.abc import Callable, Mapping

from guildhall_sdk import Clock

_NS_PER_MS = 1_000_000
_NS_PER_SECOND = 1_000_000_000
_NS_PER_MINUTE = 60 * _NS_PER_SECOND
# What other processes gave out may exceed the burst. It is paid back, for so long at most.
_LONGEST_DEBT = _NS_PER_MINUTE
_MOST_HEARD = 10**9
# Of a burst: what the others must hear of at once, and what they need not hear of yet.
_LARGE_PART = 8
_SMALL_PART = 50

Spent = Mapping[str, int]


class RateLimiter:
    """`per_minute` on average and `burst` at once, for each key; a rate of 0 admits everybody.

    Held are two generations of keys. A generation lasts as long as the most that a key can owe takes to
    drain, so whoever was last seen two generations ago is back at rest and dropping them loses nothing.

    With `tell`, other processes count the same keys: it is called with a key that was given much, and
    `untold` has the rest. What they gave out comes in by `hear`, and may exceed the burst.
    """

    def __init__(
        self,
        per_minute: int,
        burst: int,
        clock: Clock,
        *,
        max_keys: int = 50_000,
        tell: Callable[[Spent], None] | None = None,
    ) -> None:
        self._clock = clock
        self._off = per_minute <= 0
        self._interval = -(-_NS_PER_MINUTE // max(per_minute, 1))
        self._capacity = max(burst, 1) * self._interval
        self._longest = self._capacity + (0 if tell is None else _LONGEST_DEBT)
        self._max_keys = max_keys
        self._recent: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self._turned_at = 0
        self._tell = tell
        self._untold: dict[str, int] = {}
        self._large = max(1, burst // _LARGE_PART)
        self._small = max(1, burst // _SMALL_PART)

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)

    def take(self, key: str) -> float | None:
        """None admits the call; else the seconds until the next one would be admitted."""
        if self._off:
            return None
        now = self._now()
        busy_until = self._busy_until(key, now)
        wait = busy_until + self._interval - now - self._capacity
        if wait > 0:
            return wait / _NS_PER_SECOND
        self._recent[key] = busy_until + self._interval
        if self._tell is not None:
            self._note(key, self._tell)
        return None

    def wait(self, key: str) -> float | None:
        """What `take` would say; nothing is taken."""
        if self._off:
            return None
        now = self._now()
        wait = self._busy_until(key, now) + self._interval - now - self._capacity
        return wait / _NS_PER_SECOND if wait > 0 else None

    def hear(self, key: str, count: int) -> None:
        """What another process gave out."""
        if self._off or not 0 < count <= _MOST_HEARD:
            return
        now = self._now()
        spent_until = self._busy_until(key, now) + count * self._interval
        self._recent[key] = min(spent_until, now + self._longest)

    def untold(self, most: int) -> Spent:
        """What was given out and not told yet, unless it is little; from now on it counts as told."""
        found = [(count, key) for key, count in self._untold.items() if count >= self._small]
        found.sort(reverse=True)
        spent = {key: count for count, key in found[:most]}
        for key in spent:
            del self._untold[key]
        return spent

    def _note(self, key: str, tell: Callable[[Spent], None]) -> None:
        count = self._untold.get(key, 0) + 1
        if count < self._large:
            self._untold[key] = count
        else:
            self._untold.pop(key, None)
            tell({key: count})

    def _now(self) -> int:
        now = self._clock.now_ms() * _NS_PER_MS
        if not 0 <= now - self._turned_at < self._longest or len(self._recent) >= self._max_keys:
            self._turn(now)
        return now

    def _busy_until(self, key: str, now: int) -> int:
        busy_until = max(self._recent.get(key) or self._older.get(key, 0), now)
        # Only a clock set back gets further than that: nobody waits for it to catch up.
        return now if busy_until - now > self._longest else busy_until

    def _turn(self, now: int) -> None:
        """Past `max_keys` the oldest are forgotten early: better a fresh burst than unbounded memory."""
        idle = now - self._turned_at >= 2 * self._longest
        self._older = {} if idle else self._recent
        self._recent = {}
        self._untold = {}
        self._turned_at = now
