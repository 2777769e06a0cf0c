"""HTTP in and out; the ledger does the work."""

from guildhall_sdk import Reply, RequestContext, page
from guildhall_sdk.services import Quotas


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
