"""Which limit a refusal names, and how it says so."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from builtin_plugins.quotas.counters import Shortfall
from guildhall_sdk import TooManyRequests
from guildhall_sdk.services.quotas import DimensionKind

_NEXT_TRY_SECONDS = 1


def longest(shortfalls: Iterable[Shortfall], kinds: Mapping[str, DimensionKind]) -> Shortfall | None:
    """The limit that stands in the way for the longest: until it gives way, no other matters."""

    def wait(shortfall: Shortfall) -> float:
        if kinds[shortfall.dimension] == "concurrency":
            return 0
        return math.inf if shortfall.resets_at is None else shortfall.resets_at

    return max(shortfalls, key=wait, default=None)


def refusal(shortfall: Shortfall, kind: DimensionKind, now_ms: int) -> TooManyRequests:
    whose = "company" if shortfall.level == "org" else "team"
    facts: dict[str, Any] = {
        "dimension": shortfall.dimension,
        "level": shortfall.level,
        "limit": shortfall.limit,
        "used": shortfall.used,
    }
    if kind == "concurrency":
        return TooManyRequests(
            f"The {whose} may have {shortfall.limit} of {shortfall.dimension} at once and has "
            f"{shortfall.used}; try again when one is done.",
            code="concurrency_exceeded",
            headers={"Retry-After": str(_NEXT_TRY_SECONDS)},
            **facts,
        )
    return TooManyRequests(
        f"This would take the {whose} past its limit of {shortfall.limit} {shortfall.dimension}"
        f"{_per(shortfall)}; {shortfall.used} are used.",
        code="quota_exceeded",
        headers=_retry_after(shortfall.resets_at, now_ms),
        window=shortfall.window,
        **facts,
    )


def _per(shortfall: Shortfall) -> str:
    return "" if shortfall.window == "none" else f" a {shortfall.window}"


def _retry_after(resets_at: int | None, now_ms: int) -> dict[str, str]:
    """Whole seconds to the reset; without one there is no use in waiting."""
    if resets_at is None:
        return {}
    return {"Retry-After": str(max(_NEXT_TRY_SECONDS, math.ceil((resets_at - now_ms) / 1000)))}
