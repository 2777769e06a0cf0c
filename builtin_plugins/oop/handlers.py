"""HTTP in and out."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.oop.capabilities import CATALOGUE
from builtin_plugins.oop.grants import all_granted, replace_grants
from builtin_plugins.oop.service import Programs
from guildhall_sdk import Call, InvalidRequest, NotFound, Reply, cut_page, page, page_bounds

_CAPABILITIES = [
    {"name": one.name, "description": one.description, "permission": one.permission}
    for one in CATALOGUE.values()
]


async def list_programs(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    items = await _items(call)
    following = [item for item in items if after is None or item["id"] > after]
    on_page, next_cursor = cut_page(following[:fetched], fetched, lambda item: str(item["id"]))
    return page(on_page, next_cursor, capabilities=_CAPABILITIES)


async def grant(call: Call) -> Reply:
    plugin_id, wanted = call.params["id"], call.body["capabilities"]
    requested = call.service(Programs).requested(plugin_id)
    if requested is None:
        raise NotFound("There is no out-of-process plugin of this id.")
    for place, capability in enumerate(wanted):
        if capability not in CATALOGUE:
            raise InvalidRequest.at(f"/capabilities/{place}", f"there is no capability {capability}")
        if capability not in requested:
            raise InvalidRequest.at(f"/capabilities/{place}", f"{plugin_id} does not request {capability}")
    async with call.write() as writer:
        await replace_grants(writer, call.principal, plugin_id, wanted, call.now_ms)
    return Reply(next(item for item in await _items(call) if item["id"] == plugin_id))


async def _items(call: Call) -> Sequence[dict[str, Any]]:
    """By id. Why a plugin is down may name folders of the machine: that is for operators."""
    programs = call.service(Programs)
    items = await programs.describe(with_detail=call.principal.may("instance:manage"))
    async with call.read() as reader:
        granted = await all_granted(reader)
    for item in items:
        item["granted"] = [one for one in granted.get(item["id"], ()) if one in item["requested"]]
    return sorted(items, key=lambda item: str(item["id"]))


HANDLERS = {handler.__name__: handler for handler in (list_programs, grant)}
