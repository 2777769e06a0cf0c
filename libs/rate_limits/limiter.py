"""A rate for each key: so many a minute, and a burst of them at once; and the budgets of callers by it."""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

_NS_PER_MS = 1_000_000
_NS_PER_SECOND = 1_000_000_000
_NS_PER_MINUTE = 60 * _NS_PER_SECOND
# What other processes gave out may exceed the burst. It is paid back, for so long at most.
_LONGEST_DEBT = _NS_PER_MINUTE
_MAX_RECEIVED = 10**9
# Of a burst: what the others must hear of at once, and what they need not hear of yet.
_LARGE_PART = 8
_SMALL_PART = 50
# Of a credential's rate: what it may spend at once, and what one address has of it.
_BURST_PART = 6
_PUBLIC_PART = 5
_MAX_PROVEN = 20_000

#: How many calls each key was given.
Spent = Mapping[str, int]
#: Called with a budget's name and what it gave out.
Notify = Callable[[str, Spent], None]
#: Makes the error for whoever has to wait for so many seconds.
Refuse = Callable[[float], Exception]


class Clock(Protocol):
    """The source of time; tests have their own."""

    def now_ms(self) -> int: ...


class Standing(NamedTuple):
    """So many calls at once, anew within `window` seconds; those that are left, and when all are there."""

    burst: int
    window: int
    left: int
    reset: int


