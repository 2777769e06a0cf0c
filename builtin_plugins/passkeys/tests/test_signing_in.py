"""A passkey in place of a password, as the second factor, and to prove oneself once more."""

import asyncio

import pytest

from builtin_plugins.passkeys.authenticator import SoftwareAuthenticator

pytestmark = pytest.mark.shared_server


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


REFUSED = (401, "passkey_invalid")


async def test_a_passkey_signs_in_without_a_password(hall, holder):
    response = await holder.sign_in()
    assert response.status_code == 200
    answer = response.json()
    assert answer["user"]["username"] == holder.username
    assert answer["team"]["id"] == hall.acme.team_id
    who = (await hall.bearer(answer["token"]).get("/api/whoami")).json()
    assert (who["user"]["id"], who["credential"]["kind"]) == (holder.user_id, "session")
    (passkey,) = (await holder.client.get("/api/passkeys")).json()["items"]
    assert passkey["last_used_at"] is not None


async def test_the_options_tell_nobody_who_is_here(hall, holder):
    def without_challenge(response):
        return {name: value for name, value in response.json().items() if name != "challenge"}

    known = await hall.anonymous.post("/api/login/passkey/options", {"username": holder.username})
    unknown = await hall.anonymous.post("/api/login/passkey/options", {"username": "nobody-at-all"})
    assert without_challenge(known) == without_challenge(unknown)
    assert known.json()["allowCredentials"] == []
    assert known.json()["userVerification"] == "required"


async def test_a_passkey_is_two_factors_in_one(hall, holder):
    await holder.enable_two_factor()
    assert (await holder.sign_in()).status_code == 200
    assert refusal(await holder.login()) == (401, "totp_required")


async def test_one_that_does_not_verify_its_owner_is_no_password(hall, new_holder):
    holder = await new_holder(verifies=False)
    (passkey,) = (await holder.client.get("/api/passkeys")).json()["items"]
    assert passkey["signs_in"] is False
    assert refusal(await holder.sign_in()) == REFUSED


async def test_after_the_password_any_passkey_is_the_second_factor(hall, new_holder):
    holder = await new_holder(verifies=False)
    await holder.enable_two_factor()
    asked = await holder.login()
    assert refusal(asked) == (401, "totp_required")
    options = asked.json()["passkey"]
    assert [one["transports"] for one in options["allowCredentials"]] == [["internal"]]
    credential = holder.key.get(options)
    assert (await holder.login(passkey=credential)).status_code == 200
    assert refusal(await holder.login(passkey=credential)) == REFUSED
    assert (await holder.login(totp=holder.totp())).status_code == 200


async def test_the_second_factor_of_another_is_none(hall, holder, new_holder):
    thief = await new_holder()
    await holder.enable_two_factor()
    options = (await holder.login()).json()["passkey"]
    assert refusal(await holder.login(passkey=thief.key.get(options))) == REFUSED
    assert refusal(await holder.login(passkey={})) == REFUSED
    wrong = {"username": holder.username, "password": "wrong horse battery"}
    options = (await holder.login()).json()["passkey"]
    answer = await hall.anonymous.post("/api/login", {**wrong, "passkey": holder.key.get(options)})
    assert refusal(answer) == (401, "unauthenticated")
    assert "passkey" not in (await hall.anonymous.post("/api/login", wrong)).json()


async def test_an_answer_to_sign_in_is_no_second_factor(hall, holder):
    await holder.enable_two_factor()
    assert refusal(await holder.login(passkey=await holder.answer())) == REFUSED


async def test_wrong_second_factors_count_as_failed_logins(hall, holder):
    await holder.enable_two_factor()
    for _ in range(10):
        assert refusal(await holder.login(passkey={})) == REFUSED
    assert refusal(await holder.login(totp=holder.totp())) == (429, "rate_limited")
    hall.clock.advance(hours=1)


async def test_an_answer_opens_once(hall, holder):
    credential = await holder.answer()
    assert (await holder.verify(credential)).status_code == 200
    assert refusal(await holder.verify(credential)) == REFUSED


