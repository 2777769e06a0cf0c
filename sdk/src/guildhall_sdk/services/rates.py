"""How often callers may call; all server processes count together."""

from typing import Protocol


class CallerRates(Protocol):
    """The budgets of one protocol's callers. What is spent raises `TooManyRequests` with `Retry-After`."""

    def check(self, address: str, credential: str) -> None:
        """Before a credential is looked up. Nothing is counted.

        One that held before is refused while its own budget is spent; any other, while the address's is:
        a neighbour's failures stop nobody who is at work.
        """
        ...

    def count_unproven(self, address: str, credential: str = "") -> None:
        """A request without a credential, or with one that did not hold."""
        ...

    def count(self, credential_id: str, credential: str) -> None:
        """A request whose credential held, by the credential's id."""
        ...


class RateLimits(Protocol):
    """Where a protocol of its own finds the budgets of its callers."""

    def callers(self, protocol: str, per_minute: int) -> CallerRates:
        """`per_minute` for each credential, a fifth for an address without one, a sixth at once; 0 is off."""
        ...
