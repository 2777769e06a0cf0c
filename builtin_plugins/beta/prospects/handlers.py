"""HTTP in and out."""

from builtin_plugins.beta.prospects import prospects
from builtin_plugins.beta.prospects.prospects import Selection, prospect_json
from builtin_plugins.beta.prospects.schemas import DECISIONS
from builtin_plugins.beta.prospects.tables import CSV, csv_lines
from guildhall_sdk import Reply, RequestContext, cut_page, no_content, page, page_bounds
from guildhall_sdk.negotiation import preferred


async def list_prospects(ctx: RequestContext) -> Reply:
    selection = Selection(ctx.principal.team_id, ctx.query.get("status", ""), ctx.query.get("q", "").strip())
    if _wants_csv(ctx):
        return Reply(
            stream=csv_lines(ctx.host, selection),
            content_type=f"{CSV}; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="prospects.csv"'},
        )
    before, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        rows = await selection.page(reader, before, fetched)
    cut, cursor = cut_page(rows, fetched, lambda row: str(row["id"]))
    return page([prospect_json(row) for row in cut], cursor)


def _wants_csv(ctx: RequestContext) -> bool:
    wish = ctx.query.get("format")
    if wish is not None:
        return bool(wish == "csv")
    return preferred(ctx.headers.get("accept", ""), ("application/json", CSV)) == CSV


async def read_prospect(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await prospects.find(reader, ctx.principal, ctx.params["id"]))


async def decide_prospect(ctx: RequestContext) -> Reply:
    status, note = DECISIONS[ctx.body["decision"]], ctx.body.get("note")
    async with ctx.write() as writer:
        decided = await prospects.decide(writer, ctx.principal, ctx.params["id"], status, note, ctx.now_ms)
    return Reply(decided)


async def erase_prospect(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await prospects.erase(writer, ctx.principal, ctx.params["id"])
    return no_content()


HANDLERS = {
    handler.__name__: handler for handler in (list_prospects, read_prospect, decide_prospect, erase_prospect)
}
