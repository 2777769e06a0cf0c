"""Who is told that a limit is nearly reached, and reached: once in each window."""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from builtin_plugins.quotas.counters import TIGHT_FIFTHS, Counter
from builtin_plugins.quotas.store import Change, sql
from guildhall_sdk import Host, Writer
from guildhall_sdk.dimensions import QUOTA_WINDOWS, QuotaWindow
from guildhall_sdk.services.notifications import Notice, NotificationKind, Notifications

TIGHT = NotificationKind(name="quotas.tight", title="quotas.notice_tight", text="quotas.notice_tight_text")
REACHED = NotificationKind(
    name="quotas.reached", title="quotas.notice_reached", text="quotas.notice_reached_text", mail="at_once"
)
# Shorter windows are over before anybody has read of them.
_TOLD_WINDOWS: tuple[QuotaWindow, ...] = ("day", "month", "none")
_MAX_MANAGERS = 20
_DAY_MS = 24 * 3600 * 1000


class _Crossing(NamedTuple):
    kind: NotificationKind
    counter: Counter
    window: QuotaWindow
    limit: int


async def tell_of_limits(host: Host, writer: Writer, org_id: str, changes: Iterable[Change]) -> None:
    """Tells who manages the team or the company of limits that its counters come near or reach."""
    crossings = [*_crossings(changes)]
    notifications = host.find_service(Notifications) if crossings else None
    if notifications is None:
        return
    for kind, counter, window, limit in crossings:
        of_company = counter.level == "org"
        people = await writer.all(sql.managers, org_id=org_id, limit=_MAX_MANAGERS) if of_company else ()
        params: dict[str, str | int] = {
            "level": counter.level,
            "dimension": counter.dimension,
            "used": counter.used_in(window),
            "limit": limit,
        }
        # What no window brings back is said again on another day.
        resets_at = counter.resets_at(window) or host.clock.now_ms() // _DAY_MS
        notice = Notice(
            kind=kind,
            org_id=org_id,
            team_id=None if of_company else counter.team_id,
            people=[row["id"] for row in people],
            roles=() if of_company else ("owner", "admin"),
            params=params,
            link="/usage",
            key=json.dumps([counter.team_id, counter.dimension, window, resets_at, limit]),
        )
        await notifications.notify(writer, notice)


def _crossings(changes: Iterable[Change]) -> Iterator[_Crossing]:
    for before, after in changes:
        for window, limit in zip(QUOTA_WINDOWS, after.limits, strict=True):
            if not limit or window not in _TOLD_WINDOWS:
                continue
            was, now = before.used_in(window), after.used_in(window)
            if was < limit <= now:
                yield _Crossing(REACHED, after, window, limit)
            elif 5 * was < TIGHT_FIFTHS * limit <= 5 * now:
                yield _Crossing(TIGHT, after, window, limit)
