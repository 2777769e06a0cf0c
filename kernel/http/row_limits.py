"""How often one address may call a public row that says so; all server processes count together."""

import math
from collections.abc import Sequence

from guildhall_sdk import Host, Measured, Metric, Reader, TooManyRequests
from guildhall_sdk.addresses import address_key
from kernel.http.context import Context
from kernel.http.rate_sharing import SharedRates
from kernel.registry import BoundRoute


class RowLimits:
    """One budget for each row with a `limit`, beside what an address may spend on all public rows."""

    def __init__(self, routes: Sequence[BoundRoute], rates: SharedRates, *, off: bool) -> None:
        self._limiters = {
            bound.name: rates.limiter(f"row.{bound.row.method}:{bound.row.path}", bound.row.limit)
            for bound in routes
            if bound.row.limit and not off
        }
        self._refusals = 0

    def count(self, ctx: Context) -> None:
        """Raises `TooManyRequests` with `Retry-After`."""
        limiter = self._limiters.get(ctx.bound.name)
        wait = None if limiter is None else limiter.take(address_key(ctx.address))
        if wait is None:
            return
        self._refusals += 1
        seconds = math.ceil(wait)
        raise TooManyRequests(
            f"Too many requests to this path; try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )

    def metric(self) -> Metric:
        async def measure(host: Host, reader: Reader) -> Measured:
            return {(): self._refusals}

        return Metric(
            "guildhall_row_limit_refusals_total",
            "Requests refused because their address called one public row too often",
            "counter",
            measure=measure,
        )
