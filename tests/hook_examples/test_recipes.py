"""The plugins of docs/plugins/recipes.md, as they stand there."""

import csv
import io
import re

import pytest

from builtin_plugins.authoring.scaffold_files import Answers, files_of
from guildhall_sdk.services.jobs import PeriodicJobs
from tests import documented
from tests.told_server import ToldServer

PAGE = "docs/plugins/recipes.md"


@pytest.fixture
async def recipe(open_hall, tmp_path):
    """`recipe("ledger")`: opens a hall with that plugin of the page."""

    def opened(name):
        documented.files_of(PAGE, name, tmp_path)
        return open_hall(SERVICE_PLUGINS=str(tmp_path))

    return opened


async def test_an_upload_is_stored_for_the_team_and_what_is_no_pdf_leaves_nothing(recipe):
    async with recipe("receipts") as hall:
        member = hall.acme.member

        async def send(content, name="tar.pdf", who=member):
            return await who.request("PUT", f"/api/x/receipts/receipts/{name}", content=content)

        stored = await send(b"%PDF-1.7 a receipt")
        assert (stored.status_code, stored.json()["key"]) == (201, "receipts/tar.pdf")
        read = await member.get(f"{stored.headers['Location']}/content")
        assert (read.content, read.headers["Content-Type"]) == (b"%PDF-1.7 a receipt", "application/pdf")
        for content in (b"<script>", b""):
            refused = await send(content, "other.pdf")
            assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
        assert (await send(b"%PDF-", who=hall.acme.viewer)).status_code == 403
        assert (await hall.globex.owner.get(stored.headers["Location"])).status_code == 404
        kept = (await member.get("/api/repo?prefix=receipts/")).json()["items"]
        assert [item["key"] for item in kept] == ["receipts/tar.pdf"]


@pytest.mark.short_on("sqlite")
async def test_a_table_goes_out_as_csv_page_by_page_and_without_formulas(recipe):
    async with recipe("ledger") as hall:
        member = hall.acme.member
        labels = ["=1+1", 'Tar, "best"', *(f"Rope {number}" for number in range(110))]
        for cents, label in enumerate(labels):
            made = await member.post("/api/x/ledger/entries", {"label": label, "cents": cents - 1})
            assert made.status_code == 201, made.text
        await hall.globex.member.post("/api/x/ledger/entries", {"label": "Theirs", "cents": 1})
        answer = await hall.acme.viewer.get("/api/x/ledger/entries.csv")
        assert answer.headers["Content-Disposition"] == 'attachment; filename="ledger.csv"'
        head, *rows = csv.reader(io.StringIO(answer.text, newline=""))
        assert head == ["id", "label", "cents"]
        assert [row[1] for row in rows] == ["'=1+1", *labels[1:]]
        assert [row[2] for row in rows[:2]] == ["-1", "0"]


async def test_a_kind_of_step_waits_until_its_plugin_says_so(recipe):
    """What `declare_step_kinds` brings is there beside the server's own kinds."""
    async with recipe("signals") as hall:
        step = {"name": "ask", "kind": "signals_send", "buoy": {"$from": "input.buoy"}}
        spec = {"slug": "buoys", "inputs": {"buoy": {"type": "string"}}, "start": "ask", "steps": [step]}
        assert (await hall.acme.owner.post("/api/workflows", spec)).status_code == 201
        kinds = (await hall.anonymous.get("/api/workflows/schema")).json()["step_kinds"]
        assert kinds[-1] == {
            "kind": "signals_send",
            "doc": "Signals a buoy and waits for its answer.",
            "output": "result",
        }

        async def read(run):
            await hall.drain_jobs()
            return (await hall.acme.member.get(f"/api/runs/{run['id']}")).json()

        async def started(buoy):
            body = {"input": {"buoy": buoy}}
            return await read((await hall.acme.member.post("/api/workflows/buoys/run", body)).json())

        north, south = await started("north"), await started("south")
        assert [run["steps"][0]["state"] for run in (north, south)] == ["waiting", "waiting"]
        said = {"buoy": "north", "light": "red"}
        theirs = await hall.globex.member.post("/api/x/signals/answers", said)
        assert theirs.json() == {"heard": False}
        heard = await hall.acme.member.post("/api/x/signals/answers", said)
        assert heard.json() == {"heard": True}
        ended = await read(north)
        assert (ended["state"], ended["output"]) == ("succeeded", {"result": {"light": "red"}})
        assert (await read(south))["state"] == "running"
        refused = await hall.acme.owner.post("/api/workflows", {**spec, "steps": [{**step, "buoy": ""}]})
        assert refused.json()["errors"] == [{"pointer": "/steps/0/buoy", "message": "must name a buoy"}]


