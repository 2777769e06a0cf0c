"""How often? A budget per credential, and a smaller one per address on public routes."""

import math

from guildhall_sdk import Auth, Clock, Host, Measured, Metric, Reader, TooManyRequests
from guildhall_sdk.addresses import address_key
from kernel.http.context import Context
from kernel.http.rates import RateLimiter

_BURST_PART = 6
_PUBLIC_PART = 5
_ADDRESS, _CREDENTIAL = ("address",), ("credential",)


class RateGate:
    def __init__(self, per_minute: int, clock: Clock) -> None:
        public = per_minute // _PUBLIC_PART
        self._by_credential = RateLimiter(per_minute, max(1, per_minute // _BURST_PART), clock)
        self._by_address = RateLimiter(public, max(1, public // _BURST_PART), clock)
        self._refusals: dict[tuple[str, ...], float] = {_ADDRESS: 0, _CREDENTIAL: 0}

    def check(self, ctx: Context) -> None:
        if ctx.bound.row.auth is Auth.PUBLIC or not ctx.signed_in:
            budget, wait = _ADDRESS, self._by_address.take(address_key(ctx.address))
        else:
            budget, wait = _CREDENTIAL, self._by_credential.take(ctx.principal.credential.id)
        if wait is not None:
            self._refusals[budget] += 1
            seconds = math.ceil(wait)
            raise TooManyRequests(
                f"Too many requests; try again in {seconds} s.", headers={"Retry-After": str(seconds)}
            )

    def metric(self) -> Metric:
        async def measure(host: Host, reader: Reader) -> Measured:
            return self._refusals

        return Metric(
            "guildhall_rate_limit_refusals_total",
            "Requests refused for their rate, by whose budget was spent",
            "counter",
            ("budget",),
            measure,
        )
