"""HTTP in and out."""

from functools import partial

from builtin_plugins.triggers import history, service
from builtin_plugins.triggers.firing import budget_of
from builtin_plugins.triggers.trigger import LIST
from guildhall_sdk import Call, Reply, Writer, created, no_content, page, page_bounds
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.replies import decode_cursor
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.workflows import Workflows


async def list_triggers(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    caller = call.principal
    async with call.read() as reader:
        triggers, next_cursor = await service.list_page(reader, caller, before, fetched)
        usage = await call.service(Quotas).usage(reader, caller.org_id, caller.team_id)
    return page([one.public() for one in triggers], next_cursor, budget=budget_of(usage))


async def create_trigger(call: Call) -> Reply:
    async with call.write() as writer:
        trigger, warnings = await service.create(
            writer, call.service(Workflows), call.principal, call.body, call.now_ms
        )
        _tell(call, writer)
    return created({**trigger.public(), "warnings": [*warnings]}, f"/api/doc-triggers/{trigger.id}")


async def get_trigger(call: Call) -> Reply:
    before = decode_cursor(call.query.get("fires_cursor"))
    async with call.read() as reader:
        trigger = await service.find(reader, call.principal, call.params["id"])
        fires, cursor = await history.list_fires(
            reader, call.service(Repository), call.principal, trigger, before, call.now_ms
        )
    return Reply({**trigger.public(), "fires": fires, "fires_cursor": cursor})


async def change_trigger(call: Call) -> Reply:
    async with call.write() as writer:
        trigger, warnings = await service.update(
            writer, call.service(Workflows), call.principal, call.params["id"], call.body, call.now_ms
        )
        _tell(call, writer)
    return Reply({**trigger.public(), "warnings": [*warnings]})


async def delete_trigger(call: Call) -> Reply:
    trigger_id = call.params["id"]
    async with call.write() as writer:
        await service.delete(writer, call.principal, trigger_id)
        _tell(call, writer)
    await history.drop_all(call.host.data, trigger_id)
    return no_content()


def _tell(call: Call, writer: Writer) -> None:
    """Has whoever looks at the team's triggers look again."""
    writer.after_commit(partial(call.service(LiveLists).changed, LIST, call.principal.team_id))


HANDLERS = {
    handler.__name__: handler
    for handler in (list_triggers, create_trigger, get_trigger, change_trigger, delete_trigger)
}
