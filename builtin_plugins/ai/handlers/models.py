"""Which model answers, over HTTP."""

from typing import Any

from builtin_plugins.ai.roles import TEAM_ROLES, instance_default
from guildhall_sdk import Reader, Reply, RequestContext, UserError
from guildhall_sdk.services import Executors, Models, Preferences
from guildhall_sdk.services.models import MODEL_ROLES


async def read_model(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        choice = await ctx.service(Models).choose(reader, ctx.principal)
        executor = await ctx.service(Executors).named(reader, ctx.principal.org_id, choice.executor)
    assert executor is not None
    public = executor.public(with_url=ctx.principal.may("instance:manage"))
    return Reply(
        {
            "model": choice.model,
            "executor": choice.executor,
            "simulated": choice.simulated,
            "url": public.get("url"),
            "health": public["health"],
        }
    )


async def read_roles(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await _roles(ctx, reader))


async def set_roles(ctx: RequestContext) -> Reply:
    given = ctx.body["roles"]
    async with ctx.write() as writer:
        for name in filter(None, given.values()):
            if await ctx.service(Executors).named(writer, ctx.principal.org_id, name) is None:
                raise UserError(
                    f"There is no executor {name!r}; GET /api/executors lists those that there are.",
                    code="unknown_executor",
                )
        preferences = ctx.service(Preferences)
        before = await preferences.team(writer, ctx.principal.team_id, TEAM_ROLES)
        await preferences.write(writer, ctx.principal, TEAM_ROLES, {**before, **given})
        return Reply(await _roles(ctx, writer))


async def _roles(ctx: RequestContext, reader: Reader) -> dict[str, Any]:
    chosen = await ctx.service(Preferences).team(reader, ctx.principal.team_id, TEAM_ROLES)
    return {
        "roles": {role: chosen.get(role) for role in MODEL_ROLES},
        "default": {role: instance_default(ctx.host, role) for role in MODEL_ROLES},
    }
