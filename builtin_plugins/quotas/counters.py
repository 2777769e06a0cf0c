"""What a team or company has used of a dimension in each calendar window: arithmetic, no database."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from guildhall_sdk.dimensions import QUOTA_WINDOWS, DimensionKind, QuotaLevel, QuotaWindow

CALENDAR: tuple[QuotaWindow, ...] = ("minute", "hour", "day", "month")
_LENGTHS: dict[QuotaWindow, int] = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
_LONGER_THAN_A_MONTH = 32 * 86_400_000


def start_of(window: QuotaWindow, at_ms: int) -> int:
    """Returns when the window of this moment began."""
    if window in _LENGTHS:
        return at_ms - at_ms % _LENGTHS[window]
    day = datetime.fromtimestamp(at_ms // 1000, UTC)
    return int(datetime(day.year, day.month, 1, tzinfo=UTC).timestamp()) * 1000


def end_of(window: QuotaWindow, start_ms: int) -> int:
    """Returns when the window that began then ends."""
    if window in _LENGTHS:
        return start_ms + _LENGTHS[window]
    return start_of(window, start_ms + _LONGER_THAN_A_MONTH)


class Moment(NamedTuple):
    """An instant, with the beginnings of the windows it lies in, in the order of `CALENDAR`."""

    ms: int
    starts: tuple[int, ...]

    @classmethod
    def at(cls, ms: int) -> "Moment":
        return cls(ms, tuple(start_of(window, ms) for window in CALENDAR))


COMPANY = ""
#: People are told of a limit from so many fifths of it on.
TIGHT_FIFTHS = 4
_ZEROS = (0,) * len(CALENDAR)
_UNLIMITED: tuple[int | None, ...] = (None,) * len(QUOTA_WINDOWS)


class Shortfall(NamedTuple):
    """A window without room for an amount."""

    level: QuotaLevel
    dimension: str
    window: QuotaWindow
    limit: int
    used: int
    resets_at: int | None


@dataclass(frozen=True, slots=True)
class Counter:
    """`starts` and `used` go by `CALENDAR`, `limits` by `QUOTA_WINDOWS`; `team_id` is empty for a company."""

    team_id: str
    dimension: str
    starts: tuple[int, ...] = _ZEROS
    used: tuple[int, ...] = _ZEROS
    total: int = 0
    limits: tuple[int | None, ...] = _UNLIMITED

    @property
    def level(self) -> QuotaLevel:
        return "org" if self.team_id == COMPANY else "team"

    def at(self, moment: Moment) -> "Counter":
        """Returns the counter with the windows that ended until then begun anew.

        One that lies just ahead was begun by a process whose clock is ahead: it goes on, so that no
        two clocks can spend a limit twice. One further ahead comes from a clock that was wrong.
        """
        if self.starts == moment.starts:
            return self
        windows = [
            (start, used) if start == now or (start > now and start == end_of(window, now)) else (now, 0)
            for window, start, used, now in zip(CALENDAR, self.starts, self.used, moment.starts, strict=True)
        ]
        return replace(
            self, starts=tuple(start for start, _ in windows), used=tuple(used for _, used in windows)
        )

    def plus(self, amount: int, kind: DimensionKind) -> "Counter":
        """Returns the counter with an amount more or less; only a rate is counted by window."""
        used = tuple([one + amount for one in self.used]) if kind == "rate" else self.used
        total = max(0, self.total + amount)
        return Counter(self.team_id, self.dimension, self.starts, used, total, self.limits)

    def corrected(self, by: int, reserved_at: Moment) -> "Counter":
        """Returns the counter with an earlier count corrected where its windows have not ended."""
        used = tuple(
            max(0, one + by) if start == then else one
            for one, start, then in zip(self.used, self.starts, reserved_at.starts, strict=True)
        )
        return replace(self, used=used, total=max(0, self.total + by))

    def used_in(self, window: QuotaWindow) -> int:
        return self.total if window == "none" else self.used[CALENDAR.index(window)]

    def limit_in(self, window: QuotaWindow) -> int | None:
        return self.limits[QUOTA_WINDOWS.index(window)]

    def left_in(self, window: QuotaWindow) -> int | None:
        limit = self.limit_in(window)
        return None if limit is None else max(0, limit - self.used_in(window))

    def resets_at(self, window: QuotaWindow) -> int | None:
        return None if window == "none" else end_of(window, self.starts[CALENDAR.index(window)])

    def shortfalls(self, amount: int) -> Iterator[Shortfall]:
        """Returns the limits that an amount would exceed; an amount of zero exceeds none."""
        if amount <= 0 or self.limits == _UNLIMITED:
            return
        for window, limit in zip(QUOTA_WINDOWS, self.limits, strict=True):
            used = self.used_in(window)
            if limit is not None and used + amount > limit:
                yield Shortfall(self.level, self.dimension, window, limit, used, self.resets_at(window))
