"""Rates that several processes count together.

What one process gives out counts in the others too. They are told as soon as a caller was given an eighth of
a burst, and of the rest every second. So who goes to several processes at once gets a little more for a
moment; then it is held against them everywhere.
"""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Protocol

from libs.rate_limits.limiter import CallerBudgets, Clock, RateLimiter, Refuse, Spent

_EVERY_SECONDS = 1.0
_LONGEST_KEY = 64
# So many fit into one message, and so many keys go out in a second: the rest waits for the next.
_KEYS_IN_A_MESSAGE = 80
_MAX_KEYS = 2_000
_COUNT = re.compile(r"[1-9][0-9]{0,8}")


class Channel(Protocol):
    """A way to the other processes, on which messages may be lost."""

    @property
    def listening(self) -> bool: ...
    def notify(self, message: str = "") -> None: ...
    async def start(self) -> None: ...
    async def stop(self) -> None: ...


class SharedRates:
    """The budgets of all protocols, which all processes count together where they are `shared`.

    `open_channel` is called with what takes the messages of the others. A message: a number, a limiter's
    name, what each key was given.
    """

    def __init__(
        self,
        open_channel: Callable[[Callable[[str | None], None]], Channel],
        clock: Clock,
        refuse: Refuse,
        *,
        shared: bool,
    ) -> None:
        self._clock = clock
        self._refuse = refuse
        self._channel = open_channel(self._on_message)
        self._is_shared = shared
        self._protocols: dict[str, CallerBudgets] = {}
        self.limiters: dict[str, RateLimiter] = {}
        self._numbers = count()
        self._announcing: asyncio.Task[None] | None = None

    def callers(self, protocol: str, per_minute: int) -> CallerBudgets:
        """Returns the budgets of one protocol's callers."""

        def notify(budget: str, spent: Spent) -> None:
            self._notify(f"{protocol}.{budget}", spent)

        budgets = CallerBudgets(per_minute, self._clock, self._refuse, notify if self._is_shared else None)
        self._protocols[protocol] = budgets
        self.limiters |= {f"{protocol}.{name}": limiter for name, limiter in budgets.limiters.items()}
        return budgets

    def limiter(self, name: str, per_minute: int) -> RateLimiter:
        """Returns a limiter of so many a minute for each key, all at once if need be. No name has a space."""
        notify = partial(self._notify, name) if self._is_shared else None
        made = self.limiters[name] = RateLimiter(per_minute, per_minute, self._clock, notify=notify)
        return made

    def refusals(self) -> Iterator[tuple[str, str, int]]:
        """Yields each protocol, each budget of it, and how many requests it refused."""
        for protocol, budgets in self._protocols.items():
            for budget, refused in budgets.refusals.items():
                yield protocol, budget, refused

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
            self._notify(name, limiter.take_unsent(_MAX_KEYS))

    async def _announce_on(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            self.announce()

    def _notify(self, name: str, spent: Spent) -> None:
        # What cannot go out now is not told later: it would be counted when it is long over.
        if not self.listening:
            return
        for part in _parts(spent):
            self._channel.notify(f"{next(self._numbers)} {name} {part}")

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
                limiter.receive(key, int(given))


def _parts(spent: Spent) -> Iterator[str]:
    """Yields the messages; keys are ids and addresses, never a secret, and unreadable ones are left out."""
    parts = [f"{key}={given}" for key, given in spent.items() if len(key) <= _LONGEST_KEY and " " not in key]
    for start in range(0, len(parts), _KEYS_IN_A_MESSAGE):
        yield " ".join(parts[start : start + _KEYS_IN_A_MESSAGE])
