"""Executors over HTTP: who sees which, who makes and retires them, and what is never shown."""

import asyncio

import pytest

from guildhall_sdk.services.models import Executors

pytestmark = pytest.mark.any_database

KEY = "sk-a-key-that-nobody-may-see"
PRIVATE = "http://10.0.0.7:8000/v1"
PUBLIC = "https://8.8.8.8/v1"
ENVIRONMENT = (
    '[{"name": "env-one", "url": "http://10.0.0.9/v1", "model": "m", "key": "sk-of-the-environment"}]'
)


@pytest.fixture
def make():
    """`await make(client, name="gpu")`: by an operator for everybody, unless `at` says otherwise."""

    async def make(client, at="/api/executors", **fields):
        response = await client.post(at, {"name": "gpu", "mode": "pull", **fields})
        assert response.status_code == 201, response.text
        return response.json()

    return make


@pytest.fixture
def listed():
    async def listed(client, query=""):
        response = await client.get(f"/api/executors{query}")
        assert response.status_code == 200, response.text
        return {item["name"]: item for item in response.json()["items"]}

    return listed


async def test_an_executor_that_pulls_is_answered_with_its_token_once(hall, make, listed):
    response = await hall.operator.post(
        "/api/executors", {"name": "gpu", "mode": "pull", "model": "m", "capabilities": ["chat"]}
    )
    made = response.json()
    assert (response.status_code, response.headers["location"]) == (201, f"/api/executors/{made['id']}")
    assert made.pop("worker_token").startswith("ghw_")
    assert made == {
        "id": made["id"],
        "name": "gpu",
        "mode": "pull",
        "model": "m",
        "capabilities": ["chat"],
        "org_id": None,
        "source": "api",
        "health": {"status": "unknown", "checked_at": None, "detail": None},
    }
    assert (await listed(hall.acme.member))["gpu"] == made


async def test_a_replayed_creation_shows_no_token_again(hall):
    body, key = {"name": "gpu", "mode": "pull"}, {"Idempotency-Key": "once"}
    first = await hall.operator.post("/api/executors", body, headers=key)
    again = await hall.operator.post("/api/executors", body, headers=key)
    assert (again.status_code, again.json()["code"]) == (409, "already_issued")
    assert again.json()["id"] == first.json()["id"]


async def test_a_key_is_taken_and_never_shown(hall, make):
    made = await make(hall.operator, mode="push", url=PRIVATE, key=KEY)
    assert made["url"] == PRIVATE
    assert "worker_token" not in made
    assert KEY not in str(made)
    for client in (hall.operator, hall.acme.org_owner):
        assert KEY not in (await client.get("/api/executors")).text
    trail = (await hall.operator.get("/api/audit")).text
    assert "executor.created" in trail
    assert KEY not in trail


async def test_everybody_sees_what_their_company_is_offered(hall, make, listed):
    await make(hall.operator, name="shared")
    await make(hall.operator, name="for-acme", org_id=hall.acme.org_id)
    await make(hall.globex.org_admin, "/api/org/executors", name="of-globex")
    for client in (hall.acme.viewer, hall.acme.second_team.member, hall.acme.org_owner):
        assert list(await listed(client)) == ["local", "for-acme", "shared"]
    assert list(await listed(hall.globex.viewer)) == ["local", "of-globex", "shared"]
    everything = await listed(hall.operator)
    assert list(everything) == ["local", "for-acme", "of-globex", "shared"]
    assert everything["of-globex"]["org_id"] == hall.globex.org_id


async def test_where_an_executor_lives_is_for_who_manages_it(hall, make, listed):
    await make(hall.operator, name="shared", mode="push", url=PRIVATE)
    own = await make(hall.acme.org_admin, "/api/org/executors", name="own", mode="push", url=PUBLIC)
    assert own["url"] == PUBLIC
    shown = {
        client: {name for name, item in (await listed(client)).items() if "url" in item}
        for client in (
            hall.operator,
            hall.acme.org_admin,
            hall.acme.reader,
            hall.acme.owner,
            hall.globex.org_owner,
        )
    }
    assert list(shown.values()) == [{"shared", "own"}, {"own"}, set(), set(), set()]
    narrow = await hall.with_token(hall.operator, scope=["notes:read"])
    assert "own" not in await listed(narrow)


async def test_the_list_has_pages(hall, make, listed):
    for name in ("b", "a", "c c", "c"):
        await make(hall.operator, name=name)
    seen, query = [], "?limit=2"
    while query:
        answer = (await hall.acme.member.get(f"/api/executors{query}")).json()
        seen += [item["name"] for item in answer["items"]]
        cursor = answer["next_cursor"]
        query = f"?limit=2&cursor={cursor}" if cursor else ""
    assert seen == list(await listed(hall.acme.member))
    assert sorted(seen) == ["a", "b", "c", "c c", "local"]


