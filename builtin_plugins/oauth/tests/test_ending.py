"""What a person allowed outlives nothing that it stood on: stay, role, company and password."""

import pytest

from builtin_plugins.oauth.tests.test_attacks import INVALID_GRANT, ended_because, is_alive, refusal

pytestmark = pytest.mark.shared_server


async def code_of(hall, tokens, path="/api/notes"):
    answer = await hall.bearer(tokens["access_token"]).get(path)
    return answer.status_code, answer.json().get("code")


async def test_whom_a_directory_deactivates_is_acted_for_by_nobody(hall, app):
    person = await hall.join(hall.acme, "member")
    tokens = await app.connect(person)
    made = (await hall.acme.org_owner.post("/api/tokens", {"kind": "scim"})).json()
    directory = hall.bearer(made["token"])
    change = {"Operations": [{"op": "replace", "path": "active", "value": False}]}
    answer = await directory.patch(f"/scim/v2/Users/{person.user_id}", change)
    assert answer.status_code == 200, answer.text
    assert await code_of(hall, tokens) == (403, "person_suspended")
    assert refusal(await app.refresh(tokens["refresh_token"])) == INVALID_GRANT


async def test_whose_role_shrinks_their_app_can_do_less_at_once(hall, app):
    person = await hall.join(hall.acme, "member")
    tokens = await app.connect(person)
    changed = await hall.acme.owner.patch(f"/api/members/{person.user_id}", {"role": "viewer"})
    assert changed.status_code == 200, changed.text
    client = hall.bearer(tokens["access_token"])
    assert (await client.post("/api/notes", {"title": "No more"})).status_code == 403
    assert (await client.get("/api/notes")).status_code == 200
    refreshed = (await app.refresh(tokens["refresh_token"])).json()
    again = hall.bearer(refreshed["access_token"])
    assert (await again.post("/api/notes", {"title": "No more"})).status_code == 403


@pytest.mark.own_server
async def test_a_suspended_company_is_acted_in_by_no_app(hall, app):
    tokens = await app.connect(hall.globex.member)
    suspended = await hall.operator.post(f"/api/orgs/{hall.globex.slug}/suspend")
    assert suspended.status_code == 200, suspended.text
    write = await hall.bearer(tokens["access_token"]).post("/api/notes", {"title": "No"})
    assert (write.status_code, write.json()["code"]) == (402, "org_suspended")
    assert refusal(await app.refresh(tokens["refresh_token"])) == INVALID_GRANT


async def test_another_password_ends_what_the_one_before_allowed(hall, app):
    person = await hall.join(hall.acme, "member")
    await person.post("/api/password", {"new_password": hall.password})
    tokens = await app.connect(person)
    body = {"current_password": hall.password, "new_password": "looms weave algebraic patterns"}
    changed = await person.post("/api/password", body)
    assert changed.status_code == 200, changed.text
    assert not await is_alive(hall, tokens)
    assert await ended_because(hall) == "password_changed"
    assert refusal(await app.refresh(tokens["refresh_token"])) == INVALID_GRANT
    again = await app.connect(person)
    assert (await app.refresh(again["refresh_token"])).status_code == 200


async def test_a_link_that_sets_a_password_ends_what_the_one_before_allowed(hall, app):
    person = await hall.join(hall.acme, "member")
    await person.post("/api/password", {"new_password": hall.password})
    await person.post("/api/password", {"new_password": hall.password})
    tokens, code = await app.connect(person), await app.code(person)
    made = await hall.acme.owner.post(f"/api/members/{person.user_id}/password-reset")
    token = made.json()["url"].partition("#token=")[2]
    body = {"token": token, "password": "looms weave algebraic patterns"}
    assert (await hall.anonymous.post("/api/password/reset", body)).is_success
    assert not await is_alive(hall, tokens)
    assert refusal(await app.exchange(code)) == INVALID_GRANT
