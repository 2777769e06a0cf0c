"""HTTP in and out."""

from guildhall_sdk import Reply, RequestContext, page
from guildhall_sdk.services import Search


async def search(ctx: RequestContext) -> Reply:
    query = ctx.query
    found = await ctx.service(Search).find(
        ctx.principal,
        query["q"],
        type=query.get("type"),
        across_company=query["scope"] == "org",
        cursor=query.get("cursor"),
        limit=query["limit"],
    )
    return page(list(found.items), found.next_cursor, unavailable=list(found.unavailable))


HANDLERS = {"search": search}