async def test_of_16_posts_of_one_answer_one_gets_in(hall, new_holder):
    holder = await new_holder(counts=False)
    credential = await holder.answer()
    answers = await asyncio.gather(*(holder.verify(credential) for _ in range(16)))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 15


async def test_a_copied_passkey_is_noticed_by_its_count(hall, holder):
    first = await holder.answer()
    copied = holder.key.count
    assert (await holder.verify(first)).status_code == 200
    holder.key.count = copied - 1
    assert refusal(await holder.sign_in()) == REFUSED
    trail = (await hall.acme.owner.get("/api/audit", params={"limit": 5})).json()["items"]
    failed = next(event for event in trail if event["action"] == "login.failed")
    assert failed["detail"]["wrong"] == "passkey"
    holder.key.count = copied
    assert (await holder.sign_in()).status_code == 200


async def test_one_without_a_count_goes_on(hall, new_holder):
    holder = await new_holder(counts=False)
    assert [(await holder.sign_in()).status_code for _ in range(2)] == [200, 200]


async def test_what_was_signed_for_another_site_opens_nothing(hall, holder):
    options = (await hall.anonymous.post("/api/login/passkey/options", {})).json()
    fooled = holder.key
    fooled.origin, own = "https://guildhall.example.evil", fooled.origin
    assert refusal(await holder.verify(fooled.get(options))) == REFUSED
    fooled.origin = own
    assert refusal(await holder.verify(fooled.get({**options, "rpId": "evil.example"}))) == REFUSED


async def test_challenges_are_ones_own_and_lapse(hall, holder):
    options = (await hall.anonymous.post("/api/login/passkey/options", {})).json()
    registration = await holder.options()
    for challenge in ("", "AAAA", registration["challenge"], options["challenge"][:-4] + "AAAA"):
        answer = holder.key.get({**options, "challenge": challenge})
        assert refusal(await holder.verify(answer)) == REFUSED
    hall.clock.advance(minutes=5)
    assert refusal(await holder.verify(holder.key.get(options))) == REFUSED


async def test_a_wrong_signature_an_unknown_key_and_another_owner_open_nothing(hall, holder, new_holder):
    other = await new_holder()
    answer = await holder.answer()
    answer["response"]["signature"] = (await other.answer())["response"]["signature"]
    assert refusal(await holder.verify(answer)) == REFUSED
    unknown = SoftwareAuthenticator(hall.base_url)
    assert refusal(await holder.sign_in(unknown)) == REFUSED
    mine, holder.key.user_handle = holder.key.user_handle, other.key.user_handle
    assert refusal(await holder.sign_in()) == REFUSED
    holder.key.user_handle = mine
    for wrong in ({}, {"id": 7}, {"id": "a" * 5000}, {"id": "a", "response": {"clientDataJSON": "\u00e9"}}):
        assert refusal(await holder.verify(wrong)) == REFUSED


async def test_who_is_suspended_or_in_no_team_is_told_so(hall, holder, new_holder):
    leaver = await new_holder()
    await hall.acme.owner.delete(f"/api/members/{leaver.user_id}")
    assert refusal(await leaver.sign_in()) in [(403, "no_team"), REFUSED]
    path = f"/api/org/members/{holder.user_id}/suspend"
    assert (await hall.acme.org_admin.post(path)).status_code in (200, 204)
    assert refusal(await holder.sign_in()) == (403, "person_suspended")


async def test_a_team_can_be_named_and_no_foreign_one(hall, holder):
    assert (await holder.sign_in(team=hall.acme.team_id)).status_code == 200
    assert refusal(await holder.sign_in(team=hall.globex.team_id)) == (404, "not_found")


