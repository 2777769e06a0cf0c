"""Secrets of a team: stored by name, given to plugins, and shown to nobody."""

import asyncio
from dataclasses import replace

import pytest

from guildhall_sdk.services.outbound import TeamSecrets

pytestmark = pytest.mark.shared_server

VALUE = "sk-very-secret-é"


@pytest.fixture
async def hall(share_hall):
    async with share_hall() as opened:
        yield opened


async def put(client, name, value=VALUE):
    return await client.put(f"/api/team-secrets/{name}", {"value": value})


async def value_of(hall, name, company=None):
    async with hall.server.data.read() as reader:
        team_id = (company or hall.acme).owner.team_id
        return await hall.server.service(TeamSecrets).get(reader, team_id, name)


async def names(client):
    return [one["name"] for one in (await client.get("/api/team-secrets")).json()["items"]]


async def test_a_secret_is_stored_replaced_and_deleted_and_its_value_is_nowhere_to_be_seen(hall):
    owner = hall.acme.owner
    stored = await put(owner, "weather-key")
    assert (stored.status_code, stored.json()["name"]) == (200, "weather-key")
    assert await value_of(hall, "weather-key") == VALUE
    assert (await put(owner, "weather-key", "another")).status_code == 200
    assert await value_of(hall, "weather-key") == "another"
    listed = await owner.get("/api/team-secrets")
    trail = await owner.get("/api/audit")
    assert [one["action"] for one in trail.json()["items"]][:2] == [
        "team_secret.replaced",
        "team_secret.created",
    ]
    for answer in (stored, listed, trail):
        assert not {VALUE, "another"} & {*answer.text.split('"')}
    assert await names(owner) == ["weather-key"]
    assert (await owner.delete("/api/team-secrets/weather-key")).status_code == 204
    assert (await owner.delete("/api/team-secrets/weather-key")).status_code == 404
    assert await value_of(hall, "weather-key") is None


async def test_another_company_has_secrets_of_its_own(hall):
    await put(hall.acme.owner, "shared-name", "ours")
    await put(hall.globex.owner, "shared-name", "theirs")
    assert await value_of(hall, "shared-name") == "ours"
    assert (await hall.globex.owner.delete("/api/team-secrets/shared-name")).status_code == 204
    assert await value_of(hall, "shared-name") == "ours"
    assert await value_of(hall, "shared-name", hall.globex) is None
    assert await names(hall.globex.owner) == []


@pytest.mark.any_database
async def test_only_who_manages_the_settings_changes_them(hall):
    assert (await put(hall.acme.member, "mine")).status_code == 403
    await put(hall.acme.admin, "ours")
    assert (await hall.acme.member.delete("/api/team-secrets/ours")).status_code == 403
    assert await names(hall.acme.member) == ["ours"]


@pytest.mark.any_database
@pytest.mark.parametrize("name", ["-a", "a-", "a%20b", "é", "a" * 65, "a%2Fb"])
async def test_a_name_that_is_none_is_refused(hall, name):
    answer = await put(hall.acme.owner, name)
    assert answer.status_code in (400, 404), answer.text
    assert await names(hall.acme.owner) == []


@pytest.mark.any_database
@pytest.mark.parametrize("value", ["", "x" * 16_385, None, 7])
async def test_a_value_that_is_none_is_refused(hall, value):
    answer = await put(hall.acme.owner, "key", value)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/value")


@pytest.mark.any_database
async def test_a_team_has_so_many_and_no_more(hall, monkeypatch):
    monkeypatch.setattr("builtin_plugins.team_secrets.service.MAX_SECRETS", 2)
    assert [(await put(hall.acme.owner, f"key-{n}")).status_code for n in range(3)] == [200, 200, 409]
    assert (await put(hall.acme.owner, "key-1", "again")).status_code == 200


async def test_who_puts_one_at_once_with_another_leaves_one(hall):
    answers = await asyncio.gather(*(put(hall.acme.owner, "raced", f"value {n}") for n in range(5)))
    assert {answer.status_code for answer in answers} == {200}
    assert await names(hall.acme.owner) == ["raced"]
    assert (await value_of(hall, "raced")).startswith("value ")


@pytest.mark.own_server
async def test_secrets_go_with_their_team_and_keep_their_values(hall):
    owner = hall.acme.org_owner
    team_id = (await owner.post("/api/org/teams", {"name": "Yard"})).json()["id"]
    there = replace(await hall.principal(owner), team_id=team_id)
    await put(hall.acme.owner, "key", "ours")
    secrets = hall.server.service(TeamSecrets)
    async with hall.server.data.write() as writer:
        for name in ("key", "other"):
            await secrets.put(writer, there, name, f"theirs: {name}")
    assert (await owner.delete(f"/api/org/teams/{team_id}")).json()["code"] == "team_not_empty"
    moved = await owner.request("DELETE", f"/api/org/teams/{team_id}", {"move_to": hall.acme.team_id})
    assert moved.status_code == 204, moved.text
    assert await names(hall.acme.owner) == ["key", "key-2", "other"]
    values = [await value_of(hall, name) for name in ("key", "key-2", "other")]
    assert values == ["ours", "theirs: key", "theirs: other"]
