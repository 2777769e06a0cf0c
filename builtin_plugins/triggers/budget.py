"""What is left of a team's AI budget: the tightest of its own limits and its company's."""

from collections.abc import Iterable, Sequence
from typing import Any

from guildhall_sdk.services.quotas import Usage

DIMENSIONS = ("ai.requests", "ai.tokens.total")
_SHOWN = ("limit", "used", "remaining", "window", "resets_at")


def budget_of(usage: Sequence[Usage]) -> dict[str, dict[str, Any]]:
    """Returns the budget as the API shows it, by dimension."""
    return {
        name: _public(_tightest(one for one in usage if one.dimension == name))
        for name in DIMENSIONS
        if any(one.dimension == name for one in usage)
    }


def is_spent(usage: Sequence[Usage]) -> bool:
    """Tells whether nothing is left of one of them."""
    return any(
        one.dimension in DIMENSIONS and one.limit is not None and one.used >= one.limit for one in usage
    )


def _tightest(usage: Iterable[Usage]) -> Usage:
    return min(usage, key=_left)


def _left(one: Usage) -> tuple[bool, int, bool]:
    """What is unlimited comes last; of the same the team's own comes first."""
    return one.limit is None, 0 if one.limit is None else max(0, one.limit - one.used), one.level != "team"


def _public(one: Usage) -> dict[str, Any]:
    public = one.public()
    return {name: public[name] for name in _SHOWN}
