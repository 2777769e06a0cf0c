"""`guildhall retention`: what is kept for how long, and what goes next, before it goes."""

import argparse

from builtin_plugins.retention.period import DAY_MS, Period
from builtin_plugins.retention.throwing_away import all_retained, sql
from guildhall_sdk import Command, rfc3339
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.retention import FOR_EVER, RetainedByTeams


async def retention(_options: argparse.Namespace, host: OpenedHost) -> int:
    """Prints a line for each; it changes nothing."""
    now = host.clock.now_ms()
    async with host.data.read() as reader:
        periods = {row["name"]: row for row in await reader.all(sql.periods)}
    for retained in all_retained(host):
        days, row = host.setting(retained.keep_days), periods.get(retained.name)
        period = _upcoming(days, None if row is None else Period.of(row), now)
        kept = "for ever" if days == FOR_EVER else f"{days} days"
        setting = retained.keep_days.variable or retained.keep_days.name
        print(f"{retained.name}: {retained.title}, kept {kept} ({setting})")
        if days != FOR_EVER:
            async with host.data.read() as reader:
                many = await retained.count(reader, now - days * DAY_MS)
            when = "now" if period.holds_from_ms <= now else f"from {rfc3339(period.holds_from_ms)}"
            print(f"  to be thrown away {when}: {many:,}")
        if row is not None and row["thrown_away"]:
            print(f"  thrown away so far: {row['thrown_away']:,}")
    for _, by_teams in sorted(host.plugins.owned(RetainedByTeams), key=lambda one: one[1].name):
        print(f"{by_teams.name}: {by_teams.title}")
        for line in await by_teams.describe(host, now):
            print(f"  {line}")
    return 0


def _upcoming(days: int, known: Period | None, now_ms: int) -> Period:
    """Returns the period that holds next; one that no server has seen yet begins when one does."""
    if known is not None and known.days == days:
        return known
    return Period(days, FOR_EVER if known is None else known.days_at(now_ms), now_ms)


COMMANDS = (
    Command(
        name="retention",
        help="what is kept for how long, and what goes next",
        opened=retention,
    ),
)
