"""HTTP in and out."""

from builtin_plugins.triggers import history, service
from builtin_plugins.triggers.firing import budget_of
from guildhall_sdk import Reply, RequestContext, created, decode_cursor, no_content, page, page_bounds
from guildhall_sdk.services import Quotas, Repository, Workflows


async def list_triggers(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    caller = ctx.principal
    async with ctx.read() as reader:
        triggers, next_cursor = await service.list_page(reader, caller, before, fetched)
        usage = await ctx.service(Quotas).usage(reader, caller.org_id, caller.team_id)
    return page([one.public() for one in triggers], next_cursor, budget=budget_of(usage))


async def create_trigger(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        trigger, warnings = await service.create(
            writer, ctx.service(Workflows), ctx.principal, ctx.body, ctx.now_ms
        )
    return created({**trigger.public(), "warnings": [*warnings]}, f"/api/doc-triggers/{trigger.id}")


async def get_trigger(ctx: RequestContext) -> Reply:
    before = decode_cursor(ctx.query.get("fires_cursor"))
    async with ctx.read() as reader:
        trigger = await service.find(reader, ctx.principal, ctx.params["id"])
        fires, cursor = await history.list_fires(
            reader, ctx.service(Repository), ctx.principal, trigger, before, ctx.now_ms
        )
    return Reply({**trigger.public(), "fires": fires, "fires_cursor": cursor})


async def change_trigger(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        trigger, warnings = await service.update(
            writer, ctx.service(Workflows), ctx.principal, ctx.params["id"], ctx.body, ctx.now_ms
        )
    return Reply({**trigger.public(), "warnings": [*warnings]})


async def delete_trigger(ctx: RequestContext) -> Reply:
    trigger_id = ctx.params["id"]
    async with ctx.write() as writer:
        await service.delete(writer, ctx.principal, trigger_id)
    await history.drop_all(ctx.host.data, trigger_id)
    return no_content()


HANDLERS = {
    handler.__name__: handler
    for handler in (list_triggers, create_trigger, get_trigger, change_trigger, delete_trigger)
}
