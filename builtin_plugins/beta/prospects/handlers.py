"""HTTP in and out."""

from builtin_plugins.beta.prospects import prospects
from builtin_plugins.beta.prospects.prospects import Selection, prospect_json
from builtin_plugins.beta.prospects.schemas import DECISIONS
from builtin_plugins.beta.prospects.tables import CSV, csv_lines
from guildhall_sdk import Call, Reply, cut_page, no_content, page, page_bounds
from libs.negotiation import preferred


async def list_prospects(call: Call) -> Reply:
    selection = Selection(
        call.principal.team_id, call.query.get("status", ""), call.query.get("q", "").strip()
    )
    if _wants_csv(call):
        return Reply(
            stream=csv_lines(call.host, selection),
            content_type=f"{CSV}; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="prospects.csv"'},
        )
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await selection.page(reader, before, fetched)
    cut, cursor = cut_page(rows, fetched, lambda row: str(row["id"]))
    return page([prospect_json(row) for row in cut], cursor)


def _wants_csv(call: Call) -> bool:
    wish = call.query.get("format")
    if wish is not None:
        return bool(wish == "csv")
    return preferred(call.headers.get("accept", ""), ("application/json", CSV)) == CSV


async def read_prospect(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await prospects.find(reader, call.principal, call.params["id"]))


async def decide_prospect(call: Call) -> Reply:
    status, note = DECISIONS[call.body["decision"]], call.body.get("note")
    async with call.write() as writer:
        decided = await prospects.decide(writer, call.principal, call.params["id"], status, note, call.now_ms)
    return Reply(decided)


async def erase_prospect(call: Call) -> Reply:
    async with call.write() as writer:
        await prospects.erase(writer, call.principal, call.params["id"])
    return no_content()


HANDLERS = {
    handler.__name__: handler for handler in (list_prospects, read_prospect, decide_prospect, erase_prospect)
}
