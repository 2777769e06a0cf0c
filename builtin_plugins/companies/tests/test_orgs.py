"""Companies as the instance's operators make and change them."""

import asyncio

import pytest

from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.dimensions import Dimension

pytestmark = pytest.mark.any_database


def code(response):
    return response.status_code, response.json().get("code")


def places(response):
    return [error["pointer"] for error in response.json()["errors"]]


async def test_a_company_begins_with_a_team_and_an_owner(hall):
    body = {
        "name": "Analytical Engines",
        "slug": "engines",
        "plan": "free",
        "domain": "Team.Engines.Example",
        "team": "Mill",
        "owner": {"username": "ada", "password": "correct horse battery", "display_name": "Ada L."},
    }
    response = await hall.operator.post("/api/orgs", body)
    assert response.status_code == 201
    answer = response.json()
    org = answer["org"]
    assert response.headers["location"] == f"/api/orgs/{org['id']}"
    assert (org["slug"], org["name"], org["plan"]) == ("engines", "Analytical Engines", "free")
    assert (org["domain"], org["suspended"], org["suspended_at"]) == ("team.engines.example", False, None)
    assert answer["token"].startswith("ghs_")
    who = (await hall.bearer(answer["token"]).get("/api/whoami")).json()
    assert who["user"] == {key: answer["owner"][key] for key in who["user"]}
    assert (who["team"]["name"], who["team"]["role"], who["org_role"]) == ("Mill", "owner", "org_owner")
    assert (who["operator"], who["org"]["id"]) == (False, org["id"])
    login = await hall.anonymous.post("/api/login", {"username": "ADA", "password": "correct horse battery"})
    assert login.status_code == 200


async def test_without_more_than_a_name_it_gets_the_defaults(hall, found):
    answer, owner = await found("Umbrella & Söhne")
    assert (answer["org"]["slug"], answer["org"]["plan"], answer["org"]["domain"]) == (
        "umbrella-sohne",
        "team",
        None,
    )
    assert answer["team"]["name"] == "General"
    hall.clock.advance(days=6, hours=23)
    assert (await owner.get("/api/whoami")).status_code == 200
    hall.clock.advance(hours=1)
    assert (await owner.get("/api/whoami")).status_code == 401


async def test_a_given_slug_is_a_natural_key_and_a_derived_one_is_made_unique(hall, found):
    body = {"name": "Umbrella", "slug": "umbrella", "owner": {"username": "wesker"}}
    assert (await hall.operator.post("/api/orgs", body)).status_code == 201
    assert code(await hall.operator.post("/api/orgs", body)) == (409, "slug_taken")
    second, _ = await found("Umbrella", owner={"username": "birkin"})
    assert second["org"]["slug"] == "umbrella-2"


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"name": "  "}, "/name"),
        ({"name": "two\nlines"}, "/name"),
        ({"slug": "Umbrella"}, "/slug"),
        ({"slug": "umbrella\n"}, "/slug"),
        ({"slug": "-umbrella"}, "/slug"),
        ({"slug": "um"}, "/slug"),
        ({"slug": "org_0"}, "/slug"),
        ({"plan": "gold"}, "/plan"),
        ({"domain": "umbrella..example"}, "/domain"),
        ({"domain": "umbrella.example:8080"}, "/domain"),
        ({"domain": "http://umbrella.example"}, "/domain"),
        ({"domain": "192.0.2.1"}, "/domain"),
        ({"domain": "straße.example"}, "/domain"),
        ({"domain": None}, "/domain"),
        ({"team": "\u202eevil"}, "/team"),
        ({"owner": {"username": " wesker"}}, "/owner/username"),
        ({"owner": {"username": "wesker", "display_name": " "}}, "/owner/display_name"),
        ({"owner": {"username": "wesker", "password": "short"}}, "/owner/password"),
        ({"owner": {"username": "wesker", "password": "wesker-wesker"}}, "/owner/password"),
        ({"owner": {"username": "wesker", "operator": True}}, "/owner/operator"),
        ({"owner": {}}, "/owner/username"),
    ],
)
async def test_what_is_malformed_is_named_and_makes_nothing(module_hall, wrong, place):
    before = (await module_hall.operator.get("/api/orgs")).json()["items"]
    body = {"name": "Umbrella", "owner": {"username": "wesker"}, **wrong}
    refused = await module_hall.operator.post("/api/orgs", body)
    assert code(refused) == (400, "invalid_request")
    assert places(refused) == [place]
    assert (await module_hall.operator.get("/api/orgs")).json()["items"] == before


async def test_a_taken_username_or_hostname_makes_nothing(hall, found):
    await found("First", domain="first.example")
    for taken, expected in (
        ({"owner": {"username": "OWNER-OF-FIRST"}}, "username_taken"),
        ({"owner": {"username": "second"}, "domain": "FIRST.example"}, "domain_taken"),
    ):
        refused = await hall.operator.post("/api/orgs", {"name": "Second", "slug": "second", **taken})
        assert code(refused) == (409, expected)
        assert code(await hall.operator.get("/api/orgs/second")) == (404, "not_found")
    await found("Second", slug="second", domain="second.example")


