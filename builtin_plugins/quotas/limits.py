"""Plans, dimensions and limits: what teams and companies may use, and how much of it they have."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import get_args

from builtin_plugins.quotas import store
from builtin_plugins.quotas.counters import COMPANY, Counter, Moment
from guildhall_sdk import InvalidRequest, NotFound, Reader, Writer
from guildhall_sdk.dimensions import (
    QUOTA_WINDOWS,
    Dimension,
    DimensionKind,
    QuotaLevel,
    QuotaWindow,
    Usage,
)
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.jobs import JobLimits
from guildhall_sdk.services.tenancy import Directory

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


_NAME = re.compile(r"(?=.{1,64}$)[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+")


def dimension_fault(dimension: Dimension, declarer: Declarer) -> str | None:
    """Returns what is wrong with a dimension, or None."""
    if not _NAME.fullmatch(dimension.name):
        return f"the dimension {dimension.name!r} must be words with dots: coffee.cups"
    if dimension.kind not in get_args(DimensionKind):
        return f"dimension {dimension.name}: there is no kind {dimension.kind}"
    return None


class Limits:
    """The scheduler keeps its own copy of what limits jobs, and counts those that run."""

    def __init__(self, directory: Directory, job_limits: JobLimits) -> None:
        self._directory = directory
        self._job_limits = job_limits

    async def set_limit(
        self,
        writer: Writer,
        dimension: Dimension | None,
        level: QuotaLevel,
        subject_id: str,
        *,
        window: QuotaWindow,
        limit: int | None,
        moment: Moment,
    ) -> Usage:
        if dimension is None:
            raise InvalidRequest.at("/dimension", "is not a quota dimension; GET /api/usage lists them")
        windows = QUOTA_WINDOWS if dimension.kind == "rate" else ("none",)
        if window not in windows:
            names = ", ".join(windows)
            raise InvalidRequest.at("/window", f"must be {names} for {dimension.name}")
        if limit is not None and limit < 0:
            raise InvalidRequest.at("/limit", "must not be negative")
        org_id = await self._org_of(writer, level, subject_id)
        team_id = COMPANY if level == "org" else subject_id
        # Before the lock: whoever claims a job holds the company's row there, and may wait for this lock.
        if dimension.name == JOBS.name:
            await self._cap_jobs(writer, org_id, team_id, limit)
        await writer.serialize(store.LOCK + org_id)
        counters = await store.read(writer, org_id, team_id, moment, dimension.name)
        before = counters.counter(team_id, dimension.name).limit_in(window)
        await store.set_limit(writer, org_id, team_id, dimension.name, window, limit)
        detail = {"dimension": dimension.name, "window": window, "limit": limit, "from": before}
        writer.audit("quota.changed", (level, subject_id), detail=detail)
        page = await store.read(writer, org_id, team_id, moment)
        usage = _usage(page.counter(team_id, dimension.name), window)
        return (await self._with_running(writer, [usage], org_id, team_id))[0]

    async def apply_plan(self, writer: Writer, org_id: str, name: str) -> None:
        """Sets a plan's limits, those too of dimensions that no plugin declares yet."""
        plan = PLANS.get(name)
        if plan is None:
            raise InvalidRequest.at("/plan", f"must be one of {', '.join(PLANS)}")
        await self._job_limits.set_weight(writer, org_id, plan.weight)
        await self._cap_jobs(writer, org_id, COMPANY, plan.limits.get((JOBS.name, "none")))
        await writer.serialize(store.LOCK + org_id)
        for dimension, window in PLANNED:
            limit = plan.limits.get((dimension, window))
            await store.set_limit(writer, org_id, COMPANY, dimension, window, limit)

    async def usage(
        self,
        reader: Reader,
        declared: Sequence[Dimension],
        org_id: str,
        team_id: str | None,
        moment: Moment,
    ) -> list[Usage]:
        """Returns the use of each dimension, the company's before the team's."""
        page = await store.read(reader, org_id, team_id or COMPANY, moment)
        subjects = [COMPANY] if team_id is None else [COMPANY, team_id]
        rows = [
            _usage(counter, window)
            for dimension in sorted(declared, key=lambda one: one.name)
            for counter in (page.counter(subject, dimension.name) for subject in subjects)
            for window in _windows(counter, dimension)
        ]
        return await self._with_running(reader, rows, org_id, team_id or COMPANY)

    async def _org_of(self, reader: Reader, level: QuotaLevel, subject_id: str) -> str:
        if level == "org" and await self._directory.org(reader, subject_id) is not None:
            return subject_id
        if level == "team" and (team := await self._directory.team(reader, subject_id)) is not None:
            return team.org_id
        raise NotFound

    async def _cap_jobs(self, writer: Writer, org_id: str, team_id: str, cap: int | None) -> None:
        if team_id == COMPANY:
            await self._job_limits.set_company_cap(writer, org_id, cap)
        else:
            await self._job_limits.set_team_cap(writer, team_id, cap)

    async def _with_running(
        self, reader: Reader, rows: list[Usage], org_id: str, team_id: str
    ) -> list[Usage]:
        """Puts the jobs that run now in place of what was reserved of them."""
        if not any(row.dimension == JOBS.name for row in rows):
            return rows
        of_org, of_team = await self._job_limits.running(reader, org_id, team_id)
        used = {"org": of_org, "team": of_team}
        return [replace(row, used=used[row.level]) if row.dimension == JOBS.name else row for row in rows]


def _windows(counter: Counter, dimension: Dimension) -> Iterator[QuotaWindow]:
    """Returns the windows that have a limit, or else the natural one."""
    limited = [window for window in QUOTA_WINDOWS if counter.limit_in(window) is not None]
    yield from limited or ["day" if dimension.kind == "rate" else "none"]


def _usage(counter: Counter, window: QuotaWindow) -> Usage:
    return Usage(
        dimension=counter.dimension,
        level=counter.level,
        window=window,
        used=counter.used_in(window),
        limit=counter.limit_in(window),
        resets_at=counter.resets_at(window),
    )
