"""How long a team's bucket keeps what was overwritten or deleted."""

from builtin_plugins.repo.lifecycle import stored
from builtin_plugins.repo.lifecycle.uses import Uses
from guildhall_sdk import Reader, Reply, RequestContext
from guildhall_sdk.services import Plugins
from guildhall_sdk.services.lifecycle import LifecycleRule


async def read_lifecycle(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return await _reply(ctx, reader)


async def set_lifecycle(ctx: RequestContext) -> Reply:
    rules = [LifecycleRule(**rule) for rule in ctx.body["rules"]]
    async with ctx.write() as writer:
        await stored.set_rules(writer, ctx.principal, rules, ctx.now_ms)
    async with ctx.read() as reader:
        return await _reply(ctx, reader)


async def _reply(ctx: RequestContext, reader: Reader) -> Reply:
    who = ctx.principal
    lifecycle = await stored.of_team(reader, who.team_id, who.org_id)
    uses = Uses(ctx.service(Plugins))
    preview = await stored.preview_of(reader, who.team_id, lifecycle.rules, ctx.now_ms, uses)
    return Reply(stored.public(lifecycle, preview))
