"""Passkeys are added by whoever has just proved who they are, named, and removed."""

import pytest

from builtin_plugins.passkeys.authenticator import SoftwareAuthenticator
from builtin_plugins.passkeys.service import MAX_PASSKEYS

pytestmark = pytest.mark.shared_server


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def test_the_options_are_webauthns_own(hall, new_holder):
    holder = await new_holder(register=False)
    options = await holder.options()
    assert options["rp"]["id"] == "127.0.0.1"
    assert options["user"]["name"] == holder.username
    assert options["attestation"] == "none"
    assert {one["alg"] for one in options["pubKeyCredParams"]} == {-7, -8, -257}
    assert options["excludeCredentials"] == []


async def test_several_are_added_named_and_removed(hall, holder):
    other = SoftwareAuthenticator(hall.base_url)
    second = await holder.register("The phone", key=other)
    assert second.status_code == 201
    listed = (await holder.client.get("/api/passkeys")).json()["items"]
    assert [one["name"] for one in listed] == ["The phone", "My laptop"]
    assert all(one["signs_in"] and one["synced"] and one["last_used_at"] is None for one in listed)
    phone = f"/api/passkeys/{second.json()['id']}"
    assert second.headers["location"] == phone
    renamed = await holder.client.patch(phone, {"name": "The old phone"})
    assert renamed.json()["name"] == "The old phone"
    assert (await holder.client.delete(phone)).status_code == 204
    assert refusal(await holder.client.delete(phone)) == (404, "not_found")
    assert refusal(await holder.sign_in(other)) == (401, "passkey_invalid")
    assert (await holder.sign_in()).status_code == 200


async def test_a_list_comes_page_by_page(hall, holder):
    await holder.register("Second", key=SoftwareAuthenticator(hall.base_url))
    first = (await holder.client.get("/api/passkeys", params={"limit": 1})).json()
    second = (
        await holder.client.get("/api/passkeys", params={"limit": 1, "cursor": first["next_cursor"]})
    ).json()
    assert [first["items"][0]["name"], second["items"][0]["name"]] == ["Second", "My laptop"]
    assert second["next_cursor"] is None


async def test_a_passkey_is_not_added_twice(hall, holder, new_holder):
    options = await holder.options()
    assert [one["id"] for one in options["excludeCredentials"]] == [
        holder.key.create(options)["id"],
    ]
    assert refusal(await holder.register()) == (409, "passkey_known")
    thief = await new_holder(register=False)
    assert refusal(await thief.register(key=holder.key)) == (409, "passkey_known")


async def test_there_are_only_so_many(hall, holder):
    for _ in range(MAX_PASSKEYS - 1):
        assert (await holder.register(key=SoftwareAuthenticator(hall.base_url))).status_code == 201
    assert refusal(await holder.client.post("/api/passkeys/options", {})) == (409, "too_many_passkeys")


@pytest.mark.any_database
async def test_an_older_session_adds_and_removes_none(hall, holder):
    (passkey,) = (await holder.client.get("/api/passkeys")).json()["items"]
    hall.clock.advance(minutes=15)
    wanted = (403, "reauthentication_required")
    assert refusal(await holder.client.post("/api/passkeys/options", {})) == wanted
    assert refusal(await holder.client.delete(f"/api/passkeys/{passkey['id']}")) == wanted


async def test_tokens_add_none(hall, holder):
    token = await hall.with_token(hall.acme.owner)
    assert refusal(await token.post("/api/passkeys/options", {})) == (403, "session_required")


async def test_nobody_sees_renames_or_removes_those_of_others(hall, holder, new_holder):
    (passkey,) = (await holder.client.get("/api/passkeys")).json()["items"]
    path = f"/api/passkeys/{passkey['id']}"
    colleague = await new_holder()
    for stranger in (colleague.client, hall.acme.owner, hall.globex.owner, hall.operator):
        seen = (await stranger.get("/api/passkeys")).json()["items"]
        assert passkey["id"] not in {one["id"] for one in seen}
        assert refusal(await stranger.patch(path, {"name": "Mine"})) == (404, "not_found")
        assert refusal(await stranger.delete(path)) == (404, "not_found")
    assert (await holder.sign_in()).status_code == 200


