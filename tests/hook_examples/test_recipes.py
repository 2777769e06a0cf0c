"""The plugins of docs/plugins/recipes.md, as they stand there."""

import csv
import io
import re

import pytest

from builtin_plugins.authoring.scaffold_files import Answers, files_of
from tests import documented

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
