"""Models for members: who names them, who may use them, and where a turn then goes."""

import pytest

pytestmark = pytest.mark.shared_server

PATH = "/api/models"


@pytest.fixture
async def hall(share_hall):
    async with share_hall(with_model=True) as opened:
        yield opened
        for one in (await opened.operator.get(f"{PATH}?manage=1")).json()["items"]:
            await opened.operator.delete(f"{PATH}/{one['name']}")


async def names(client):
    answer = await client.get(PATH)
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["items"]]


async def put(client, name, **fields):
    return await client.put(f"{PATH}/{name}", {"executor": "local", **fields})


async def test_without_set_up_there_is_one_for_everybody(hall):
    (found,) = (await hall.acme.member.get(PATH)).json()["items"]
    shown = {"name": "default", "label": "scripted", "description": "", "price": None}
    assert {name: found[name] for name in shown} == shown
    assert "chat" in found["roles"]
    assert "allowed" not in found


async def test_a_model_is_for_those_who_are_named(hall):
    price = {"currency": "EUR", "input_per_million": 1, "output_per_million": 2.5}
    made = await put(hall.operator, "quick", label="Quick", description="For notes", price=price, model="q-1")
    assert made.status_code == 200, made.text
    assert made.json()["allowed"] == {}
    assert await names(hall.acme.member) == ["default"]
    changed = await put(hall.operator, "quick", allowed={"roles": ["member"]})
    assert (changed.json()["label"], changed.json()["price"]) == ("Quick", price)
    assert await names(hall.acme.member) == ["default", "quick"]
    assert await names(hall.acme.admin) == ["default"]
    await put(hall.operator, "quick", label="Quicker")
    assert await names(hall.acme.member) == ["default", "quick"]
    alone = await hall.operator.put(f"{PATH}/quick", {"label": "Quickest"})
    assert (alone.status_code, alone.json() | {"label": "Quick"}) == (200, changed.json())
    unknown = await hall.operator.put(f"{PATH}/slow", {"label": "Slow"})
    assert (unknown.status_code, unknown.json()["errors"][0]["pointer"]) == (400, "/executor")
    await put(hall.operator, "quick", allowed={"users": [hall.acme.admin.user_id], "teams": [hall.globex.id]})
    assert [await names(one) for one in (hall.acme.member, hall.acme.admin, hall.globex.member)] == [
        ["default"],
        ["default", "quick"],
        ["default", "quick"],
    ]
    await put(hall.operator, "default", allowed={"roles": ["admin"]})
    assert await names(hall.acme.member) == []
    assert (await hall.operator.delete(f"{PATH}/default")).status_code == 204
    assert await names(hall.acme.member) == ["default"]


async def test_a_turn_asks_the_executor_for_the_model_that_is_named(hall):
    await put(hall.operator, "quick", model="q-1", allowed={"roles": ["member"]})
    hall.model.say("Hello.")
    answer = await hall.acme.member.post("/api/ai/chat", {"prompt": "x", "model": "quick"})
    assert (answer.status_code, answer.json()["model"]) == (200, "q-1"), answer.text
    assert hall.model.calls[-1].body["model"] == "q-1"
    refused = await hall.acme.viewer.post("/api/ai/chat", {"prompt": "x", "model": "quick"})
    assert refused.status_code in (403, 404)
    refused = await hall.acme.admin.post("/api/ai/chat", {"prompt": "x", "model": "quick"})
    missing = await hall.acme.admin.post("/api/ai/chat", {"prompt": "x", "model": "nothing"})
    assert [(one.status_code, one.json()["code"]) for one in (refused, missing)] == [
        (404, "unknown_model")
    ] * 2
    both = await hall.operator.post("/api/ai/chat", {"prompt": "x", "model": "quick", "executor": "local"})
    assert (both.status_code, both.json()["errors"][0]["pointer"]) == (400, "/model")
    named = await hall.acme.member.post("/api/ai/chat", {"prompt": "x", "executor": "local"})
    assert (named.status_code, named.json()["permission"]) == (403, "instance:manage")


