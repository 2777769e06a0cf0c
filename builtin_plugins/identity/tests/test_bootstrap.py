"""The first run of an instance."""

import asyncio

import pytest

pytestmark = pytest.mark.any_database

ADA = {"username": "Ada", "password": "correct horse battery"}


@pytest.fixture
async def empty(open_hall):
    async with open_hall(populated=False) as hall:
        yield hall


async def test_the_first_run_makes_an_operator_with_company_and_team(empty):
    body = {**ADA, "org": "Analytical Engines", "team": "Mill", "display_name": "Ada L.", "locale": "en-GB"}
    response = await empty.anonymous.post("/api/bootstrap", body)
    assert response.status_code == 201
    answer = response.json()
    assert answer["token"].startswith("ghs_")
    assert answer["user"]["username"] == "Ada"
    assert (answer["org"]["name"], answer["org"]["slug"]) == ("Analytical Engines", "analytical-engines")
    assert answer["team"]["name"] == "Mill"
    who = (await empty.bearer(answer["token"]).get("/api/whoami")).json()
    assert who["operator"] is True
    assert (who["team"]["role"], who["org_role"]) == ("owner", "org_owner")
    assert (who["user"]["display_name"], who["locale"]) == ("Ada L.", "en-GB")
    assert "instance:manage" in who["permissions"]


async def test_the_first_session_lasts_seven_days(empty):
    token = (await empty.anonymous.post("/api/bootstrap", ADA)).json()["token"]
    empty.clock.advance(days=6, hours=23)
    assert (await empty.bearer(token).get("/api/whoami")).status_code == 200
    empty.clock.advance(hours=1)
    assert (await empty.bearer(token).get("/api/whoami")).status_code == 401


async def test_a_second_run_is_refused(empty):
    assert (await empty.anonymous.post("/api/bootstrap", ADA)).status_code == 201
    again = await empty.anonymous.post("/api/bootstrap", {**ADA, "username": "mallory"})
    assert (again.status_code, again.json()["code"]) == (409, "already_bootstrapped")
    login = await empty.anonymous.post("/api/login", {**ADA, "username": "mallory"})
    assert login.status_code == 401


@pytest.mark.every_database
async def test_of_32_at_once_one_succeeds(empty):
    bodies = [{**ADA, "username": f"ada{number}"} for number in range(32)]
    answers = await asyncio.gather(*(empty.anonymous.post("/api/bootstrap", body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 31
    logins = [await empty.anonymous.post("/api/login", body) for body in bodies[:9]]
    won = [answer.status_code == 201 for answer in answers[:9]]
    assert [login.status_code == 200 for login in logins] == won


async def test_a_refused_body_leaves_the_instance_unclaimed(empty):
    for wrong, pointer in (
        ({"username": " ada"}, "/username"),
        ({"username": "ada\n"}, "/username"),
        ({"username": "a\u202eda"}, "/username"),
        ({"password": "short"}, "/password"),
        ({"password": "password1234"}, "/password"),
        ({"org": "  "}, "/org"),
        ({"team": "a\nb"}, "/team"),
        ({"locale": "en_GB"}, "/locale"),
        ({"locale": "en\n"}, "/locale"),
        ({"operator": True}, "/operator"),
    ):
        response = await empty.anonymous.post("/api/bootstrap", {**ADA, **wrong})
        assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
        assert response.json()["errors"][0]["pointer"] == pointer
    assert (await empty.anonymous.post("/api/bootstrap", ADA)).status_code == 201


async def test_a_hosted_instance_is_not_bootstrapped(open_hall):
    async with open_hall(populated=False, SERVICE_PROVISION_TOKEN="a token for the host alone") as hall:
        response = await hall.anonymous.post("/api/bootstrap", ADA)
    assert (response.status_code, response.json()["code"]) == (403, "hosted_mode")


async def test_a_populated_instance_is_not_bootstrapped(hall):
    response = await hall.anonymous.post("/api/bootstrap", ADA)
    assert (response.status_code, response.json()["code"]) == (409, "already_bootstrapped")