@pytest.mark.any_database
async def test_a_letter_goes_to_another_server_with_the_teams_key(open_hall, tmp_path):
    documented.files_of(PAGE, "courier", tmp_path)
    server = ToldServer()
    await server.start()
    async with open_hall(SERVICE_PLUGINS=str(tmp_path), SERVICE_ORG_PRIVATE_ENDPOINTS="on") as hall:
        letter = {"to": f"{server.url}/in", "text": "Tar is here."}
        member = hall.acme.member
        without = await member.post("/api/x/courier/letters", letter)
        assert (without.status_code, without.json()["code"]) == (400, "secret_missing")
        await hall.acme.admin.put("/api/team-secrets/courier-key", {"value": "sk-of-the-team"})
        assert (await member.post("/api/x/courier/letters", letter)).json() == {"status": 200}
        (_, headers, body), *_ = server.requests
        assert (headers["authorization"], body) == ("Bearer sk-of-the-team", b'{"text": "Tar is here."}')
        refused = await member.post("/api/x/courier/letters", {**letter, "to": "ftp://example.com/"})
        assert (refused.status_code, refused.json()["code"]) == (400, "endpoint_refused")
    await server.stop()
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall:
        inward = await hall.acme.member.post("/api/x/courier/letters", letter)
        assert (inward.status_code, inward.json()["code"]) == (400, "endpoint_refused")


@pytest.mark.short_on("sqlite")
async def test_a_gauge_is_read_each_hour_once_for_each_team(recipe):
    async with recipe("gauges") as hall:
        periodic = hall.server.service(PeriodicJobs)

        async def readings(company):
            return (await company.viewer.get("/api/x/gauges/readings")).json()["people"]

        await periodic.enqueue_due()
        await hall.drain_jobs()
        assert await readings(hall.acme) == []
        hall.clock.advance(hours=1)
        for _ in range(2):
            await periodic.enqueue_due()
            await hall.drain_jobs()
        assert len(await readings(hall.acme)) == len(await readings(hall.globex)) == 1


@pytest.mark.any_database
async def test_an_application_answers_everybody_below_its_prefix(recipe):
    async with recipe("buoys") as hall:
        answer = await hall.anonymous.get("/buoys/north")
        assert (answer.status_code, answer.text.endswith(": /buoys/north\n")) == (200, True)


@pytest.mark.any_database
def test_the_files_that_a_screen_is_changed_in_are_those_that_the_command_writes():
    shown = re.findall(r"^\| `((?:src|screens)/\S+)` \|", (documented.ROOT / PAGE).read_text("utf-8"), re.M)
    written = files_of(Answers.given("harbour-log", ("table", "screen")))
    assert len(shown) == 3 and set(shown) <= written.keys()


async def test_a_preference_has_rows_and_what_a_form_needs_by_its_declaration(recipe):
    async with recipe("tides") as hall:
        admin, path = hall.acme.admin, "/api/preferences/tides/warning"
        (listed,) = [
            one for one in (await admin.get("/api/preferences")).json()["items"] if one["plugin"] == "tides"
        ]
        assert (listed["title"], listed["value"], listed["may_write"]) == (
            "Low water",
            listed["default"],
            True,
        )
        changed = await admin.put(path, {"on": True, "centimetres": 60}, headers={"If-Match": '"0"'})
        assert (changed.status_code, changed.json()["version"]) == (200, 1)
        levels = [await hall.acme.viewer.get(f"/api/x/tides/warns?level={level}") for level in (50, 70)]
        assert [answer.json()["warns"] for answer in levels] == [True, False]
        assert (await hall.globex.admin.get("/api/x/tides/warns?level=50")).json() == {"warns": False}


async def test_who_is_thanked_is_told_in_their_inbox(recipe):
    async with recipe("thanks") as hall:
        body = {"user_id": hall.acme.viewer.user_id, "for": "the lighthouse"}
        answer = await hall.acme.member.post("/api/x/thanks/thank", body)
        assert answer.status_code == 204, answer.text
        (item,) = (await hall.acme.viewer.get("/api/notifications")).json()["items"]
        assert item["text"].endswith(" thanks you for the lighthouse.")
        await hall.globex.member.post("/api/x/thanks/thank", body)
        assert (await hall.acme.viewer.get("/api/notifications")).json()["unread"] == 1