class RateLimiter:
    """`per_minute` on average and `burst` at once, for each key by GCRA; a rate of 0 admits everybody.

    Held are two generations of keys. A generation lasts as long as the most that a key can owe takes to
    drain, so whoever was last seen two generations ago is back at rest and dropping them loses nothing.

    With `notify`, other processes count the same keys: it is called with a key that was given much, and
    `take_unsent` has the rest. What they gave out comes in by `hear`, and may exceed the burst.
    """

    def __init__(
        self,
        per_minute: int,
        burst: int,
        clock: Clock,
        *,
        max_keys: int = 50_000,
        notify: Callable[[Spent], None] | None = None,
    ) -> None:
        self._clock = clock
        self._off = per_minute <= 0
        self._interval = -(-_NS_PER_MINUTE // max(per_minute, 1))
        self._capacity = max(burst, 1) * self._interval
        self._longest = self._capacity + (0 if notify is None else _LONGEST_DEBT)
        self._max_keys = max_keys
        self._recent: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self._turned_at = 0
        self._notify = notify
        #: How many calls of `take` were told to wait.
        self.refused = 0
        self._unsent: dict[str, int] = {}
        self._large = max(1, burst // _LARGE_PART)
        self._small = max(1, burst // _SMALL_PART)

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)

    def take(self, key: str, count: int = 1) -> float | None:
        """Admits so many calls with None, or returns the seconds until they would be admitted."""
        if self._off:
            return None
        now = self._now()
        busy_until = self._busy_until(key, now)
        # More than a burst is never there at once: whoever is at rest is admitted all the same.
        spent = min(count * self._interval, self._capacity)
        wait = busy_until + spent - now - self._capacity
        if wait > 0:
            self.refused += 1
            return wait / _NS_PER_SECOND
        self._recent[key] = busy_until + spent
        if self._notify is not None:
            self._note(key, count, self._notify)
        return None

    def wait(self, key: str) -> float | None:
        """Returns the seconds until a call would be admitted, or None; takes nothing."""
        if self._off:
            return None
        now = self._now()
        wait = self._busy_until(key, now) + self._interval - now - self._capacity
        return wait / _NS_PER_SECOND if wait > 0 else None

    def standing(self, key: str) -> "Standing | None":
        """Returns what a key has left; None where everybody is admitted. It takes nothing."""
        if self._off:
            return None
        now = self._now()
        owed = self._busy_until(key, now) - now
        left = max(0, self._capacity - owed) // self._interval
        return Standing(
            self._capacity // self._interval,
            -(-self._capacity // _NS_PER_SECOND),
            left,
            -(-owed // _NS_PER_SECOND),
        )

    def receive(self, key: str, count: int) -> None:
        """Counts what another process gave out."""
        if self._off or not 0 < count <= _MAX_RECEIVED:
            return
        now = self._now()
        spent_until = self._busy_until(key, now) + count * self._interval
        self._recent[key] = min(spent_until, now + self._longest)

    def take_unsent(self, max_keys: int) -> Spent:
        """Takes out the counts that other processes were not sent yet, leaving the small ones."""
        found = [(count, key) for key, count in self._unsent.items() if count >= self._small]
        found.sort(reverse=True)
        spent = {key: count for count, key in found[:max_keys]}
        for key in spent:
            del self._unsent[key]
        return spent

    def _note(self, key: str, taken: int, notify: Callable[[Spent], None]) -> None:
        count = self._unsent.get(key, 0) + taken
        if count < self._large:
            self._unsent[key] = count
        else:
            self._unsent.pop(key, None)
            notify({key: count})

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
        """Forgets the oldest keys, past `max_keys` early: better a fresh burst than unbounded memory."""
        idle = now - self._turned_at >= 2 * self._longest
        self._older = {} if idle else self._recent
        self._recent = {}
        self._unsent = {}
        self._turned_at = now


class CallerBudgets:
    """The budgets of the callers of one protocol; a spent one raises what `refuse` makes of the wait.

    `limiters` are its budgets by name: `per_minute` calls for each credential, a fifth of it for an address
    without one; a sixth of each may come at once. A rate of 0 is no limit.
    """

    def __init__(self, per_minute: int, clock: Clock, refuse: Refuse, notify: Notify | None = None) -> None:
        public = max(1, per_minute // _PUBLIC_PART) if per_minute else 0
        shares = {"credential": per_minute, "address": public, "unproven": public}
        self.limiters = {
            name: RateLimiter(
                share, share // _BURST_PART, clock, notify=None if notify is None else partial(notify, name)
            )
            for name, share in shares.items()
        }
        self._by_credential = self.limiters["credential"]
        self._by_address = self.limiters["address"]
        self._unproven = self.limiters["unproven"]
        self._proven: dict[bytes, str] = {}
        self._refuse = refuse
        self.refusals = {"address": 0, "credential": 0}

    def count_public(self, address: str) -> None:
        """Counts a request that anybody may make."""
        self._check("address", self._by_address.take(address))

    def check(self, address: str, credential: str) -> tuple[bytes, bool]:
        """Refuses where a budget is spent, before a credential is looked up.

        A credential that held before spends its own budget; any other is refused while that of the address is
        spent: a neighbour's failures stop nobody who is at work. Returns the credential's digest, as the
        credential itself is never remembered, and whether the request is counted with that.
        """
        digest = _digest(credential)
        proven = self._proven.get(digest)
        if proven is None:
            self._check("address", self._unproven.wait(address))
            return digest, False
        self._check("credential", self._by_credential.take(proven))
        return digest, True

    def check_address(self, address: str, credential: str) -> bytes:
        """Checks by address alone, for a credential that several people may send alike."""
        digest = _digest(credential)
        if digest not in self._proven:
            self._check("address", self._unproven.wait(address))
        return digest

    def count_unproven(self, address: str, digest: bytes = b"") -> None:
        """Counts a request without a credential, or with one that did not hold."""
        self._proven.pop(digest, None)
        self._check("address", self._unproven.take(address))

    def count(self, credential_id: str, digest: bytes = b"") -> None:
        """Counts a request whose credential held, by the credential's id."""
        if digest and digest not in self._proven:
            if len(self._proven) >= _MAX_PROVEN:
                del self._proven[next(iter(self._proven))]
            self._proven[digest] = credential_id
        self._check("credential", self._by_credential.take(credential_id))

    def count_more(self, credential_id: str, count: int) -> None:
        """Counts calls beyond the first of a request that carries several; all of them, or none."""
        self._check("credential", self._by_credential.take(credential_id, count))

    def id_of(self, credential: str) -> str | None:
        """Returns the id of a credential that held before; None of any other."""
        return self._proven.get(_digest(credential))

    def _check(self, budget: str, wait: float | None) -> None:
        if wait is not None:
            self.refusals[budget] += 1
            raise self._refuse(wait)


def _digest(credential: str) -> bytes:
    if not credential:
        return b""
    return hashlib.blake2b(credential.encode("utf-8", "surrogatepass"), digest_size=16).digest()
