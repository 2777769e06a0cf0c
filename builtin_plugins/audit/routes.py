"""The rows of the trail: what they take and answer."""

from builtin_plugins.audit.trail import DAYS, MAX_DAYS
from guildhall_sdk import PAGE_QUERY, Auth, Route
from guildhall_sdk.schema import anything, boolean, integer, listing, nullable, shape, string, time

_TIMES = {
    "from": string(max_length=64, description="From this time on, RFC 3339"),
    "to": string(max_length=64, description="Before this time, RFC 3339"),
}
_ACTOR = {"actor": string(max_length=64, description="What this user did, by id")}
_FILTERS = {
    **_ACTOR,
    "action": string(max_length=128, description="Such as token.issued, or the noun alone for all its verbs"),
    "target": string(max_length=256, description="What was done to this, by its id"),
    "q": string(max_length=200, description="Words that all stand in what is shown of an event"),
    **_TIMES,
}
_EVENTS = listing(
    shape(
        {
            "id": string(),
            "at": time(),
            "actor": shape({"id": nullable(string()), "name": string()}),
            "action": string(description="noun.verb, such as login.succeeded"),
            "target": shape({"type": nullable(string()), "id": nullable(string())}),
            "detail": anything(type="object", description="from and to, where something was changed"),
            "request_id": nullable(string()),
        }
    )
)
_DAYS = listing(
    shape(
        {
            "day": string(description="In UTC"),
            "events": integer(0),
            "more": boolean(description="There are more than are counted"),
        }
    )
)
_OF_DAYS = f"; the last {DAYS} without from and to, at most {MAX_DAYS}"

ROUTES = (
    Route(
        "GET",
        "/api/org/audit",
        "org_audit",
        "The company's audit trail, newest first",
        Auth.ORG_ADMIN,
        permission="org:read",
        query={**_FILTERS, **PAGE_QUERY},
        reply=_EVENTS,
    ),
    Route(
        "GET",
        "/api/audit",
        "team_audit",
        "The team's audit trail, newest first",
        permission="settings:manage",
        query={**_FILTERS, **PAGE_QUERY},
        reply=_EVENTS,
    ),
    Route(
        "GET",
        "/api/org/audit/days",
        "org_audit_days",
        f"How many events of the company each day has{_OF_DAYS}",
        Auth.ORG_ADMIN,
        permission="org:read",
        query={**_ACTOR, **_TIMES},
        reply=_DAYS,
    ),
    Route(
        "GET",
        "/api/audit/days",
        "team_audit_days",
        f"How many events of the team each day has{_OF_DAYS}",
        permission="settings:manage",
        query={**_ACTOR, **_TIMES},
        reply=_DAYS,
    ),
)
