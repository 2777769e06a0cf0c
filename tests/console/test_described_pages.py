"""What pages as data offer: pages about one thing, actions, filters, files to and fro, charts."""

import pytest
from playwright.async_api import expect

from guildhall_sdk import Reply, Route
from guildhall_sdk.routes import Body
from guildhall_sdk.schema import enum, integer, listing, obj, shape, string, time
from guildhall_sdk.services.pages import Column, ConsolePage, FormPart, TablePart
from tests.console.visitor import serious_violations_in_both_modes, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")
READ, WRITE = "notes:read", "notes:write"
HAT = shape({"id": string(), "name": string(), "state": string(), "worn": integer()})
DAY = shape({"at": time(), "worn": integer()})


class Wardrobe:
    """Hats in memory, and what was sent to them."""

    def __init__(self):
        self.hats = {name: self.new(name) for name in ("bowler", "fez")}
        self.pictures = {}

    @staticmethod
    def new(name):
        return {"id": name, "name": name.title(), "state": "clean", "worn": 1}

    async def hats_of(self, call):
        state = call.query.get("state")
        found = [hat for hat in self.hats.values() if state in (None, hat["state"])]
        return {"items": found, "next_cursor": None}

    async def hat(self, call):
        return self.hats[call.params["id"]]

    async def wear(self, call):
        hat = self.hats[call.params["id"]]
        hat |= {"worn": hat["worn"] + call.body["times"], "state": "worn"}
        return hat

    async def discard(self, call):
        del self.hats[call.params["id"]]
        return {}

    async def paint(self, call):
        self.pictures[call.params["id"]] = b"".join([chunk async for chunk in call.stream()])
        return {}

    async def picture(self, call):
        headers = {"Content-Disposition": 'attachment; filename="hat.txt"'}
        content = self.pictures.get(call.params["id"], b"")
        return Reply(content=content, content_type="text/plain", headers=headers)

    async def days(self, call):
        return {"items": [{"at": "2026-01-05T00:00:00Z", "worn": 3}], "next_cursor": None}

    def routes(self):
        states = {"state": enum("clean", "worn", title="State")}
        wearing = obj({"times": integer(1, title="Times")}, required=["times"], example={"times": 2})
        return [
            Route("GET", "hats", self.hats_of, "Hats", permission=READ, query=states, reply=listing(HAT)),
            Route("GET", "hats/:id", self.hat, "One", permission=READ, reply=HAT),
            Route("POST", "hats/:id/wear", self.wear, "Wear", permission=WRITE, body=wearing, reply=HAT),
            Route("DELETE", "hats/:id", self.discard, "Discard", permission=WRITE),
            Route("PUT", "hats/:id/picture", self.paint, "Paint", permission=WRITE, body_kind=Body.RAW),
            Route("GET", "hats/:id/picture", self.picture, "Picture", permission=READ, content_type="*/*"),
            Route("GET", "days", self.days, "Days", permission=READ, reply=listing(DAY)),
        ]


COLUMNS = [
    Column(field="name", label="Hat"),
    Column(field="state", label="State"),
    Column(field="worn", label="Worn"),
]
ACTIONS = [
    FormPart(target="hats/:id/wear", submit="Wear", done="Worn."),
    FormPart(target="hats/:id/picture", method="GET", submit="Picture"),
    FormPart(target="hats/:id", method="DELETE", submit="Discard", done="Gone."),
]
PAGES = [
    ConsolePage(
        name="hats",
        title="Hats",
        parts=[
            TablePart(source="hats", columns=COLUMNS, filters=["state"], opens="hat", actions=ACTIONS),
            TablePart(
                source="days",
                title="By day",
                chart=True,
                columns=[Column(field="at", label="Day"), Column(field="worn", label="Worn")],
            ),
        ],
    ),
    ConsolePage(
        name="hat",
        title="One hat",
        parts=[
            TablePart(source="hats/:id", columns=COLUMNS),
            FormPart(target="hats/:id/picture", method="PUT", submit="Send a picture", done="Painted."),
        ],
    ),
]


async def test_a_page_opens_one_thing_and_offers_what_can_be_done(open_hall, make_plugin, open_page):
    wardrobe = Wardrobe()
    plugin = make_plugin("hats", requires=["notes"], routes=wardrobe.routes(), console_pages=PAGES)
    async with visiting(open_hall(plugin), open_page) as (hall, visitor):
        page = await visitor.open(hall.acme.owner, "/x/hats/hats")
        table = page.get_by_role("table", name="Hats")
        await table.get_by_text("Bowler").wait_for()
        await page.get_by_role("img", name="By day").wait_for()
        assert await serious_violations_in_both_modes(page) == []

        await page.get_by_role("button", name="Wear: Bowler").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Times").fill("2")
        await dialog.get_by_role("button", name="Wear").click()
        await page.get_by_text("Worn.", exact=True).wait_for()
        await expect(table.get_by_role("row", name="Bowler")).to_contain_text("3")

        await page.get_by_role("button", name="State").click()
        await page.get_by_role("option", name="worn").click()
        await expect(table.get_by_text("Fez")).to_have_count(0)
        assert "state=worn" in page.url
        await table.get_by_role("link", name="Bowler").click()
        await page.get_by_role("heading", name="One hat", level=1).wait_for()
        assert page.url.endswith("/x/hats/hat/bowler")
        await page.get_by_role("definition").filter(has_text="Bowler").wait_for()
        async with page.expect_file_chooser() as chooser:
            await page.get_by_role("button", name="Send a picture").click()
        await (await chooser.value).set_files(
            {"name": "hat.txt", "mimeType": "text/plain", "buffer": b"a hat"}
        )
        await page.get_by_text("Painted.").wait_for()
        assert wardrobe.pictures == {"bowler": b"a hat"}

        await page.goto(hall.base_url + "/x/hats/hats")
        async with page.expect_download() as download:
            await page.get_by_role("button", name="Picture: Bowler").click()
        assert (await download.value).suggested_filename == "hat.txt"
        await page.get_by_role("button", name="Discard: Fez").click()
        await page.get_by_role("dialog").get_by_role("button", name="Discard").click()
        await page.get_by_text("Gone.").wait_for()
        await expect(table.get_by_text("Fez")).to_have_count(0)
        await settled(page)
