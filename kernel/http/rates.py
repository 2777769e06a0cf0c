"""Rate limits of all protocols: by credential, or by address for whoever shows none."""

import math
from collections.abc import Mapping, Sequence

from guildhall_sdk import Clock, TooManyRequests
from guildhall_sdk.metrics import Measure, Measured, measured_from
from kernel.db.database import Database
from kernel.registry import BoundRoute
from libs.rate_limits import RateLimiter, SharedRates

API = "api"


def too_many(wait: float, detail: str = "Too many requests") -> TooManyRequests:
    seconds = math.ceil(wait)
    return TooManyRequests(f"{detail}; try again in {seconds} s.", headers={"Retry-After": str(seconds)})


def shared_rates(data: Database, clock: Clock) -> SharedRates:
    """Returns the rates that all processes on this database count together."""
    return SharedRates(
        lambda on_message: data.pool.announcements("rates", on_message),
        clock,
        too_many,
        shared=data.shared_by_processes,
    )


def row_limiters(routes: Sequence[BoundRoute], rates: SharedRates) -> Mapping[str, RateLimiter]:
    """Returns the budget of each row with a `limit`, beside what an address may spend on all public rows."""
    return {
        bound.name: rates.limiter(f"row.{bound.row.method}:{bound.row.path}", bound.row.limit)
        for bound in routes
        if bound.row.limit
    }


def refusal_measures(rates: SharedRates, limiters: Mapping[str, RateLimiter]) -> Mapping[str, Measure]:
    """Returns how many requests were refused for their rate, by budget and for rows with a `limit`."""

    def refusals() -> Measured:
        return {
            (budget if protocol == API else f"{protocol}_{budget}",): refused
            for protocol, budget, refused in rates.refusals()
        }

    return {
        "guildhall_rate_limit_refusals_total": measured_from(refusals),
        "guildhall_row_limit_refusals_total": measured_from(
            lambda: {(): sum(limiter.refused for limiter in limiters.values())}
        ),
    }
