"""Links by which people let themselves in: invitations, and passwords that are set anew."""

import asyncio

import pyotp
import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PASSWORD = "a horse of quite another colour"


def code(response):
    return response.status_code, response.json().get("code")


async def invite(client, username, role="member", **more):
    """Adds somebody without a password; returns their id and their first session."""
    response = await client.post("/api/members", {"username": username, "role": role, **more})
    assert response.status_code == 201, response.text
    return response.json()["member"]["user_id"], response.json()["token"]


async def link(client, user_id, kind="invitation"):
    response = await client.post(f"/api/members/{user_id}/{kind}")
    assert response.status_code == 201, response.text
    return response.json()


def token_of(made):
    return made["url"].partition("#token=")[2]


async def use(hall, made, path="/api/activate", password=PASSWORD):
    return await hall.anonymous.post(path, {"token": token_of(made), "password": password})


async def listed(client, user_id):
    people = (await client.get("/api/members")).json()["items"]
    return next(one for one in people if one["user_id"] == user_id)


@pytest.mark.every_database
async def test_a_lost_invitation_is_made_anew(hall):
    user_id, first = await invite(hall.acme.admin, "grace")
    assert (await listed(hall.acme.member, user_id))["status"] == "invited"
    lost = await link(hall.acme.admin, user_id)
    assert lost["url"].startswith(f"{hall.base_url}/activate#token=")
    # The session that adding gave is over, and a further link ends the one before.
    assert (await hall.bearer(first).get("/api/whoami")).status_code == 401
    made = await link(hall.acme.admin, user_id)
    assert code(await use(hall, lost)) == (400, "activation_invalid")
    entered = await use(hall, made)
    assert entered.status_code == 200, entered.text
    who = (await hall.bearer(entered.json()["token"]).get("/api/whoami")).json()
    assert (who["user"]["id"], who["team"]["id"]) == (user_id, hall.acme.team_id)
    found = await listed(hall.acme.member, user_id)
    assert found["status"] == "active"
    assert found["last_seen_at"] is not None
    own = (await hall.bearer(entered.json()["token"]).get("/api/sessions")).json()["items"][0]
    assert own["address"] is not None
    assert code(await use(hall, made)) == (400, "activation_invalid")
    login = await hall.anonymous.post("/api/login", {"username": "grace", "password": PASSWORD})
    assert login.status_code == 200
    assert (await listed(hall.acme.member, user_id))["last_seen_at"] is not None


async def test_who_has_a_password_is_not_invited_again(hall):
    refused = await hall.acme.admin.post(f"/api/members/{hall.acme.member.user_id}/invitation")
    assert code(refused) == (409, "already_active")


async def test_an_invitation_lasts_seven_days_and_a_reset_one(hall):
    user_id, _ = await invite(hall.acme.admin, "heidi")
    invitation = await link(hall.acme.admin, user_id)
    reset = await link(hall.acme.owner, hall.acme.member.user_id, "password-reset")
    hall.clock.advance(days=1)
    assert code(await use(hall, reset, "/api/password/reset")) == (400, "activation_invalid")
    hall.clock.advance(days=6)
    assert code(await use(hall, invitation)) == (400, "activation_invalid")


@pytest.mark.every_database
async def test_a_forgotten_password_is_set_anew_and_ends_the_sessions(hall):
    member = hall.acme.member
    made = await link(hall.acme.admin, member.user_id, "password-reset")
    assert (await member.get("/api/whoami")).status_code == 200
    refused = await use(hall, made, "/api/password/reset", "short")
    assert refused.status_code == 400
    entered = await use(hall, made, "/api/password/reset")
    assert entered.status_code == 200
    assert (await member.get("/api/whoami")).status_code == 401
    assert (await hall.bearer(entered.json()["token"]).get("/api/whoami")).status_code == 200
    body = {"username": member.username, "password": PASSWORD}
    assert (await hall.anonymous.post("/api/login", body)).status_code == 200


async def test_each_row_takes_the_token_of_either(hall):
    user_id, _ = await invite(hall.acme.admin, "ivan")
    assert (await use(hall, await link(hall.acme.admin, user_id), "/api/password/reset")).status_code == 200
    assert (await use(hall, await link(hall.acme.admin, user_id, "password-reset"))).status_code == 200


async def test_using_one_ends_the_other(hall):
    user_id, _ = await invite(hall.acme.admin, "judy")
    reset = await link(hall.acme.admin, user_id, "password-reset")
    assert (await use(hall, await link(hall.acme.admin, user_id))).status_code == 200
    assert code(await use(hall, reset)) == (400, "activation_invalid")


