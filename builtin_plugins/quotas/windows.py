"""Calendar windows in UTC."""

from dataclasses import dataclass
from datetime import UTC, datetime

from guildhall_sdk.services.quotas import QuotaWindow

CALENDAR: tuple[QuotaWindow, ...] = ("minute", "hour", "day", "month")
_LENGTHS: dict[QuotaWindow, int] = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
_LONGER_THAN_A_MONTH = 32 * 86_400_000


def start_of(window: QuotaWindow, at_ms: int) -> int:
    """When the window began that this moment lies in."""
    if window in _LENGTHS:
        return at_ms - at_ms % _LENGTHS[window]
    day = datetime.fromtimestamp(at_ms // 1000, UTC)
    return int(datetime(day.year, day.month, 1, tzinfo=UTC).timestamp()) * 1000


def end_of(window: QuotaWindow, start_ms: int) -> int:
    """When the window that began then gives way to the next."""
    if window in _LENGTHS:
        return start_ms + _LENGTHS[window]
    return start_of(window, start_ms + _LONGER_THAN_A_MONTH)


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant, with the beginnings of the windows it lies in, in the order of `CALENDAR`."""

    ms: int
    starts: tuple[int, ...]

    @classmethod
    def at(cls, ms: int) -> "Moment":
        return cls(ms, tuple(start_of(window, ms) for window in CALENDAR))
