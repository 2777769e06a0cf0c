"""Who signed up, as the team that published reads them, exports them, decides about them and erases them."""

import csv
import io
import json

import pytest

from builtin_plugins.beta.prospects import service
from builtin_plugins.retention.sweeper import RetentionSweeper
from guildhall_testing.heartbeat import quietest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PATH = "/api/beta/prospects"


@pytest.mark.every_database
async def test_prospects_are_listed_newest_first_by_page_status_and_words(visitors):
    for number in range(5):
        await visitors.sign_up(fields={"email": f"guest{number}@example.com", "why": f"100% Grüße_{number}"})
    admin = visitors.company.admin
    first = (await admin.get(f"{PATH}?limit=2")).json()
    assert [one["fields"]["email"][:6] for one in first["items"]] == ["guest4", "guest3"]
    rest = (await admin.get(f"{PATH}?limit=50&cursor={first['next_cursor']}")).json()
    assert [one["fields"]["email"][:6] for one in rest["items"]] == ["guest2", "guest1", "guest0"]
    assert rest["next_cursor"] is None
    await admin.post(f"{PATH}/{first['items'][0]['id']}/decide", {"decision": "accept"})

    async def found(**query):
        answer = await admin.get(PATH, params=query)
        assert answer.status_code == 200
        return [one["fields"]["email"][5] for one in answer.json()["items"]]

    assert await found(status="accepted") == ["4"]
    assert await found(status="captured") == ["3", "2", "1", "0"]
    assert await found(q="GUEST3@") == ["3"]
    assert await found(q="GRÜSSE_2") == ["2"]
    assert await found(q="100%", status="accepted") == ["4"]
    assert await found(q="1_0") == []
    assert await found(q="%%") == []
    for wrong in ("?status=maybe", "?limit=0", "?cursor=!", "?format=xml"):
        assert (await admin.get(PATH + wrong)).status_code == 400


async def test_a_decision_is_made_changed_and_audited_once_each(visitors):
    await visitors.sign_up()
    [prospect] = await visitors.prospects()
    path = f"{PATH}/{prospect['id']}/decide"
    admin, owner = visitors.company.admin, visitors.company.owner
    accepted = (await admin.post(path, {"decision": "accept", "note": "Bakes"})).json()
    assert (accepted["status"], accepted["decided_by"]) == ("accepted", admin.user_id)
    again = await owner.post(path, {"decision": "accept"})
    assert (again.status_code, again.json()) == (200, accepted)
    declined = (await owner.post(path, {"decision": "decline"})).json()
    assert (declined["status"], declined["decided_by"], declined["note"]) == (
        "declined",
        owner.user_id,
        "Bakes",
    )
    for wrong in (
        {},
        {"decision": "maybe"},
        {"decision": "accept", "note": 7},
        {"decision": "accept", "by": 1},
    ):
        assert (await admin.post(path, wrong)).status_code == 400
    trail = (await owner.get("/api/audit")).json()["items"]
    actions = [event["action"] for event in trail if event["target"]["type"] == "prospect"]
    assert actions == ["prospect.declined", "prospect.accepted"]


async def test_erasing_removes_all_that_is_known(visitors):
    await visitors.sign_up()
    [prospect] = await visitors.prospects()
    path = f"{PATH}/{prospect['id']}"
    assert (await visitors.company.admin.delete(path)).status_code == 204
    assert (await visitors.company.admin.delete(path)).status_code == 404
    assert (await visitors.company.admin.post(f"{path}/decide", {"decision": "accept"})).status_code == 404
    assert await visitors.prospects() == []
    assert (await visitors.sign_up()).status_code == 201
    [anew] = await visitors.prospects()
    assert (anew["signals"]["repeats"], anew["id"] != prospect["id"]) == (0, True)


@pytest.mark.parametrize(("days", "left"), [("30", 0), ("0", 1)])
async def test_retention_erases_after_the_days_that_the_operator_sets(open_hall, visit, days, left, caplog):
    async with open_hall(SERVICE_BETA_RETENTION_DAYS=days) as hall:
        visitors = await visit(hall)
        await visitors.sign_up()
        for _ in range(29):
            assert await RetentionSweeper(hall.server.host).sweep() == 0
            hall.clock.advance(days=1)
        hall.clock.advance(days=2)
        assert await RetentionSweeper(hall.server.host).sweep() == 1 - left
        assert len(await visitors.prospects()) == left
    told = [record.fields for record in caplog.records if record.msg == "retention.thrown_away"]
    assert [(fields["name"], fields["rows"]) for fields in told] == [("prospects", 1)] * (1 - left)