async def test_a_passkey_makes_an_old_session_fresh(hall, holder):
    hall.clock.advance(minutes=20)
    stale = await holder.client.post("/api/2fa/enable")
    assert refusal(stale) == (403, "reauthentication_required")
    asked = await holder.client.post("/api/session/confirm", {})
    assert refusal(asked) == (403, "reauthentication_required")
    answer = holder.key.get(asked.json()["passkey"])
    assert (await holder.client.post("/api/session/confirm", {"passkey": answer})).status_code == 204
    assert refusal(await holder.client.post("/api/session/confirm", {"passkey": answer})) == (
        403,
        "passkey_invalid",
    )
    assert (await holder.client.post("/api/2fa/enable")).status_code == 200


async def test_an_old_session_takes_no_company_along_and_lets_nobody_in(hall, new_holder):
    holder = await new_holder()
    path = f"/api/org/members/{holder.user_id}"
    assert (await hall.acme.org_owner.patch(path, {"org_role": "org_owner"})).status_code == 200
    hall.clock.advance(minutes=20)
    way = {"kind": "oidc", "issuer": "https://id.example", "client_id": "a"}
    for asked, body in (("/api/org/export", None), ("/api/org/sign-in", way)):
        assert refusal(await holder.client.post(asked, body)) == (403, "reauthentication_required")


async def test_a_password_makes_an_old_session_fresh(hall, holder):
    hall.clock.advance(minutes=20)
    wrong = await holder.client.post("/api/session/confirm", {"password": "wrong horse battery"})
    assert refusal(wrong) == (403, "wrong_password")
    assert refusal(await holder.client.post("/api/passkeys/options", {})) == (
        403,
        "reauthentication_required",
    )
    right = await holder.client.post("/api/session/confirm", {"password": "correct horse battery"})
    assert right.status_code == 204
    assert (await holder.client.post("/api/passkeys/options", {})).status_code == 200


async def test_who_has_a_passkey_changes_owners_in_a_fresh_session_alone(hall, new_holder):
    colleague, owner = await new_holder(register=False), hall.acme.org_owner
    path = f"/api/org/members/{colleague.user_id}"
    await owner.post("/api/session/confirm", {"password": hall.password})
    hall.clock.advance(minutes=20)
    assert (await owner.patch(path, {"org_role": "org_owner"})).status_code == 200
    await owner.post("/api/session/confirm", {"password": hall.password})
    key = SoftwareAuthenticator(hall.base_url)
    options = (await owner.post("/api/passkeys/options", {})).json()
    made = await owner.post("/api/passkeys/register", {"name": "Key", "credential": key.create(options)})
    assert made.status_code == 201
    hall.clock.advance(minutes=20)
    assert refusal(await owner.patch(path, {"org_role": None})) == (403, "reauthentication_required")
    token = await hall.with_token(owner)
    assert refusal(await token.patch(path, {"org_role": None})) == (403, "reauthentication_required")
    confirmed = await owner.post("/api/session/confirm", {"password": hall.password})
    assert confirmed.status_code == 204
    assert (await owner.patch(path, {"org_role": None})).status_code == 200


async def test_who_has_a_passkey_makes_the_token_of_a_directory_in_a_fresh_session_alone(hall, new_holder):
    holder = await new_holder()
    path = f"/api/org/members/{holder.user_id}"
    assert (await hall.acme.org_owner.patch(path, {"org_role": "org_admin"})).status_code == 200
    made = await holder.client.post("/api/tokens", {"kind": "scim"})
    assert made.status_code == 201, made.text
    hall.clock.advance(minutes=20)
    refused = await holder.client.post("/api/tokens", {"kind": "scim"})
    assert refusal(refused) == (403, "reauthentication_required")
    listed = (await holder.client.get("/api/org/scim-tokens")).json()["items"]
    assert {one["id"] for one in listed} >= {made.json()["id"]}
    await holder.client.post("/api/session/confirm", {"password": "correct horse battery"})
    assert (await holder.client.post("/api/tokens", {"kind": "scim"})).status_code == 201


async def test_passkeys_are_among_the_ways_to_sign_in(hall):
    offered = (await hall.anonymous.get("/api/auth/ways")).json()["items"]
    assert "passkey" in {one["kind"] for one in offered}