async def test_a_companys_own_is_bound_to_it_and_to_the_public_internet(hall, make, listed):
    operator_there = await hall.join(hall.acme, "owner", org_role="org_owner", operator=True)
    made = await make(hall.acme.org_admin, "/api/org/executors")
    assert made["org_id"] == hall.acme.org_id
    assert made["worker_token"].startswith("ghw_")
    for client in (hall.acme.org_admin, operator_there):
        for url in (
            PRIVATE,
            "http://127.1/v1",
            "http://localhost:11434/v1",
            "not an address",
            "ftp://8.8.8.8/",
            "",
            f"http://models.example.com/{'v' * 2048}",
        ):
            body = {"name": "other", "mode": "push", "url": url}
            refused = await client.post("/api/org/executors", body)
            assert (refused.status_code, refused.json()["code"]) == (400, "endpoint_refused"), url
    body = {"name": "x", "mode": "pull", "org_id": hall.globex.org_id}
    refused = await hall.acme.org_admin.post("/api/org/executors", body)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/org_id")
    assert list(await listed(hall.operator)) == ["local", "gpu"]


async def test_an_operator_may_let_companies_have_private_endpoints(open_hall, make):
    async with open_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on") as hall:
        made = await make(hall.acme.org_admin, "/api/org/executors", mode="push", url=PRIVATE)
        assert made["url"] == PRIVATE


async def test_a_malformed_address_is_refused_for_an_operator_too(hall):
    for url in ("http://127.1/v1", "file:///etc/passwd", "http://user:pw@10.0.0.1/v1", "x"):
        response = await hall.operator.post("/api/executors", {"name": "gpu", "mode": "push", "url": url})
        assert (response.status_code, response.json()["code"]) == (400, "endpoint_refused"), url


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"name": "gpu", "mode": "push"}, "/url"),
        ({"name": "gpu", "mode": "pull", "url": PUBLIC}, "/url"),
        ({"name": "gpu", "mode": "pull", "key": "sk"}, "/key"),
        ({"name": "gpu\n", "mode": "pull"}, "/name"),
        ({"name": "gpu", "mode": "local"}, "/mode"),
        ({"name": "gpu", "mode": "pull", "org_id": "org_nobody"}, "/org_id"),
        ({"name": "gpu", "mode": "pull", "capabilities": ["a b"]}, "/capabilities/0"),
    ],
)
async def test_a_wrong_body_is_named(module_hall, body, pointer):
    response = await module_hall.operator.post("/api/executors", body)
    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]


async def test_a_name_is_taken_only_by_what_the_company_sees(hall, make):
    await make(hall.globex.org_admin, "/api/org/executors", name="secret-project")
    await make(hall.acme.org_admin, "/api/org/executors", name="secret-project")
    for client, at in ((hall.acme.org_admin, "/api/org/executors"), (hall.operator, "/api/executors")):
        for name in ("local", "Secret-Project") if client is hall.acme.org_admin else ("Local",):
            refused = await client.post(at, {"name": name, "mode": "pull"})
            assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")


@pytest.mark.every_database
async def test_of_many_who_want_a_name_one_gets_it(hall):
    answers = await asyncio.gather(
        *(hall.operator.post("/api/executors", {"name": "gpu", "mode": "pull"}) for _ in range(8))
    )
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7


async def test_a_retired_executor_is_gone_and_its_token_with_it(hall, make, listed):
    made = await make(hall.operator)
    worker = hall.bearer(made["worker_token"])
    assert (await worker.get("/api/whoami")).status_code == 403
    assert (await hall.operator.delete(f"/api/executors/{made['id']}")).status_code == 204
    assert (await worker.get("/api/whoami")).status_code == 401
    assert list(await listed(hall.operator)) == ["local"]
    again = await hall.operator.delete(f"/api/executors/{made['id']}")
    assert (again.status_code, again.json()["code"]) == (404, "not_found")
    assert "executor.retired" in (await hall.operator.get("/api/audit")).text
    await make(hall.operator)


async def test_what_the_settings_bring_is_listed_and_not_retired(open_hall, listed):
    async with open_hall(SERVICE_EXECUTORS=ENVIRONMENT) as hall:
        shown = await listed(hall.operator)
        assert (shown["env-one"]["source"], shown["env-one"]["url"]) == ("env", "http://10.0.0.9/v1")
        assert "url" not in (await listed(hall.acme.org_owner))["env-one"]
        assert "sk-of-the-environment" not in str(shown)
        for executor in shown.values():
            refused = await hall.operator.delete(f"/api/executors/{executor['id']}")
            assert (refused.status_code, refused.json()["code"]) == (409, "executor_fixed")


async def test_the_service_is_the_one_that_plugins_take(hall, make):
    await make(hall.operator, name="Mine", org_id=hall.acme.org_id)
    async with hall.server.data.read() as reader:
        executors = hall.server.service(Executors)
        assert (await executors.named(reader, hall.acme.org_id, "mine")).mode == "pull"
        assert await executors.named(reader, hall.globex.org_id, "mine") is None
