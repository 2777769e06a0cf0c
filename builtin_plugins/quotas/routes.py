"""Quotas: what the team and its company have used, and the team's limits."""

from guildhall_sdk import QuotaDimension, Reply, RequestContext, Route, page
from guildhall_sdk.quotas import QUOTA_WINDOWS
from guildhall_sdk.schema import enum, integer, listing, nullable, obj, shape, string, time
from guildhall_sdk.services import Quotas

# Shared by all that keep something or run jobs, so that no single one of them owns the name.
DIMENSIONS = (
    QuotaDimension("jobs.concurrency", "Jobs that run at the same time", "concurrency"),
    QuotaDimension("storage.bytes", "Bytes kept in notes, documents and files", "stock"),
)

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

ROUTES = (
    Route(
        "GET",
        "/api/usage",
        "usage",
        "What the team and its company have used of each quota dimension",
        reply=listing(USAGE),
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


async def usage(ctx: RequestContext) -> Reply:
    caller = ctx.principal
    async with ctx.read() as reader:
        rows = await ctx.service(Quotas).usage(reader, caller.org_id, caller.team_id)
    return page([row.public() for row in rows], None)


async def set_quota(ctx: RequestContext) -> Reply:
    body = ctx.body
    async with ctx.write() as writer:
        row = await ctx.service(Quotas).set_limit(
            writer, "team", ctx.principal.team_id, body["dimension"], body["window"], body["limit"]
        )
    return Reply(row.public())


HANDLERS = {handler.__name__: handler for handler in (usage, set_quota)}
