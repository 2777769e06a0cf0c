"""The rows of the API: sign-in, permission and body are checked before a handler runs."""

from collections.abc import Sequence

from guildhall_sdk import (
    PAGE_QUERY,
    Call,
    Factory,
    NotFound,
    Permission,
    Reply,
    Route,
    SampleClient,
    created,
    cut_page,
    hookimpl,
    new_id,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.schema import listing, obj, shape, string

from guildhall_sample_plugin import items

ITEMS = "/api/x/sample-plugin/items"
READ = "sample-plugin:read"
WRITE = "sample-plugin:write"

TEXT = string(min_length=1, max_length=1000)
NEW_ITEM = obj({"text": TEXT}, required=["text"], example={"text": "Ring the harbour"})
ITEM = shape({"id": string(), "text": string()})


async def list_items(call: Call) -> Reply:
    cursor, limit = page_bounds(call.query)
    async with call.read() as reader:
        rows = await items.list_items(reader, call.principal.team_id, cursor, limit)
    return page(*cut_page(rows, limit, lambda item: str(item["id"])))


async def add_item(call: Call) -> Reply:
    item_id = new_id("item", call.now_ms)
    async with call.write() as writer:
        item = await items.add_item(writer, call.principal.team_id, item_id, call.body["text"])
    return created(item, f"{ITEMS}/{item_id}")


async def read_item(call: Call) -> Reply:
    async with call.read() as reader:
        item = await items.read_item(reader, call.principal.team_id, call.params["id"])
    if item is None:
        raise NotFound
    return Reply(item)


async def delete_item(call: Call) -> Reply:
    team_id, item_id = call.principal.team_id, call.params["id"]
    async with call.write() as writer:
        if await items.read_item(writer, team_id, item_id) is None:
            raise NotFound
        await items.delete_item(writer, team_id, item_id)
    return no_content()


async def make_item(client: SampleClient, canary: str) -> str:
    """Makes an item for the conformance tests, with their mark in its text."""
    _, item = await client.call("POST", ITEMS, {"text": canary})
    return str(item["id"])


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return [
        Permission(name=READ, description="See the items of the team", roles=["viewer"]),
        Permission(name=WRITE, description="Add and delete items", roles=["member"]),
    ]


@hookimpl
def declare_routes() -> Sequence[Route]:
    return [
        Route(
            "GET",
            "items",
            list_items,
            "The items of the team, the newest first",
            permission=READ,
            query=PAGE_QUERY,
            reply=listing(ITEM),
        ),
        Route(
            "POST",
            "items",
            add_item,
            "Add an item",
            permission=WRITE,
            body=NEW_ITEM,
            reply=ITEM,
            status=201,
        ),
        Route("GET", "items/:id", read_item, "One item", permission=READ, reply=ITEM),
        Route("DELETE", "items/:id", delete_item, "Delete an item", permission=WRITE, status=204),
    ]


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return [Factory(f"{ITEMS}/:id", make_item)]
