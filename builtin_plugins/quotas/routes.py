"""The rows of this plugin: what they take and answer."""

from typing import get_args

from builtin_plugins.quotas.handlers import CSV
from guildhall_sdk import PAGE_QUERY, Auth, Route
from guildhall_sdk.dimensions import QUOTA_WINDOWS, UsageBy
from guildhall_sdk.schema import enum, integer, listing, nullable, obj, shape, string, time

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
_by = enum(*get_args(UsageBy), description="Who used it, instead of the dimensions")
_TIMES = {
    "from": string(max_length=64, description="With by: what was used from this time on, RFC 3339"),
    "to": string(max_length=64, description="With by: what was used before this time, RFC 3339"),
}
USAGE_QUERY = {
    "by": _by,
    "user": string(max_length=64, description="With by: what this person used alone, by id"),
    **_TIMES,
}
USED_BY = shape({"by": _by, "id": string(), "name": string(), "requests": integer(0), "tokens": integer(0)})
USAGES = listing({"anyOf": [USAGE, USED_BY]})
USED_BY_TEAM = shape(
    {"by": enum("team"), "id": string(), "name": string(), "requests": integer(0), "tokens": integer(0)}
)


ROUTES = (
    Route(
        "GET",
        "/api/usage",
        "usage",
        "What the team and its company have used of each quota dimension; with by, who used how much",
        query={**USAGE_QUERY, **PAGE_QUERY},
        reply=USAGES,
        also_answers=(CSV,),
    ),
    Route(
        "GET",
        "/api/org/usage",
        "org_usage",
        "How much each team of the company has used of the models",
        Auth.ORG_ADMIN,
        permission="org:read",
        query={**_TIMES, **PAGE_QUERY},
        reply=listing(USED_BY_TEAM),
    ),
    Route(
        "POST",
        "/api/quota",
        "set_quota",
        "Set or lift a limit of the caller's team",
        permission="instance:manage",
        body=SET_QUOTA,
        reply=USAGE,
    ),
)