async def test_removing_one_ends_all_other_sessions(hall, holder):
    stolen = hall.bearer((await holder.sign_in()).json()["token"])
    (passkey,) = (await holder.client.get("/api/passkeys")).json()["items"]
    assert (await holder.client.delete(f"/api/passkeys/{passkey['id']}")).status_code == 204
    assert (await stolen.get("/api/whoami")).status_code == 401
    assert (await holder.client.get("/api/whoami")).status_code == 200


async def test_its_owner_is_told_of_a_new_one(hall, holder):
    told = (await holder.client.get("/api/notifications")).json()["items"]
    assert "passkeys.added" in {one["kind"] for one in told}


async def test_an_answer_adds_one_passkey_in_the_session_that_asked(hall, new_holder):
    holder = await new_holder(register=False)
    credential = holder.key.create(await holder.options())
    again = hall.bearer((await holder.login()).json()["token"])
    body = {"name": "Mine", "credential": credential}
    assert refusal(await again.post("/api/passkeys/register", body)) == (400, "passkey_invalid")
    assert (await holder.client.post("/api/passkeys/register", body)).status_code == 201
    (passkey,) = (await holder.client.get("/api/passkeys")).json()["items"]
    await holder.client.delete(f"/api/passkeys/{passkey['id']}")
    assert refusal(await holder.client.post("/api/passkeys/register", body)) == (400, "passkey_invalid")


@pytest.mark.any_database
async def test_what_no_authenticator_made_here_is_refused(hall, new_holder):
    holder = await new_holder(register=False)
    elsewhere = SoftwareAuthenticator("https://elsewhere.example")
    assert refusal(await holder.register(key=elsewhere)) == (400, "passkey_invalid")
    options = await holder.options()
    foreign = {**options, "rp": {"id": "elsewhere.example"}}
    login = (await hall.anonymous.post("/api/login/passkey/options", {})).json()
    for wrong in (
        holder.key.create(foreign),
        holder.key.create({**options, "challenge": login["challenge"]}),
        holder.key.create({**options, "challenge": "AAAA"}),
        {**holder.key.create(options), "type": "password"},
        {**holder.key.create(options), "id": "AAAA"},
        {**holder.key.create(options), "response": None},
        {**holder.key.create(options), "response": {"clientDataJSON": 7}},
        {**holder.key.create(options), "response": {"clientDataJSON": "e30"}},
        {},
    ):
        response = await holder.client.post("/api/passkeys/register", {"name": "Mine", "credential": wrong})
        assert refusal(response) == (400, "passkey_invalid"), wrong
    broken = holder.key.create(options)
    for cut in ("", "AAAA", "oA", broken["response"]["attestationObject"][:-20]):
        broken["response"]["attestationObject"] = cut
        response = await holder.client.post("/api/passkeys/register", {"name": "Mine", "credential": broken})
        assert refusal(response) == (400, "passkey_invalid"), cut
    hall.clock.advance(minutes=5)
    late = await holder.client.post(
        "/api/passkeys/register", {"name": "Mine", "credential": holder.key.create(options)}
    )
    assert refusal(late) == (400, "passkey_invalid")


@pytest.mark.any_database
async def test_a_name_is_one_line(hall, new_holder):
    holder = await new_holder(register=False)
    response = await holder.register("My\nlaptop")
    assert refusal(response) == (400, "invalid_request")
    assert response.json()["errors"][0]["pointer"] == "/name"


async def test_who_was_removed_and_came_back_begins_without(hall, holder):
    org_admin = hall.acme.org_admin
    assert (await org_admin.delete(f"/api/org/members/{holder.user_id}")).status_code == 204
    await hall.drain_jobs()
    back = await hall.acme.owner.post("/api/members", {"username": holder.username, "role": "member"})
    assert back.status_code == 201
    assert refusal(await holder.sign_in()) == (401, "passkey_invalid")
