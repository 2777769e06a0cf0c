"""What callers may spend: each credential its own, and whoever shows none by address."""

import hashlib
import math
from collections.abc import Callable
from functools import partial

from guildhall_sdk import Clock, TooManyRequests
from guildhall_sdk.addresses import address_key
from kernel.http.rates import RateLimiter, Spent

_BURST_PART = 6
_PUBLIC_PART = 5
_MOST_PROVEN = 20_000

#: Called with a budget's name and what it gave out.
Tell = Callable[[str, Spent], None]


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
        """A request that anybody may make."""
        self._refuse("address", self._by_address.take(address_key(address)))

    def check(self, address: str, credential: str) -> None:
        known = self._proven.get(_digest(credential)) if credential else None
        if known is not None:
            self._refuse("credential", self._by_credential.wait(known))
        else:
            self._refuse("address", self._unproven.wait(address_key(address)))

    def check_address(self, address: str, shown: str) -> None:
        """For what several people may show alike: whose budget it spends is not known before it is judged."""
        if not shown or _digest(shown) not in self._proven:
            self._refuse("address", self._unproven.wait(address_key(address)))

    def count_unproven(self, address: str, credential: str = "") -> None:
        self._proven.pop(_digest(credential), None)
        self._refuse("address", self._unproven.take(address_key(address)))

    def count(self, credential_id: str, credential: str) -> None:
        digest = _digest(credential)
        if credential and digest not in self._proven:
            if len(self._proven) >= _MOST_PROVEN:
                del self._proven[next(iter(self._proven))]
            self._proven[digest] = credential_id
        self._refuse("credential", self._by_credential.take(credential_id))

    def _refuse(self, budget: str, wait: float | None) -> None:
        if wait is None:
            return
        self.refusals[budget] += 1
        seconds = math.ceil(wait)
        raise TooManyRequests(
            f"Too many requests; try again in {seconds} s.", headers={"Retry-After": str(seconds)}
        )


def _digest(credential: str) -> bytes:
    """Of what was shown only this is remembered."""
    return hashlib.blake2b(credential.encode("utf-8", "surrogatepass"), digest_size=16).digest()
