"""What teams and companies may use, and how much of it they have."""

from collections.abc import Iterator, Sequence

from guildhall_sdk import InvalidRequest, NotFound, Reader, Writer
from guildhall_sdk.quotas import QUOTA_WINDOWS, QuotaDimension, QuotaLevel, QuotaWindow
from guildhall_sdk.services import Usage
from kernel.quota import store
from kernel.quota.counters import COMPANY, Counter
from kernel.quota.plans import PLANS, SPOKEN_OF
from kernel.quota.store import sql
from kernel.quota.windows import Moment


async def set_limit(
    writer: Writer,
    dimension: QuotaDimension | None,
    level: QuotaLevel,
    subject_id: str,
    window: QuotaWindow,
    limit: int | None,
    moment: Moment,
) -> Usage:
    if dimension is None:
        raise InvalidRequest.at("/dimension", "is not a quota dimension; GET /api/usage lists them")
    if window not in dimension.windows:
        names = ", ".join(dimension.windows)
        raise InvalidRequest.at("/window", f"must be {names} for {dimension.name}")
    if limit is not None and limit < 0:
        raise InvalidRequest.at("/limit", "must not be negative")
    row = await writer.one(sql.org if level == "org" else sql.org_of_team, id=subject_id)
    if row is None:
        raise NotFound
    org_id, team_id = row["org_id"], COMPANY if level == "org" else subject_id
    await store.lock(writer, org_id)
    await writer.run(
        sql.set_limit, org_id=org_id, team_id=team_id, dimension=dimension.name, window=window, limit=limit
    )
    detail = {"dimension": dimension.name, "window": window, "limit": limit}
    writer.audit("quota.changed", (level, subject_id), detail=detail)
    page = await store.read(writer, org_id, team_id, moment)
    return _usage(page.counter(team_id, dimension.name), window)


async def org_of(reader: Reader, team_id: str) -> str:
    row = await reader.one(sql.org_of_team, id=team_id)
    if row is None:
        raise NotFound
    org_id: str = row["org_id"]
    return org_id


async def apply_plan(writer: Writer, org_id: str, plan: str) -> None:
    """Also for dimensions that no plugin declares yet: the caps are there when it comes."""
    caps = PLANS.get(plan)
    if caps is None:
        raise InvalidRequest.at("/plan", f"must be one of {', '.join(PLANS)}")
    await store.lock(writer, org_id)
    for dimension, window in SPOKEN_OF:
        await writer.run(
            sql.set_limit,
            org_id=org_id,
            team_id=COMPANY,
            dimension=dimension,
            window=window,
            limit=caps.get((dimension, window)),
        )


async def usage(
    reader: Reader, declared: Sequence[QuotaDimension], org_id: str, team_id: str | None, moment: Moment
) -> list[Usage]:
    """By dimension; the company before the team."""
    page = await store.read(reader, org_id, team_id or COMPANY, moment)
    subjects = [COMPANY] if team_id is None else [COMPANY, team_id]
    return [
        _usage(counter, window)
        for dimension in sorted(declared, key=lambda one: one.name)
        for counter in (page.counter(subject, dimension.name) for subject in subjects)
        for window in _windows(counter, dimension)
    ]


def _windows(counter: Counter, dimension: QuotaDimension) -> Iterator[QuotaWindow]:
    """Those with a limit, or else the natural one."""
    limited = [window for window in QUOTA_WINDOWS if counter.limit_in(window) is not None]
    yield from limited or [dimension.natural_window]


def _usage(counter: Counter, window: QuotaWindow) -> Usage:
    return Usage(
        dimension=counter.dimension,
        level=counter.level,
        window=window,
        used=counter.used_in(window),
        limit=counter.limit_in(window),
        resets_at=counter.resets_at(window),
    )
