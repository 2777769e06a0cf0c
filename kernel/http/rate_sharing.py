"""Rate limits of all protocols; on PostgreSQL what one process gives out counts in the others too.

The others are told as soon as a caller was given an eighth of a burst, and of the rest every second. So who
goes to several processes at once gets a little more for a moment; then it is held against them everywhere.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import count

from guildhall_sdk import Clock, Host, Measured, Metric, Reader
from kernel.db import Database
from kernel.http.budgets import CallerBudgets
from kernel.http.rates import RateLimiter, Spent

API = "api"
_EVERY_SECONDS = 1.0
_LONGEST_KEY = 64
# So many fit into one word, and so many words go out in a second: the rest waits for the next.
_KEYS_IN_A_WORD = 80
_MOST_KEYS = 2_000
_COUNT = re.compile(r"[1-9][0-9]{0,8}")


class SharedRates:
    """Implements the SDK's `RateLimits`. A word is a number, a limiter's name and what each key was given."""

    def __init__(self, data: Database, clock: Clock) -> None:
        self._clock = clock
        self._channel = data.announcements("rates", self._heard)
        self._is_shared = data.dialect == "postgresql"
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
        """So many a minute for each key, all of them at once if need be. No name has a space."""

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
            self._tell(name, limiter.untold(_MOST_KEYS))

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

    def _heard(self, word: str | None) -> None:
        """A word that was missed does no harm: budgets fill up by themselves."""
        _, _, rest = (word or "").partition(" ")
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
    """Keys are ids and addresses, never a secret; what could not be read back is left out."""
    told = [f"{key}={given}" for key, given in spent.items() if len(key) <= _LONGEST_KEY and " " not in key]
    for start in range(0, len(told), _KEYS_IN_A_WORD):
        yield " ".join(told[start : start + _KEYS_IN_A_WORD])
