"""The demo companies."""

import asyncio

import pytest

pytestmark = pytest.mark.any_database

SEED = "/api/admin/seed-tenants"


def code(response):
    return response.status_code, response.json().get("code")


@pytest.fixture
async def demo(open_companies):
    async with open_companies(SERVICE_DEMO="on") as hall:
        yield hall


async def companies(hall):
    items = (await hall.operator.get("/api/orgs", params={"limit": 200})).json()["items"]
    return sorted(org["slug"] for org in items if org["slug"].startswith("demo-"))


async def signed_in(hall, person):
    body = {"username": person["username"], "password": person["password"]}
    response = await hall.anonymous.post("/api/login", body)
    assert response.status_code == 200, response.text
    return hall.bearer(response.json()["token"])


async def test_they_are_off_unless_the_operator_turns_them_on(hall):
    assert (await hall.operator.get(SEED)).json() == {"enabled": False}
    assert code(await hall.operator.post(SEED)) == (403, "demo_disabled")
    assert await companies(hall) == []


async def test_two_companies_with_people_notes_and_passwords_that_work(demo):
    assert (await demo.operator.get(SEED)).json() == {"enabled": True}
    items = (await demo.operator.post(SEED)).json()["items"]
    assert (
        await companies(demo) == [item["org"]["slug"] for item in items] == ["demo-bakery", "demo-robotics"]
    )
    for item in items:
        assert len(item["people"]) == 3
        for person in item["people"]:
            client = await signed_in(demo, person)
            who = (await client.get("/api/whoami")).json()
            assert (who["org"]["id"], who["team"]["role"]) == (item["org"]["id"], person["role"])
            assert (who["org_role"], who["operator"]) == (person["org_role"], False)
            assert len((await client.get("/api/notes")).json()["items"]) >= 3


async def test_a_second_time_adds_nothing(demo):
    first = (await demo.operator.post(SEED)).json()
    owner = await signed_in(demo, first["items"][0]["people"][0])
    notes = (await owner.get("/api/notes")).json()["items"]
    assert (await demo.operator.post(SEED)).json() == first
    assert (await owner.get("/api/notes")).json()["items"] == notes


@pytest.mark.every_database
async def test_two_at_once_make_them_once(demo):
    answers = await asyncio.gather(*(demo.operator.post(SEED) for _ in range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert await companies(demo) == ["demo-bakery", "demo-robotics"]


async def test_a_company_that_has_their_name_is_left_alone(demo):
    body = {"name": "A real bakery", "slug": "demo-bakery", "owner": {"username": "baker"}}
    assert (await demo.operator.post("/api/orgs", body)).status_code == 201
    assert code(await demo.operator.post(SEED)) == (409, "slug_taken")
    assert (await demo.operator.get("/api/orgs/demo-bakery")).json()["name"] == "A real bakery"
