"""For how long something is kept, and from when on that holds; the setting of the audit trail."""

from typing import NamedTuple

from guildhall_sdk import Row, Setting
from guildhall_sdk.retention import FOR_EVER, AuditRetention, Retained
from guildhall_sdk.settings import whole

DAY_MS = 24 * 3600 * 1000
NOTICE_MS = DAY_MS
#: A clock that is so much later than at the last look may be wrong: then the notice runs anew.
JUMP_MS = 7 * DAY_MS


class Period(NamedTuple):
    """A shorter time than before holds a day after it was first seen, so that it can be taken back."""

    days: int
    days_before: int
    since_ms: int

    @classmethod
    def of(cls, row: Row) -> "Period":
        return cls(row["days"], row["days_before"], row["since"])

    @property
    def holds_from_ms(self) -> int:
        return self.since_ms + (NOTICE_MS if _longest(self.days) < _longest(self.days_before) else 0)

    def days_at(self, now_ms: int) -> int:
        """Returns for how many days it is kept at that time; a longer time holds whatever the clocks say."""
        return self.days if now_ms >= self.holds_from_ms else max(self.days, self.days_before, key=_longest)

    def over_before(self, now_ms: int) -> int | None:
        """Returns the time before which what was over goes now; None where nothing does."""
        days = self.days_at(now_ms)
        return None if days == FOR_EVER else now_ms - days * DAY_MS


def _longest(days: int) -> float:
    return float("inf") if days == FOR_EVER else days


MIN_DAYS = 30
_TAKES = f"a number of days, {MIN_DAYS} to 36500, or 0 for ever"
_number = whole(0, 36_500, _TAKES)


def _parse(given: str) -> int:
    days = _number(given)
    if FOR_EVER < days < MIN_DAYS:
        raise ValueError(f"takes {_TAKES}")
    return days


KEEP_AUDIT_DAYS = Setting(
    name="keep_audit_days",
    variable="SERVICE_KEEP_AUDIT_DAYS",
    help=f"for how many days audit events are kept, {MIN_DAYS} or more; 0 is for ever",
    default=FOR_EVER,
    parse=_parse,
)


def audit_events(retention: AuditRetention) -> Retained:
    return Retained(
        name="audit",
        title="audit events; what remains still verifies",
        keep_days=KEEP_AUDIT_DAYS,
        count=retention.count,
        delete_expired=retention.delete_before,
    )
