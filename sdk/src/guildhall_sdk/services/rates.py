"""Rates at which callers may call; all server processes count together."""

from typing import Protocol


class CallerRates(Protocol):
    """The budgets of one protocol's callers; a spent one raises `TooManyRequests` with `Retry-After`."""

    def check(self, address: str, credential: str) -> None:
        """Raises `TooManyRequests` where a budget is spent, before a credential is looked up; counts nothing.

        A credential that held before is refused while its own budget is spent; any other, while that of the
        address is: a neighbour's failures stop nobody who is at work.
        """
        ...

    def count_unproven(self, address: str, credential: str = "") -> None:
        """Counts a request without a credential, or with one that did not hold."""
        ...

    def count(self, credential_id: str, credential: str) -> None:
        """Counts a request whose credential held, by the credential's id."""
        ...


class RateLimits(Protocol):
    """The budgets of callers, for a protocol of its own."""

    def callers(self, protocol: str, per_minute: int) -> CallerRates:
        """Returns the budgets of a protocol: `per_minute` calls for each credential; 0 is no limit.

        An address without a credential has a fifth of it. A sixth of it may come at once.
        """
        ...