@pytest.mark.every_database
async def test_of_32_companies_of_one_slug_one_is_made(hall):
    bodies = [{"name": "Race", "slug": "race", "owner": {"username": f"racer-{n}"}} for n in range(32)]
    answers = await asyncio.gather(*(hall.operator.post("/api/orgs", body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 31
    assert {answer.json().get("code") for answer in answers} == {None, "slug_taken"}


@pytest.mark.every_database
async def test_of_16_companies_of_one_name_each_gets_a_slug_of_its_own(hall):
    bodies = [{"name": "Race", "owner": {"username": f"racer-{n}"}} for n in range(16)]
    answers = await asyncio.gather(*(hall.operator.post("/api/orgs", body) for body in bodies))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["org"]["slug"] for answer in answers}) == 16


@pytest.mark.every_database
async def test_the_list_pages_through_every_company(hall, found):
    for number in range(3):
        await found(f"Number {number}")
    seen, cursor = [], None
    while True:
        params = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = (await hall.operator.get("/api/orgs", params=params)).json()
        seen += [org["name"] for org in page["items"]]
        assert len(page["items"]) <= 2
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == ["House", "Acme", "Globex", "Number 0", "Number 1", "Number 2"]


async def test_a_company_is_found_by_id_and_by_slug_with_teams_and_quotas(hall, found):
    answer, _ = await found("Umbrella", plan="free")
    by_id = (await hall.operator.get(f"/api/orgs/{answer['org']['id']}")).json()
    by_slug = (await hall.operator.get("/api/orgs/umbrella")).json()
    assert by_id == by_slug
    assert [team["name"] for team in by_id["teams"]] == ["General"]
    limits = {row["dimension"]: row["limit"] for row in by_id["quotas"]}
    assert (limits["jobs.concurrency"], limits["storage.bytes"]) == (2, 1024**3)
    assert {row["level"] for row in by_id["quotas"]} == {"org"}
    for nothing in ("org_0000", "nothing", answer["team"]["id"]):
        assert code(await hall.operator.get(f"/api/orgs/{nothing}")) == (404, "not_found")


async def test_a_change_touches_what_it_names_alone(hall, found):
    answer, _ = await found("Umbrella", domain="umbrella.example")
    path = f"/api/orgs/{answer['org']['id']}"
    renamed = (await hall.operator.patch(path, {"name": "Parasol"})).json()
    assert renamed == {**answer["org"], "name": "Parasol"}
    moved = (await hall.operator.patch(path, {"domain": "Parasol.Example."})).json()
    assert moved == {**renamed, "domain": "parasol.example"}
    assert (await hall.operator.patch(path, {"domain": "parasol.example"})).json() == moved
    cleared = (await hall.operator.patch(path, {"domain": None})).json()
    assert cleared == {**renamed, "domain": None}
    assert (await hall.operator.patch(path, {})).json() == cleared


async def test_a_refused_change_changes_nothing(hall, found):
    answer, _ = await found("Umbrella", domain="umbrella.example")
    await found("Other", domain="other.example")
    path = f"/api/orgs/{answer['org']['id']}"
    for body, expected in (
        ({"name": "Parasol", "plan": "gold"}, (400, "invalid_request")),
        ({"name": "Parasol", "domain": "a b"}, (400, "invalid_request")),
        ({"name": "Parasol", "domain": "OTHER.example"}, (409, "domain_taken")),
        ({"name": "Parasol", "slug": "parasol"}, (400, "invalid_request")),
        ({"name": "Parasol", "suspended": False}, (400, "invalid_request")),
    ):
        assert code(await hall.operator.patch(path, body)) == expected
    whole = (await hall.operator.get(path)).json()
    assert {key: whole[key] for key in answer["org"]} == answer["org"]


class Toy:
    """A plugin with a dimension that no plan speaks of."""

    PLUGIN = Plugin("toy", "Toy", "0.1.0", "Counts toys.")

    @hookimpl
    def declare_dimensions(self):
        return [Dimension("toy.turns", "Turns", "rate")]


async def test_a_plan_puts_its_caps_anew_and_leaves_other_limits(open_companies):
    async with open_companies(Toy()) as hall:
        path = f"/api/orgs/{hall.acme.org_id}"
        for limit in (
            {"dimension": "jobs.concurrency", "limit": 7, "window": "none"},
            {"dimension": "toy.turns", "limit": 3, "window": "minute"},
        ):
            assert (await hall.operator.post(f"{path}/quota", limit)).status_code == 200

        async def limits():
            rows = (await hall.operator.get(path)).json()["quotas"]
            return {row["dimension"]: row["limit"] for row in rows if not row["dimension"].startswith("ai.")}

        assert await limits() == {"jobs.concurrency": 7, "toy.turns": 3, "storage.bytes": None}
        for plan, jobs, storage in (
            ("free", 2, 1024**3),
            ("enterprise", 32, None),
            ("team", 8, 100 * 1024**3),
        ):
            assert (await hall.operator.patch(path, {"plan": plan})).json()["plan"] == plan
            assert await limits() == {"jobs.concurrency": jobs, "toy.turns": 3, "storage.bytes": storage}
        lower = {"dimension": "jobs.concurrency", "limit": 1, "window": "none"}
        await hall.operator.post(f"{path}/quota", lower)
        await hall.operator.patch(path, {"plan": "team"})
        assert (await limits())["jobs.concurrency"] == 8


async def test_a_quota_of_a_company_answers_its_usage_row(hall, found):
    answer, owner = await found("Umbrella")
    path = f"/api/orgs/{answer['org']['slug']}/quota"
    limit = {"dimension": "storage.bytes", "limit": 9, "window": "none"}
    row = (await hall.operator.post(path, limit)).json()
    assert (row["level"], row["used"], row["limit"], row["remaining"]) == ("org", 0, 9, 9)
    assert row in (await owner.get("/api/org")).json()["quotas"]
    lifted = await hall.operator.post(path, {**limit, "limit": None})
    assert lifted.json()["limit"] is None
    for wrong, place in (
        ({"dimension": "no.such"}, "/dimension"),
        ({"window": "day"}, "/window"),
        ({"window": "week"}, "/window"),
        ({"limit": -1}, "/limit"),
        ({"limit": True}, "/limit"),
    ):
        refused = await hall.operator.post(path, {**limit, **wrong})
        assert (code(refused), places(refused)) == ((400, "invalid_request"), [place])
    assert code(await hall.operator.post("/api/orgs/nothing/quota", limit)) == (404, "not_found")


@pytest.mark.every_database
async def test_of_32_who_want_a_hostname_one_gets_it(hall, found):
    companies = [(await found(f"Company {number}"))[0]["org"]["id"] for number in range(8)]
    wanted = {"domain": "the-one.example"}
    answers = await asyncio.gather(
        *(hall.operator.patch(f"/api/orgs/{companies[n % 8]}", wanted) for n in range(32))
    )
    holders = {companies[n % 8] for n, answer in enumerate(answers) if answer.status_code == 200}
    assert len(holders) == 1
    refused = [answer for answer in answers if answer.status_code != 200]
    assert {code(answer) for answer in refused} == {(409, "domain_taken")}
    shown = (await hall.operator.get("/api/orgs", params={"limit": 200})).json()["items"]
    assert [org["id"] for org in shown if org["domain"]] == list(holders)


async def test_what_the_operator_did_stands_in_the_companys_own_trail(hall, found, actions_of):
    answer, owner = await found("Umbrella")
    path = f"/api/orgs/{answer['org']['id']}"
    for body in ({"name": "Parasol"}, {"plan": "free"}, {"domain": "parasol.example"}, {"name": "Parasol"}):
        await hall.operator.patch(path, body)
    await hall.operator.post(f"{path}/quota", {"dimension": "storage.bytes", "limit": 9, "window": "none"})
    for action in ("suspend", "suspend", "resume", "resume"):
        await hall.operator.post(f"{path}/{action}")
    assert await actions_of(owner) == [
        "org.resumed",
        "org.suspended",
        "quota.changed",
        "org.domain_changed",
        "org.plan_changed",
        "org.renamed",
        "org.created",
    ]
    events = (await owner.get("/api/org/audit")).json()["items"]
    assert {event["actor"]["name"] for event in events} == {"operator"}
    assert events[5]["detail"] == {"from": "Umbrella", "to": "Parasol"}
    assert await actions_of(hall.operator) == []


async def test_nobody_but_an_operator_reaches_the_plane(hall):
    path = f"/api/orgs/{hall.globex.org_id}"
    for client in (hall.acme.org_owner, hall.globex.org_owner):
        for method, where, body in (
            ("GET", "/api/orgs", None),
            ("GET", path, None),
            ("POST", "/api/orgs", {"name": "Mine", "owner": {"username": "me"}}),
            ("PATCH", path, {"name": "Mine"}),
            ("POST", f"{path}/suspend", None),
            ("POST", f"{path}/quota", {"dimension": "ai.requests", "limit": None, "window": "day"}),
            ("POST", "/api/admin/seed-tenants", None),
        ):
            refused = await client.request(method, where, body)
            assert code(refused) == (403, "permission_denied")
    whole = (await hall.operator.get(path)).json()
    assert (whole["name"], whole["suspended"]) == ("Globex", False)


async def test_on_a_single_company_instance_the_plane_is_not_there(open_companies):
    async with open_companies(SERVICE_MULTITENANT="off") as hall:
        assert code(await hall.operator.get("/api/orgs")) == (404, "not_found")
        assert (await hall.operator.get("/api/org")).status_code == 200


async def test_a_replay_does_not_give_the_token_again(hall):
    body = {"name": "Umbrella", "owner": {"username": "wesker"}}
    headers = {"Idempotency-Key": "once"}
    first = await hall.operator.post("/api/orgs", body, headers=headers)
    again = await hall.operator.post("/api/orgs", body, headers=headers)
    assert code(again) == (409, "already_issued")
    assert again.json()["id"] == first.json()["org"]["id"]
