"""Which model answers, over HTTP."""

from typing import Any

from builtin_plugins.ai.roles import TEAM_ROLES, instance_default
from guildhall_sdk import Call, Reader, Reply, UserError
from guildhall_sdk.services.executors import Executors
from guildhall_sdk.services.models import MODEL_ROLES, Models
from guildhall_sdk.services.preferences import Preferences


async def read_model(call: Call) -> Reply:
    async with call.read() as reader:
        choice = await call.service(Models).choose(reader, call.principal)
        executor = await call.service(Executors).named(reader, call.principal.org_id, choice.executor)
    assert executor is not None
    public = executor.public(with_url=call.principal.may("instance:manage"))
    return Reply(
        {
            "model": choice.model,
            "executor": choice.executor,
            "simulated": choice.simulated,
            "url": public.get("url"),
            "health": public["health"],
        }
    )


async def read_roles(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await _roles(call, reader))


async def set_roles(call: Call) -> Reply:
    given = call.body["roles"]
    async with call.write() as writer:
        for name in filter(None, given.values()):
            if await call.service(Executors).named(writer, call.principal.org_id, name) is None:
                raise UserError(
                    f"There is no executor {name!r}; GET /api/executors lists those that there are.",
                    code="unknown_executor",
                )
        preferences = call.service(Preferences)
        before = await preferences.team(writer, call.principal.team_id, TEAM_ROLES)
        await preferences.write(writer, call.principal, TEAM_ROLES, {**before, **given})
        return Reply(await _roles(call, writer))


async def _roles(call: Call, reader: Reader) -> dict[str, Any]:
    chosen = await call.service(Preferences).team(reader, call.principal.team_id, TEAM_ROLES)
    return {
        "roles": {role: chosen.get(role) for role in MODEL_ROLES},
        "default": {role: instance_default(call.host, role) for role in MODEL_ROLES},
    }
