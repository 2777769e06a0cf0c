"""The plans, as data: a company's limits by dimension and window. What a plan leaves out is unlimited."""

from collections.abc import Mapping
from types import MappingProxyType

from guildhall_sdk.quotas import QuotaWindow

Caps = Mapping[tuple[str, QuotaWindow], int]

_GIB = 1024**3


def _caps(
    *,
    ai_concurrency: int,
    jobs_concurrency: int,
    ai_requests_a_day: int | None = None,
    ai_tokens_a_day: int | None = None,
    storage_bytes: int | None = None,
) -> Caps:
    caps: dict[tuple[str, QuotaWindow], int | None] = {
        ("ai.requests", "day"): ai_requests_a_day,
        ("ai.tokens.total", "day"): ai_tokens_a_day,
        ("ai.concurrency", "none"): ai_concurrency,
        ("jobs.concurrency", "none"): jobs_concurrency,
        ("storage.bytes", "none"): storage_bytes,
    }
    return MappingProxyType({what: limit for what, limit in caps.items() if limit is not None})


PLANS: Mapping[str, Caps] = MappingProxyType(
    {
        "free": _caps(
            ai_requests_a_day=200,
            ai_tokens_a_day=200_000,
            ai_concurrency=2,
            jobs_concurrency=2,
            storage_bytes=1 * _GIB,
        ),
        "team": _caps(
            ai_requests_a_day=5_000,
            ai_tokens_a_day=5_000_000,
            ai_concurrency=8,
            jobs_concurrency=8,
            storage_bytes=100 * _GIB,
        ),
        "enterprise": _caps(ai_concurrency=32, jobs_concurrency=32),
    }
)

# All that any plan speaks of: a change of plan sets or lifts these, and touches no other limit.
SPOKEN_OF = tuple(sorted({what for caps in PLANS.values() for what in caps}))