async def test_a_company_names_models_of_its_own_executors_alone(hall):
    owner = hall.acme.org_owner
    made = await owner.post("/api/org/executors", {"name": "ours", "mode": "pull", "model": "m"})
    assert made.status_code == 201, made.text
    answer = await owner.put(f"{PATH}/ours", {"executor": "ours", "allowed": {"roles": ["member"]}})
    assert (answer.status_code, answer.json()["instance"]) == (200, False), answer.text
    assert await names(hall.acme.member) == ["default", "ours"]
    assert await names(hall.globex.member) == ["default"]
    refused = await put(owner, "theirs")
    assert (refused.status_code, refused.json()["permission"]) == (403, "instance:manage")
    refused = await put(hall.acme.member, "mine")
    assert (refused.status_code, refused.json()["permission"]) == (403, "org:manage")
    refused = await hall.globex.org_owner.put(f"{PATH}/x", {"executor": "ours"})
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_executor")
    assert (await hall.globex.org_owner.delete(f"{PATH}/ours")).status_code == 404
    assert (await owner.delete(f"{PATH}/ours")).status_code == 204
    assert await names(hall.acme.member) == ["default"]


async def test_one_name_is_another_model_in_each_company(hall):
    companies = (hall.acme, hall.globex)
    for company in companies:
        executor = {"name": f"of-{company.org_id}", "mode": "pull", "model": "m"}
        await company.org_owner.post("/api/org/executors", executor)
        body = {"executor": executor["name"], "label": company.org_id, "allowed": {"roles": ["member"]}}
        assert (await company.org_owner.put(f"{PATH}/quick", body)).status_code == 200
    for company, stranger in zip(companies, companies[::-1], strict=True):
        managed = (await company.org_owner.get(f"{PATH}?manage=1")).json()
        assert stranger.org_id not in str(managed)
        [label] = [
            one["label"] for one in (await company.member.get(PATH)).json()["items"] if one["name"] == "quick"
        ]
        assert label == company.org_id
    narrowed = await hall.with_token(hall.acme.org_owner, scope=["chat:use"])
    assert (await narrowed.put(f"{PATH}/quick", {"executor": "local"})).status_code == 403
    assert (await narrowed.delete(f"{PATH}/quick")).status_code == 403
    assert (await hall.acme.org_owner.delete(f"{PATH}/quick")).status_code == 204
    assert await names(hall.globex.member) == ["default", "quick"]
    assert (await hall.globex.org_owner.delete(f"{PATH}/quick")).status_code == 204


@pytest.mark.any_database
async def test_who_manages_sees_what_is_named_and_nobody_else(hall):
    allowed = {"roles": ["member"], "teams": [hall.globex.team_id], "users": []}
    await put(hall.operator, "quick", allowed=allowed)
    items = (await hall.operator.get(f"{PATH}?manage=1")).json()["items"]
    assert [one["allowed"] for one in items] == [None, allowed]
    items = (await hall.acme.org_owner.get(f"{PATH}?manage=1")).json()["items"]
    assert [(one["name"], one["allowed"]) for one in items] == [
        ("default", None),
        ("quick", {"roles": ["member"]}),
    ]
    assert (await hall.acme.member.get(f"{PATH}?manage=1")).status_code == 403


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"executor": ""}, "/executor"),
        ({"executor": "nobody"}, "/executor"),
        ({"price": {"currency": "EUR"}}, "/price"),
        ({"allowed": {"everybody": True}}, "/allowed/everybody"),
        ({"label": ""}, "/label"),
    ],
)
async def test_what_is_wrong_is_refused_at_its_place(hall, fields, pointer):
    answer = await put(hall.operator, "quick", **fields)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"].startswith(pointer)
