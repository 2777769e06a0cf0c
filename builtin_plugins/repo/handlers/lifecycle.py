"""How long a team's bucket keeps what was overwritten or deleted."""

from builtin_plugins.repo.lifecycle import stored
from builtin_plugins.repo.lifecycle.uses import Uses
from guildhall_sdk import Call, Reader, Reply
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.stored_objects import LifecycleRule


async def read_lifecycle(call: Call) -> Reply:
    async with call.read() as reader:
        return await _reply(call, reader)


async def set_lifecycle(call: Call) -> Reply:
    rules = [LifecycleRule(**rule) for rule in call.body["rules"]]
    async with call.write() as writer:
        await stored.set_rules(writer, call.principal, rules, call.now_ms)
    async with call.read() as reader:
        return await _reply(call, reader)


async def _reply(call: Call, reader: Reader) -> Reply:
    who = call.principal
    lifecycle = await stored.of_team(reader, who.team_id, who.org_id)
    uses = Uses(call.service(Plugins))
    preview = await stored.preview_of(reader, who.team_id, lifecycle.rules, call.now_ms, uses)
    return Reply(stored.public(lifecycle, preview))
