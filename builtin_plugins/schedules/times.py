"""When a schedule's times come: by a cron expression in a time zone, or every so many seconds."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from guildhall_sdk import InvalidRequest

UTC = "UTC"
MAX_EVERY_SECONDS = 366 * 24 * 3600
MAX_CRON = 200
SHOWN = 5
# A time that is met within half of the interval, and a minute at the most, was met.
_LEAST_GRACE_MS, _MOST_GRACE_MS = 1_000, 60_000
_FIELDS = 5
_MINUTE_MS = 60_000
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,31}(/[A-Za-z0-9_+-]{1,31}){0,2}")
# Trees of the same zones that an operating system may have beside them, one of them with leap seconds.
_NO_ZONES = ("posix/", "right/")


class Times(Protocol):
    """The times of a schedule, in milliseconds since the epoch."""

    def after(self, moment: int) -> int:
        """Returns the first time after a moment."""

    def last(self, many: int, since: int, until: int) -> Sequence[int]:
        """Returns the last times from `since` to `until`, both included, oldest first and so many at most.

        There is at least one: the next after `until`, where none is between them any more.
        """


@dataclass(frozen=True, slots=True)
class Every:
    """Times on a grid: so many milliseconds apart, counted from where it begins."""

    every_ms: int
    begins: int

    def after(self, moment: int) -> int:
        return self.begins + ((moment - self.begins) // self.every_ms + 1) * self.every_ms

    def last(self, many: int, since: int, until: int) -> Sequence[int]:
        newest = self.after(until) - self.every_ms
        oldest = max(self.after(since - 1), newest - (many - 1) * self.every_ms)
        return [*range(oldest, newest + 1, self.every_ms)] or [oldest]


@dataclass(frozen=True, slots=True)
class Cron:
    """Times by a cron expression of five fields, on the clocks of a time zone."""

    expression: str
    zone: str

    def after(self, moment: int) -> int:
        return next(self._from(moment))

    def last(self, many: int, since: int, until: int) -> Sequence[int]:
        span = many * _MINUTE_MS
        while True:
            begins = max(since - 1, until - span)
            found: deque[int] = deque(maxlen=many)
            for time in self._from(begins):
                if time > until:
                    break
                found.append(time)
            if begins == since - 1 or len(found) == many:
                return [*found] or [time]
            span *= 8

    def _from(self, moment: int) -> Iterator[int]:
        """Yields the times after a moment; raises `CronSimError` where there are none any more."""
        begins = datetime.fromtimestamp(moment // 1000, ZoneInfo(self.zone))
        for found in CronSim(self.expression, begins):
            time = int(found.timestamp()) * 1000
            # In the second of two equal hours a fixed time of the first is found again.
            if time > moment:
                yield time
        raise CronSimError("never comes")


def times_of(cron: str | None, every_seconds: int | None, timezone: str, begins: int) -> Times:
    """Returns the times of a schedule that has one of the two."""
    return Cron(cron, timezone) if cron is not None else Every((every_seconds or 1) * 1000, begins)


def grace_ms(times: Times, time: int) -> int:
    """Returns how late a start may be that counts as in time."""
    return min(_MOST_GRACE_MS, max(_LEAST_GRACE_MS, (times.after(time) - time) // 2))


def upcoming(times: Times, now: int, many: int = SHOWN) -> list[int]:
    """Returns the next times."""
    found: list[int] = []
    for _ in range(many):
        found.append(times.after(found[-1] if found else now))
    return found


def check_times(fields: Mapping[str, Any], now: int) -> None:
    """Raises `InvalidRequest` unless there is one of `cron` and `every_seconds`, and it ever comes."""
    cron, every = fields.get("cron"), fields.get("every_seconds")
    if (cron is None) == (every is None):
        raise InvalidRequest.at("/cron", "give one of cron and every_seconds")
    check_zone(fields["timezone"])
    if cron is not None and (fault := _fault_of(cron, fields["timezone"], now // _MINUTE_MS)):
        raise InvalidRequest.at("/cron", fault)


def check_zone(name: str) -> None:
    """Raises `InvalidRequest` for what is no time zone."""
    if not _is_zone(name):
        raise InvalidRequest.at("/timezone", "is no time zone; give a name such as Europe/Amsterdam or UTC")


@lru_cache(maxsize=1024)
def _is_zone(name: str) -> bool:
    if not _ZONE.fullmatch(name) or name.startswith(_NO_ZONES):
        return False
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # a folder of zones is an OSError
        return False
    return True


@lru_cache(maxsize=1024)
def _fault_of(expression: str, zone: str, minute: int) -> str | None:
    """Returns what is wrong with a cron expression; it is looked for once a minute."""
    if len(expression.split()) != _FIELDS:
        return "has five fields: minute, hour, day of the month, month and day of the week"
    try:
        Cron(expression, zone).after(minute * _MINUTE_MS)
    except CronSimError as fault:
        if str(fault).startswith("Bad day-of-month"):
            return "never comes: no month has such a day, or it is none"
        return _words_of(str(fault))
    except (ValueError, OverflowError):
        return "is no cron expression"
    return None


def _words_of(fault: str) -> str:
    """Returns a fault of the library in words for whoever wrote the expression."""
    if fault.startswith("Bad "):
        return f"has no valid {fault.removeprefix('Bad ').replace('-', ' ')}"
    return "never comes: no day of the next fifty years fits it"
