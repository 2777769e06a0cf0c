"""The plans and the shared dimensions, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from guildhall_sdk.services.quotas import Dimension, QuotaWindow

# Of all that keep something or run jobs: no single plugin of them owns the name.
JOBS = Dimension("jobs.concurrency", "Jobs that run at the same time", "concurrency")
STORAGE = Dimension("storage.bytes", "Bytes kept in notes, documents and files", "stock")
_GIB = 1024**3


@dataclass(frozen=True, slots=True)
class Plan:
    """A company's share of a busy server, and its limits by dimension and window; the rest has none."""

    weight: float
    limits: Mapping[tuple[str, QuotaWindow], int] = field(default_factory=dict)


PLANS: Mapping[str, Plan] = MappingProxyType(
    {
        "free": Plan(
            weight=1.0,
            limits={
                ("ai.requests", "day"): 200,
                ("ai.tokens.total", "day"): 200_000,
                ("ai.concurrency", "none"): 2,
                ("jobs.concurrency", "none"): 2,
                ("storage.bytes", "none"): 1 * _GIB,
            },
        ),
        "team": Plan(
            weight=2.0,
            limits={
                ("ai.requests", "day"): 5_000,
                ("ai.tokens.total", "day"): 5_000_000,
                ("ai.concurrency", "none"): 8,
                ("jobs.concurrency", "none"): 8,
                ("storage.bytes", "none"): 100 * _GIB,
            },
        ),
        "enterprise": Plan(
            weight=4.0, limits={("ai.concurrency", "none"): 32, ("jobs.concurrency", "none"): 32}
        ),
    }
)

# All that any plan names: a change of plan sets or lifts these, and touches no other limit.
PLANNED = tuple(sorted({what for plan in PLANS.values() for what in plan.limits}))
