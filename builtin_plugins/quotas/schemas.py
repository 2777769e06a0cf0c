"""What the rows take and answer."""

from guildhall_sdk.quotas import QUOTA_WINDOWS
from guildhall_sdk.schema import enum, integer, nullable, obj, shape, string, time

_WINDOW = enum(*QUOTA_WINDOWS, description="Calendar windows in UTC; none for what has no window")
_LIMIT = nullable(integer(0, description="null: no limit"))

SET_QUOTA = obj(
    {"dimension": string(min_length=1, max_length=64), "limit": _LIMIT, "window": _WINDOW},
    required=["dimension", "limit", "window"],
    example={"dimension": "storage.bytes", "limit": 1_000_000_000, "window": "none"},
)
USAGE = shape(
    {
        "dimension": string(),
        "level": enum("team", "org"),
        "used": integer(0),
        "limit": _LIMIT,
        "remaining": nullable(integer(0)),
        "window": _WINDOW,
        "resets_at": nullable(time()),
    }
)
