"""Rate limits of all protocols: by credential, or by address for whoever shows none.

On PostgreSQL what one process gives out counts in the others too. They are told as soon as a caller was given
an eighth of a burst, and of the rest every second. So who goes to several processes at once gets a little
more for a moment; then it is held against them everywhere.
"""

import asyncio
import hashlib
import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count

from guildhall_sdk import Clock, Host, Metric, Reader, TooManyRequests
from guildhall_sdk.metrics import Measured
from kernel.db import Database
from libs.addresses import address_key
from libs.rate_limits import RateLimiter, Spent

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

#: Called with a budget's name and what it gave out.
Tell = Callable[[str, Spent], None]


class CallerBudgets:
    """The budgets of one protocol's callers; a spent one raises `TooManyRequests` with `Retry-After`.

    `limiters` are its budgets by name: `per_minute` calls for each credential, a fifth of it for an address
    without one; a sixth of each may come at once. A rate of 0 is no limit.
    """

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
        """Refuses where a budget is spent, before a credential is looked up; counts nothing.

        A credential that held before is refused while its own budget is spent; any other, while that of the
        address is: a neighbour's failures stop nobody who is at work.
        """
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
        """Counts a request without a credential, or with one that did not hold."""
        self._proven.pop(_digest(credential), None)
        self._refuse("address", self._unproven.take(address_key(address)))

    def count(self, credential_id: str, credential: str) -> None:
        """Counts a request whose credential held, by the credential's id."""
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
    """The budgets of all protocols, which all processes count together.

    A message: a number, a limiter's name, what each key was given.
    """

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
