"""Counters and holds in the database. Whatever writes them holds the company's place first."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from builtin_plugins.quotas.counters import COMPANY, Counter
from builtin_plugins.quotas.windows import CALENDAR, Moment
from guildhall_sdk import Reader, Row, Writer, load_queries
from guildhall_sdk.services.quotas import QUOTA_WINDOWS, QuotaWindow, Reservation

sql = load_queries(Path(__file__).with_name("queries.sql"))
_starts = itemgetter(*(f"{window}_start" for window in CALENDAR))
_used = itemgetter(*(f"{window}_used" for window in CALENDAR))
_limits = itemgetter(*(f"{window}_limit" for window in QUOTA_WINDOWS))


@dataclass(slots=True)
class Page:
    """The counters of a company and one of its teams, as they are at a moment."""

    moment: Moment
    team_id: str
    has_lapsed: bool
    _counters: dict[tuple[str, str], Counter]

    def counter(self, team_id: str, dimension: str) -> Counter:
        stored = self._counters.get((team_id, dimension)) or Counter(team_id, dimension)
        return stored.at(self.moment)

    def both(self, dimension: str) -> tuple[Counter, Counter]:
        """The company's and the team's."""
        return self.counter(COMPANY, dimension), self.counter(self.team_id, dimension)

    def put(self, counters: Iterable[Counter]) -> None:
        for counter in counters:
            self._counters[counter.team_id, counter.dimension] = counter


async def lock(writer: Writer, org_id: str) -> None:
    """One at a time for each company: its own counter stands above every team's anyway."""
    await writer.serialize(f"quota:{org_id}")


async def read(
    reader: Reader, org_id: str, team_id: str, moment: Moment, dimension: str | None = None
) -> Page:
    """What has lapsed is taken off, whether or not the stored counters say so yet."""
    rows = await reader.all(sql.counters, org_id=org_id, team_id=team_id, dimension=dimension, now=moment.ms)
    page = Page(moment, team_id, False, {})
    for row in rows:
        key = (row["team_id"], row["dimension"])
        counter = page._counters.get(key) or _counter_of(row)
        if row["lapsed"] is not None:
            page.has_lapsed = True
            counter = counter.corrected(-row["lapsed"], Moment.at(row["lapsed_from"]))
        page._counters[key] = counter
    return page


def _counter_of(row: Row) -> Counter:
    return Counter(
        team_id=row["team_id"],
        dimension=row["dimension"],
        starts=_starts(row),
        used=_used(row),
        total=row["total"],
        limits=_limits(row),
    )


async def save(writer: Writer, org_id: str, counters: Iterable[Counter]) -> None:
    """What was used; limits are not touched."""
    rows = [
        [
            counter.team_id,
            counter.dimension,
            *(number for pair in zip(counter.starts, counter.used, strict=True) for number in pair),
            counter.total,
        ]
        for counter in counters
    ]
    await writer.run(sql.save_counters, org_id=org_id, counters=json.dumps(rows))


async def shift_stock(
    writer: Writer, org_id: str, team_id: str, dimension: str, by: int, now_ms: int
) -> bool:
    """Puts an amount to a stock in one statement, where nothing speaks against it; else changes nothing."""
    shifted = await writer.all(
        sql.shift_stock, org_id=org_id, team_id=team_id, dimension=dimension, by=by, now=now_ms
    )
    return bool(shifted)


async def set_limit(
    writer: Writer, org_id: str, team_id: str, dimension: str, window: QuotaWindow, limit: int | None
) -> None:
    await writer.run(
        sql.set_limit, org_id=org_id, team_id=team_id, dimension=dimension, window=window, limit=limit
    )


async def hold(
    writer: Writer, reservation: Reservation, amounts: Mapping[str, int], now_ms: int, expires_at: int
) -> None:
    await writer.run(
        sql.hold,
        reservation=reservation.id,
        org_id=reservation.org_id,
        team_id=reservation.team_id,
        amounts=json.dumps(dict(amounts)),
        now=now_ms,
        expires_at=expires_at,
    )


async def extend_hold(
    writer: Writer, reservation: Reservation, more: Mapping[str, int], now_ms: int, ttl_ms: int
) -> bool:
    """Whether it was still there. It holds more of what it holds already, and of nothing else."""
    rows = await writer.all(
        sql.extend_hold,
        reservation=reservation.id,
        org_id=reservation.org_id,
        now=now_ms,
        expires_at=now_ms + ttl_ms,
    )
    if rows and (extra := set(more) - {row["dimension"] for row in rows}):
        raise ValueError(f"{min(extra)} was not reserved")
    for dimension, amount in more.items() if rows else ():
        await writer.run(
            sql.grow_hold,
            reservation=reservation.id,
            org_id=reservation.org_id,
            dimension=dimension,
            amount=amount,
        )
    return bool(rows)


async def holds_of(reader: Reader, reservation: Reservation) -> Sequence[Row]:
    return await reader.all(sql.holds_of, reservation=reservation.id, org_id=reservation.org_id)


async def end_hold(writer: Writer, reservation: Reservation) -> Sequence[Row]:
    return await writer.all(sql.end_hold, reservation=reservation.id, org_id=reservation.org_id)
