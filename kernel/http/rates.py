"""Rate limits of all protocols: by credential, or by address for whoever shows none.

On PostgreSQL what one process gives out counts in the others too. They are told as soon as a caller was given
an eighth of a burst, and of the rest every second. So who goes to several processes at once gets a little
more for a moment; then it is held against them everywhere.
"""

import asyncio
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import count

from guildhall_sdk import Clock, Host, Metric, Reader, TooManyRequests
from guildhall_sdk.metrics import Measured
from kernel.db import Database
from libs.addresses import address_key

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

API = "api"
_EVERY_SECONDS = 1.0
_LONGEST_KEY = 64
# So many fit into one message, and so many keys go out in a second: the rest waits for the next.
_KEYS_IN_A_MESSAGE = 80
_MAX_KEYS = 2_000
_COUNT = re.compile(r"[1-9][0-9]{0,8}")

Spent = Mapping[str, int]
#: Called with a budget's name and what it gave out.
Tell = Callable[[str, Spent], None]


class RateLimiter:
    """`per_minute` on average and `burst` at once, for each key by GCRA; a rate of 0 admits everybody.

    Held are two generations of keys. A generation lasts as long as the most that a key can owe takes to
    drain, so whoever was last seen two generations ago is back at rest and dropping them loses nothing.

    With `tell`, other processes count the same keys: it is called with a key that was given much, and
    `take_unsent` has the rest. What they gave out comes in by `hear`, and may exceed the burst.
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
            return wait / _NS_PER_SECOND
        self._recent[key] = busy_until + spent
        if self._tell is not None:
            self._note(key, count, self._tell)
        return None

    def wait(self, key: str) -> float | None:
        """Returns the seconds until a call would be admitted, or None; takes nothing."""
        if self._off:
            return None
        now = self._now()
        wait = self._busy_until(key, now) + self._interval - now - self._capacity
        return wait / _NS_PER_SECOND if wait > 0 else None

    def hear(self, key: str, count: int) -> None:
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

    def _note(self, key: str, taken: int, tell: Callable[[Spent], None]) -> None:
        count = self._unsent.get(key, 0) + taken
        if count < self._large:
            self._unsent[key] = count
        else:
            self._unsent.pop(key, None)
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
        """Forgets the oldest keys, past `max_keys` early: better a fresh burst than unbounded memory."""
        idle = now - self._turned_at >= 2 * self._longest
        self._older = {} if idle else self._recent
        self._recent = {}
        self._unsent = {}
        self._turned_at = now


class CallerBudgets:
    """Implements the SDK's `CallerRates`; `limiters` are its budgets by name."""

    def __init__(self, per_minute: int, clock: Clock, tell: Tell | None = None) -> None:
        public = max(1, per_minute // _PUBLIC_PART) if per_minute else 0
        shares = {"credential": per_minute, "address": public, "unproven": public}
        self.limiters = {
            name: RateLimiter(
                share, share // _BURST_PART, clock, tell=None if tell is None else partial(tell, name)
            )
            for name, share in shares.items()
        }
        self._by_credential = self.limiters["credential"]
        self._by_address = self.limiters["address"]
        self._unproven = self.limiters["unproven"]
        self._proven: dict[bytes, str] = {}
        self.refusals = {"address": 0, "credential": 0}

    def count_public(self, address: str) -> None:
        """Counts a request that anybody may make."""
        self._refuse("address", self._by_address.take(address_key(address)))

    def check(self, address: str, credential: str) -> None:
        known = self._proven.get(_digest(credential)) if credential else None
        if known is not None:
            self._refuse("credential", self._by_credential.wait(known))
        else:
            self._refuse("address", self._unproven.wait(address_key(address)))

    def check_address(self, address: str, credential: str) -> None:
        """Checks by address alone, for a credential that several people may send alike."""
        if not credential or _digest(credential) not in self._proven:
            self._refuse("address", self._unproven.wait(address_key(address)))

    def count_unproven(self, address: str, credential: str = "") -> None:
        self._proven.pop(_digest(credential), None)
        self._refuse("address", self._unproven.take(address_key(address)))

    def count(self, credential_id: str, credential: str) -> None:
        digest = _digest(credential)
        if credential and digest not in self._proven:
            if len(self._proven) >= _MAX_PROVEN:
                del self._proven[next(iter(self._proven))]
            self._proven[digest] = credential_id
        self._refuse("credential", self._by_credential.take(credential_id))

    def count_more(self, credential_id: str, count: int) -> None:
        """Counts calls beyond the first of a request that carries several; all of them, or none."""
        self._refuse("credential", self._by_credential.take(credential_id, count))

    def _refuse(self, budget: str, wait: float | None) -> None:
        if wait is None:
            return
        self.refusals[budget] += 1
        raise too_many(wait, "Too many requests")


def too_many(wait: float, detail: str) -> TooManyRequests:
    seconds = math.ceil(wait)
    return TooManyRequests(f"{detail}; try again in {seconds} s.", headers={"Retry-After": str(seconds)})


def _digest(credential: str) -> bytes:
    """Returns a digest of a credential, which itself is never remembered."""
    return hashlib.blake2b(credential.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class SharedRates:
    """Implements the SDK's `RateLimits`. A message: a number, a limiter's name, what each key was given."""

    def __init__(self, data: Database, clock: Clock) -> None:
        self._clock = clock
        self._channel = data.announcements("rates", self._on_message)
        self._is_shared = data.shared_by_processes
        self._protocols: dict[str, CallerBudgets] = {}
        self.limiters: dict[str, RateLimiter] = {}
        self._numbers = count()
        self._announcing: asyncio.Task[None] | None = None

    def callers(self, protocol: str, per_minute: int) -> CallerBudgets:
        def tell(budget: str, spent: Spent) -> None:
            self._tell(f"{protocol}.{budget}", spent)

        budgets = CallerBudgets(per_minute, self._clock, tell if self._is_shared else None)
        self._protocols[protocol] = budgets
        self.limiters |= {f"{protocol}.{name}": limiter for name, limiter in budgets.limiters.items()}
        return budgets

    def limiter(self, name: str, per_minute: int) -> RateLimiter:
        """Returns a limiter of so many a minute for each key, all at once if need be. No name has a space."""

        def tell(spent: Spent) -> None:
            self._tell(name, spent)

        made = RateLimiter(per_minute, per_minute, self._clock, tell=tell if self._is_shared else None)
        self.limiters[name] = made
        return made

    @property
    def listening(self) -> bool:
        """Whether other processes are heard of, and hear."""
        return self._channel.listening

    async def start(self) -> None:
        await self._channel.start()
        if self._is_shared:
            self._announcing = asyncio.create_task(self._announce_on(), name="announcing rates")

    async def stop(self) -> None:
        if self._announcing is not None:
            self._announcing.cancel()
            with suppress(asyncio.CancelledError):
                await self._announcing
        await self._channel.stop()

    def announce(self) -> None:
        for name, limiter in self.limiters.items():
            self._tell(name, limiter.take_unsent(_MAX_KEYS))

    async def _announce_on(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            self.announce()

    def _tell(self, name: str, spent: Spent) -> None:
        # What cannot go out now is not told later: it would be counted when it is long over.
        if not self.listening:
            return
        for part in _parts(spent):
            self._channel.tell(f"{next(self._numbers)} {name} {part}")

    def _on_message(self, message: str | None) -> None:
        """Counts what another process reports; a missed message does no harm, as budgets fill up again."""
        _, _, rest = (message or "").partition(" ")
        name, *parts = rest.split(" ")
        limiter = self.limiters.get(name)
        if limiter is None:
            return
        for part in parts:
            key, _, given = part.rpartition("=")
            if 0 < len(key) <= _LONGEST_KEY and _COUNT.fullmatch(given):
                limiter.hear(key, int(given))

    def metric(self) -> Metric:
        async def measure(host: Host, reader: Reader) -> Measured:
            return {
                (budget if protocol == API else f"{protocol}_{budget}",): refused
                for protocol, budgets in self._protocols.items()
                for budget, refused in budgets.refusals.items()
            }

        return Metric(
            "guildhall_rate_limit_refusals_total",
            "Requests refused for their rate, by whose budget was spent",
            "counter",
            ("budget",),
            measure=measure,
        )


def _parts(spent: Spent) -> Iterator[str]:
    """Yields the messages; keys are ids and addresses, never a secret, and unreadable ones are left out."""
    parts = [f"{key}={given}" for key, given in spent.items() if len(key) <= _LONGEST_KEY and " " not in key]
    for start in range(0, len(parts), _KEYS_IN_A_MESSAGE):
        yield " ".join(parts[start : start + _KEYS_IN_A_MESSAGE])