async def test_a_passkey_is_not_enough_where_single_sign_on_is_required(hall, holder):
    owner = hall.acme.org_owner
    owner_id = (await owner.get("/api/whoami")).json()["user"]["id"]
    way = {"kind": "oidc", "issuer": "https://id.example.invalid", "client_id": "guildhall"}
    required = {**way, "required": True, "break_glass": [owner_id]}
    assert (await owner.post("/api/org/sign-in", required)).status_code == 201
    assert refusal(await holder.sign_in()) == (403, "sso_required")


async def trail_of(hall, user_id):
    trail = (await hall.acme.owner.get("/api/audit", params={"limit": 50})).json()["items"]
    return [
        one["detail"]["wrong"]
        for one in trail
        if one["action"] == "login.failed" and one["target"]["id"] == user_id
    ]


async def test_whoever_is_refused_with_a_passkey_leaves_a_trace(hall, new_holder):
    holder = await new_holder()
    copied = await holder.answer()
    assert (await holder.verify(copied)).status_code == 200
    assert refusal(await holder.verify(copied)) == (401, "passkey_invalid")
    forged = await holder.answer()
    forged["response"]["signature"] = forged["response"]["signature"][:-8] + "AAAAAAAA"
    assert refusal(await holder.verify(forged)) == (401, "passkey_invalid")
    await hall.acme.org_owner.post(f"/api/org/members/{holder.user_id}/suspend")
    assert refusal(await holder.sign_in()) == (403, "person_suspended")
    assert await trail_of(hall, holder.user_id) == ["person_suspended", "passkey", "passkey"]


async def test_a_passkey_is_the_second_factor_of_who_has_no_app(hall, new_holder):
    holder = await new_holder()
    made = await holder.client.post("/api/2fa/passkeys", {})
    assert made.status_code == 200 and len(made.json()["recovery_codes"]) == 10
    assert (await holder.client.get("/api/whoami")).json()["user"]["two_factor"]
    asked = await holder.login()
    assert refusal(asked) == (401, "totp_required")
    assert refusal(await holder.login(totp="000000")) == (401, "totp_invalid")
    answered = holder.key.get(asked.json()["passkey"])
    assert (await holder.login(passkey=answered)).status_code == 200
    assert refusal(await holder.login(passkey=answered)) == (401, "passkey_invalid")
    assert (await holder.login(recovery_code=made.json()["recovery_codes"][0])).status_code == 200
    assert (await holder.sign_in()).status_code == 200
    again = await holder.client.post("/api/2fa/passkeys", {})
    assert refusal(again) == (409, "two_factor_on")


async def test_the_last_passkey_stays_while_it_is_the_second_factor(hall, new_holder):
    holder = await new_holder()
    await holder.client.post("/api/2fa/passkeys", {})
    (only,) = (await holder.client.get("/api/passkeys")).json()["items"]
    assert refusal(await holder.client.delete(f"/api/passkeys/{only['id']}")) == (409, "last_passkey")
    second = (await holder.register("Phone", key=SoftwareAuthenticator(hall.base_url))).json()
    assert (await holder.client.delete(f"/api/passkeys/{only['id']}")).status_code == 204
    assert refusal(await holder.client.delete(f"/api/passkeys/{second['id']}")) == (409, "last_passkey")
    assert (await holder.client.delete("/api/2fa")).status_code == 204
    assert (await holder.client.delete(f"/api/passkeys/{second['id']}")).status_code == 204


async def test_without_a_passkey_or_a_fresh_session_it_is_not_turned_on(hall, new_holder):
    bare = await new_holder(register=False)
    assert refusal(await bare.client.post("/api/2fa/passkeys", {})) == (409, "no_passkey")
    holder = await new_holder()
    hall.clock.advance(minutes=20)
    stale = await holder.client.post("/api/2fa/passkeys", {})
    assert refusal(stale) == (403, "reauthentication_required")
    wrong = await holder.client.post("/api/2fa/passkeys", {"password": "not the password"})
    assert refusal(wrong) == (403, "wrong_password")
    assert not (await holder.client.get("/api/whoami")).json()["user"]["two_factor"]
