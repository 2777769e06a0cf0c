"""HTTP in and out."""

from guildhall_sdk import Call, Reply, page
from guildhall_sdk.services.search import Search


async def search(call: Call) -> Reply:
    query = call.query
    found = await call.service(Search).find(
        call.principal,
        query["q"],
        type=query.get("type"),
        across_company=query["scope"] == "org",
        cursor=query.get("cursor"),
        limit=query["limit"],
    )
    return page(list(found.items), found.next_cursor, unavailable=list(found.unavailable))


HANDLERS = {"search": search}