@pytest.mark.every_database
async def test_another_password_ends_the_links_that_were_there(hall):
    person = await hall.join(hall.acme, "member")
    await person.post("/api/password", {"new_password": PASSWORD})
    made = await link(hall.acme.owner, person.user_id, "password-reset")
    other = {"current_password": PASSWORD, "new_password": "looms weave algebraic patterns"}
    assert (await person.post("/api/password", other)).status_code == 200
    assert code(await use(hall, made)) == (400, "activation_invalid")


async def test_of_many_who_use_one_link_at_once_one_gets_in(hall):
    user_id, _ = await invite(hall.acme.admin, "mallory")
    made = await link(hall.acme.admin, user_id)
    answers = await asyncio.gather(*(use(hall, made) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7


async def test_a_reset_is_no_way_around_two_factor(hall):
    member = hall.acme.member
    secret = (await member.post("/api/2fa/enable", {"password": hall.password})).json()["secret"]
    made = await link(hall.acme.admin, member.user_id, "password-reset")
    entered = await use(hall, made, "/api/password/reset")
    assert (entered.status_code, entered.json()["token"]) == (200, None)
    body = {"username": member.username, "password": PASSWORD}
    assert code(await hall.anonymous.post("/api/login", body)) == (401, "totp_required")
    totp = pyotp.TOTP(secret).at(hall.clock.now_ms() // 1000)
    assert (await hall.anonymous.post("/api/login", {**body, "totp": totp})).status_code == 200


async def test_only_who_ranks_above_sets_a_password_anew(hall):
    acme = hall.acme

    async def reset(by, of):
        return (await by.post(f"/api/members/{of.user_id}/password-reset")).status_code

    assert await reset(acme.admin, acme.viewer) == 201
    assert await reset(acme.admin, acme.admin) == 403
    assert await reset(acme.admin, acme.owner) == 403
    assert await reset(acme.owner, acme.admin) == 201
    assert await reset(acme.owner, acme.org_owner) == 403
    assert await reset(acme.member, acme.viewer) == 403
    assert await reset(hall.globex.owner, acme.viewer) == 404
    assert await reset(hall.operator, hall.operator) == 403
    # Somebody in another team, where the admin is nobody.
    second = {"username": acme.viewer.username, "team": acme.second_team.id, "role": "owner"}
    assert (await acme.org_owner.post("/api/org/members", second)).status_code == 201
    assert await reset(acme.admin, acme.viewer) == 403
    assert await reset(acme.org_owner, acme.viewer) == 201


async def test_nobody_takes_over_an_invited_owner(hall):
    user_id, _ = await invite(hall.acme.owner, "oscar", "owner")
    refused = await hall.acme.admin.post(f"/api/members/{user_id}/invitation")
    assert code(refused) == (403, "permission_denied")
    assert (await hall.acme.owner.post(f"/api/members/{user_id}/invitation")).status_code == 201
    elsewhere = await hall.globex.owner.post(f"/api/members/{user_id}/invitation")
    assert code(elsewhere) == (404, "not_found")


async def test_a_link_goes_with_the_token_that_made_it(hall):
    user_id, _ = await invite(hall.acme.admin, "peggy", "viewer")
    answer = (await hall.acme.admin.post("/api/tokens", {"name": "onboarding"})).json()
    made = await link(hall.bearer(answer["token"]), user_id)
    assert (await hall.acme.admin.delete(f"/api/tokens/{answer['id']}")).status_code == 204
    assert code(await use(hall, made)) == (400, "activation_invalid")


async def test_a_token_with_a_scope_gets_nobody_who_may_more(hall):
    scope = {"name": "few", "scope": ["members:manage"]}
    token = (await hall.acme.admin.post("/api/tokens", scope)).json()["token"]
    refused = await hall.bearer(token).post(f"/api/members/{hall.acme.viewer.user_id}/password-reset")
    assert code(refused) == (403, "permission_denied")


async def test_the_trail_tells_who_made_a_link_and_who_used_it(hall, actions_of):
    user_id, _ = await invite(hall.acme.admin, "trent")
    await use(hall, await link(hall.acme.admin, user_id))
    await use(hall, await link(hall.acme.admin, user_id, "password-reset"))
    actions = await actions_of(hall.acme.org_owner)
    assert actions[:4] == ["password.reset", "member.reset_begun", "member.activated", "member.invited"]
