"""How long the audit trail is kept."""

from guildhall_sdk import Setting
from guildhall_sdk.retention import FOR_EVER, Retained
from guildhall_sdk.services.audit import AuditRetention
from guildhall_sdk.settings import whole

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
        throw_away=retention.throw_away,
    )
