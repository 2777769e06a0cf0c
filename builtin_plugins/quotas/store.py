"""Counters and reservations in the database. Whatever writes them locks the company's first."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from builtin_plugins.quotas.counters import CALENDAR, COMPANY, Counter, Moment
from guildhall_sdk import Clock, Reader, Row, Writer, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.dimensions import QUOTA_WINDOWS, Dimension, QuotaWindow, Reservation
from guildhall_sdk.plugin import PluginData, RemovedPlugin

#: Of a company: one at a time for each, as its own counter stands above every team's anyway.
LOCK = "quota:"
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
        """Reads the company's and the team's."""
        return self.counter(COMPANY, dimension), self.counter(self.team_id, dimension)

    def changes(self, spent: Iterable[Counter]) -> "Iterator[Change]":
        """Yields what becomes of counters, each as it is here and as it is then."""
        return ((self.counter(after.team_id, after.dimension), after) for after in spent)

    def put(self, counters: Iterable[Counter]) -> None:
        for counter in counters:
            self._counters[counter.team_id, counter.dimension] = counter


#: A counter before and after something was spent.
Change = tuple[Counter, Counter]


def shifts(rows: Iterable[Row], dimension: str, by: int) -> Iterator[Change]:
    """Yields what became of stocks that one statement shifted."""
    for row in rows:
        limits = tuple(row["none_limit"] if window == "none" else None for window in QUOTA_WINDOWS)
        after = Counter(row["team_id"], dimension, total=row["total"], limits=limits)
        yield replace(after, total=max(0, row["total"] - by)), after


async def read(
    reader: Reader, org_id: str, team_id: str, moment: Moment, dimension: str | None = None
) -> Page:
    """Reads the counters without what has lapsed, whether or not the stored ones say so yet."""
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
    """Saves what was used; limits are not touched."""
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
    """Adds to what a hold has, and to nothing else; False where it is gone."""
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


# How long whoever settles late is still recognized.
REMEMBERED_MS = 7 * 24 * 3600 * 1000
# By whoever comes by and reserves something: the rest is left to the next.
_FORGOTTEN_AT_ONCE = 500


async def give_back_lapsed(writer: Writer, org_id: str, moment: Moment) -> None:
    """Brings the stored counters of a company, whose place is held, to what they count for."""
    until = moment.ms - REMEMBERED_MS
    await writer.run(sql.forget_returned_holds, org_id=org_id, until=until, limit=_FORGOTTEN_AT_ONCE)
    lapsed = await writer.all(sql.lapsed_holds, org_id=org_id, now=moment.ms)
    await writer.run(sql.return_lapsed_holds, org_id=org_id, now=moment.ms)
    for team_id, holds in groupby(lapsed, key=_team_of):
        page = await read(writer, org_id, team_id, moment)
        changed = {}
        for hold in holds:
            reserved_at = Moment.at(hold["reserved_at"])
            page.put(one.corrected(-hold["amount"], reserved_at) for one in page.both(hold["dimension"]))
            changed[hold["dimension"]] = page.both(hold["dimension"])
        await save(writer, org_id, [one for both in changed.values() for one in both])


def _team_of(hold: Row) -> str:
    team_id: str = hold["team_id"]
    return team_id


async def give_back_all_lapsed(data: Data, clock: Clock) -> None:
    """Gives back at the start what a process left that is gone, where nobody has come by since."""
    moment = Moment.at(clock.now_ms())
    async with data.read() as reader:
        rows = await reader.all(sql.orgs_with_lapsed_holds, now=moment.ms)
    for row in rows:
        async with data.write() as writer:
            await writer.serialize(LOCK + row["org_id"])
            await give_back_lapsed(writer, row["org_id"], moment)


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_dimensions, names=_dimensions(removed)))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes what was counted and reserved, and the limits that an operator set."""
    await writer.run(sql.drop_holds_of_dimensions, names=_dimensions(removed))
    await writer.run(sql.drop_counters_of_dimensions, names=_dimensions(removed))


def _dimensions(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(Dimension)])


PLUGIN_DATA = (PluginData(name="quota counters", count=_count, remove=_remove),)