async def test_prospects_belong_to_the_team_that_published(visitors, visit, publish):
    await visitors.sign_up("first@example.com")
    await publish(visitors.company.second_team.admin)
    await visitors.sign_up("second@example.com")
    elsewhere = await visit(visitors.hall, visitors.hall.globex)
    await elsewhere.sign_up("third@example.com")
    second = visitors.company.second_team
    of_second = await visitors.prospects(by=second.admin)
    assert [one["fields"]["email"] for one in of_second] == ["second@example.com"]
    [first] = await visitors.prospects()
    assert first["fields"] == {"email": "first@example.com"}
    assert [one["fields"]["email"] for one in await elsewhere.prospects()] == ["third@example.com"]
    path = f"{PATH}/{first['id']}"
    for stranger in (second.admin, elsewhere.company.admin):
        assert (await stranger.delete(path)).status_code == 404
        assert (await stranger.post(f"{path}/decide", {"decision": "accept"})).status_code == 404
    assert len(await visitors.prospects()) == 1


async def test_reading_and_deciding_want_settings_manage(visitors):
    await visitors.sign_up()
    [prospect] = await visitors.prospects()
    path, hall = f"{PATH}/{prospect['id']}", visitors.hall
    scoped = await hall.with_token(visitors.company.admin, scope=["notes:read"])
    allowed = await hall.with_token(visitors.company.admin, scope=["settings:manage"])
    for lacking in (visitors.company.member, scoped):
        answers = [
            await lacking.get(PATH),
            await lacking.get(f"{PATH}?format=csv"),
            await lacking.post(f"{path}/decide", {"decision": "accept"}),
            await lacking.delete(path),
        ]
        assert {answer.status_code for answer in answers} == {403}
        assert {answer.json()["permission"] for answer in answers} == {"settings:manage"}
    assert (await allowed.post(f"{path}/decide", {"decision": "accept"})).status_code == 200


async def test_a_table_takes_nothing_for_a_formula(visitors, publish, form):
    fields = {"email": "ann@example.com", "why": '=HYPERLINK("http://evil.example")', "terms": True}
    await visitors.sign_up(fields=fields)
    await visitors.sign_up(fields={"email": "+bob@example.com", "why": 'Says "hi",\nand leaves'})
    await publish(visitors.company.admin, fields=[form["fields"][0], form["fields"][4]])
    admin = visitors.company.admin
    answer = await admin.get(PATH, headers={"Accept": "text/csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="prospects.csv"'
    bob, ann = csv.DictReader(io.StringIO(answer.text, newline=""))
    assert (bob["fields.email"], bob["fields.terms"]) == ("'+bob@example.com", "")
    assert bob["other_fields"] == '{"why": "Says \\"hi\\",\\nand leaves"}'
    assert (ann["fields.email"], ann["fields.terms"]) == ("ann@example.com", "true")
    await publish(admin)
    bob, ann = csv.DictReader(io.StringIO((await admin.get(f"{PATH}?format=csv")).text, newline=""))
    assert ann["fields.why"] == '\'=HYPERLINK("http://evil.example")'
    assert bob["fields.why"] == 'Says "hi",\nand leaves'
    assert (await admin.get(f"{PATH}?format=csv&q=bob")).text.count("\r\n") == 2


@pytest.mark.every_database
async def test_a_table_has_everybody_however_many(visitors, monkeypatch):
    monkeypatch.setattr(service, "_ROWS", 3)
    for number in range(10):
        await visitors.sign_up(f"guest{number}@example.com")
    text = (await visitors.company.admin.get(f"{PATH}?format=csv&limit=2")).text
    emails = [row["fields.email"] for row in csv.DictReader(io.StringIO(text))]
    assert emails == [f"guest{number}@example.com" for number in reversed(range(10))]


async def test_a_table_of_long_answers_keeps_nobody_waiting(hall, monkeypatch):
    """Each sign-up as long as one may be."""
    answers = {"email": "a@example.com", **{f"answer_{number}": "é wörd " * 250 for number in range(28)}}
    known = {
        "fields": json.dumps(answers),
        "signals": "{}",
        "verdict": None,
        "judge_problem": None,
        "note": None,
    }
    row = {**known, "locale": "en", "honeypot": 0, "repeats": 0, "status": "captured", "created_at": 0}
    rows = [{**row, "id": f"prs_{number}", "decided_by": None, "decided_at": None} for number in range(100)]

    async def page(selection, reader, before, limit):
        return rows if before is None else []

    monkeypatch.setattr(service.Selection, "page", page)
    answer, held_ms = await quietest(lambda: hall.acme.admin.get(f"{PATH}?format=csv"), 50)
    assert answer.status_code == 200 and len(answer.text) > 4_000_000
    assert held_ms < 50
