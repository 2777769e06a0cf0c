"""TOTP and recovery codes."""

import asyncio
import re

import pyotp
import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PASSWORD = "correct horse battery"


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def test_enabling_gives_everything_once_and_is_on_at_once(account):
    response = await account.client.post("/api/2fa/enable")
    assert response.status_code == 200
    answer = response.json()
    assert len(pyotp.TOTP(answer["secret"]).byte_secret()) >= 20
    parsed = pyotp.parse_uri(answer["otpauth_uri"])
    assert (parsed.secret, parsed.name, parsed.issuer) == (answer["secret"], account.username, "Guildhall")
    assert len(set(answer["recovery_codes"])) == 10
    for code in answer["recovery_codes"]:
        assert re.fullmatch(r"([0-9a-z]{4}-){3}[0-9a-z]{4}", code)  # 16 of 32 letters: 80 bits
    assert (await account.client.get("/api/whoami")).json()["user"]["two_factor"] is True
    assert refusal(await account.login()) == (401, "totp_required")


async def test_enabling_twice_is_refused_and_keeps_the_first(account):
    await account.enable_two_factor()
    assert refusal(await account.client.post("/api/2fa/enable")) == (409, "two_factor_on")
    assert (await account.login(totp=account.totp())).status_code == 200


@pytest.mark.every_database
async def test_of_16_who_enable_at_once_one_does(account):
    answers = await asyncio.gather(*(account.client.post("/api/2fa/enable") for _ in range(16)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 15
    (won,) = [answer.json() for answer in answers if answer.status_code == 200]
    account.secret = won["secret"]
    assert (await account.login(totp=account.totp())).status_code == 200
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 10}


async def begin(account) -> None:
    response = await account.client.post("/api/2fa/enable", {"confirm": True})
    assert response.status_code == 200, response.text
    account.secret = response.json()["secret"]
    account.codes = tuple(response.json()["recovery_codes"])


@pytest.mark.every_database
async def test_in_two_steps_it_is_off_until_a_code_of_it_came(hall, account):
    other = await account.session()
    await begin(account)
    assert (await account.client.get("/api/whoami")).json()["user"]["two_factor"] is False
    assert (await account.login()).status_code == 200
    wrong = await account.client.post("/api/2fa/confirm", {"code": "12345"})
    assert refusal(wrong) == (400, "totp_invalid")
    assert (await account.client.get("/api/whoami")).json()["user"]["two_factor"] is False
    on = await account.client.post("/api/2fa/confirm", {"code": account.totp()})
    assert on.status_code == 200 and on.json()["two_factor"] is True
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 10}
    assert refusal(await account.login()) == (401, "totp_required")
    assert (await other.get("/api/whoami")).status_code == 401
    # The code that confirmed is used up, as one of a login is.
    assert refusal(await account.login(totp=account.totp())) == (401, "totp_invalid")
    hall.clock.advance(seconds=30)
    assert (await account.login(totp=account.totp())).status_code == 200
    assert (await account.login(recovery_code=account.codes[0])).status_code == 200


async def test_what_was_begun_lapses_and_is_begun_again(hall, account):
    await begin(account)
    hall.clock.advance(minutes=15)
    assert refusal(await account.client.post("/api/2fa/confirm", {"code": account.totp()})) == (
        400,
        "totp_invalid",
    )
    account.client = await account.session()
    first = account.secret
    await begin(account)
    assert account.secret != first
    on = await account.client.post("/api/2fa/confirm", {"code": account.totp()})
    assert on.status_code == 200


async def test_beginning_again_ends_what_was_begun(account):
    await begin(account)
    before = account.totp()
    await begin(account)
    assert refusal(await account.client.post("/api/2fa/confirm", {"code": before})) == (400, "totp_invalid")
    assert (await account.client.post("/api/2fa/confirm", {"code": account.totp()})).status_code == 200


async def test_one_that_is_on_is_neither_begun_nor_confirmed_again(account):
    nothing = await account.client.post("/api/2fa/confirm", {"code": "123456"})
    assert refusal(nothing) == (400, "totp_invalid")
    await account.enable_two_factor()
    again = await account.client.post("/api/2fa/enable", {"confirm": True})
    assert refusal(again) == (409, "two_factor_on")
    confirmed = await account.client.post("/api/2fa/confirm", {"code": account.totp()})
    assert refusal(confirmed) == (409, "two_factor_on")


async def test_turning_off_what_was_only_begun_forgets_it_and_ends_nothing(account):
    other = await account.session()
    await begin(account)
    assert (await account.client.delete("/api/2fa")).status_code == 204
    assert (await other.get("/api/whoami")).status_code == 200
    assert refusal(await account.client.post("/api/2fa/confirm", {"code": account.totp()})) == (
        400,
        "totp_invalid",
    )


async def test_begun_and_never_confirmed_it_turns_on_in_one_step(account):
    await begin(account)
    await account.enable_two_factor()
    assert (await account.login(totp=account.totp())).status_code == 200


async def test_a_wrong_password_is_told_before_any_code(account):
    await account.enable_two_factor()
    wrong = await account.login("wrong horse battery", totp=account.totp())
    assert refusal(wrong) == (401, "unauthenticated")
    assert (await account.login(totp=account.totp())).status_code == 200


@pytest.mark.parametrize("steps", [-1, 0, 1])
async def test_one_step_of_drift_is_tolerated(account, steps):
    await account.enable_two_factor()
    assert (await account.login(totp=account.totp(steps))).status_code == 200


@pytest.mark.parametrize("steps", [-2, 2])
async def test_two_steps_of_drift_are_not(account, steps):
    await account.enable_two_factor()
    assert refusal(await account.login(totp=account.totp(steps))) == (401, "totp_invalid")


async def test_a_code_works_once(hall, account):
    await account.enable_two_factor()
    code = account.totp()
    assert (await account.login(totp=code)).status_code == 200
    assert refusal(await account.login(totp=code)) == (401, "totp_invalid")
    assert refusal(await account.login(totp=account.totp(-1))) == (401, "totp_invalid")
    hall.clock.advance(seconds=30)
    assert (await account.login(totp=account.totp())).status_code == 200


@pytest.mark.every_database
async def test_of_32_posts_with_one_code_one_gets_in(account):
    await account.enable_two_factor()
    code = account.totp()
    answers = await asyncio.gather(*(account.login(totp=code) for _ in range(32)))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 401, 429}


async def test_only_ascii_digits_are_a_code(account):
    await account.enable_two_factor()
    code = account.totp()
    arabic = "".join(chr(0x0660 + int(digit)) for digit in code)
    fullwidth = "".join(chr(0xFF10 + int(digit)) for digit in code)
    for wrong in (arabic, fullwidth, f" {code}", f"{code}\n", "", "0" * 7):
        assert refusal(await account.login(totp=wrong)) == (401, "totp_invalid")
    assert (await account.login(totp=code)).status_code == 200


async def test_a_missing_code_is_no_failure_and_a_wrong_one_is(account):
    await account.enable_two_factor()
    for _ in range(12):
        assert refusal(await account.login()) == (401, "totp_required")
    for _ in range(10):
        assert refusal(await account.login(totp="000000")) == (401, "totp_invalid")
    assert refusal(await account.login(totp=account.totp())) == (429, "rate_limited")
    assert refusal(await account.login()) == (429, "rate_limited")


async def test_a_recovery_code_stands_in_once(account):
    await account.enable_two_factor()
    code = account.codes[0]
    assert (await account.login(recovery_code=code)).status_code == 200
    assert refusal(await account.login(recovery_code=code)) == (401, "totp_invalid")
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 9}
    shouted = account.codes[1].replace("-", " ").upper()
    assert (await account.login(recovery_code=shouted)).status_code == 200


@pytest.mark.every_database
async def test_of_16_posts_with_one_recovery_code_one_gets_in(account):
    await account.enable_two_factor()
    answers = await asyncio.gather(*(account.login(recovery_code=account.codes[0]) for _ in range(16)))
    assert [answer.status_code for answer in answers].count(200) == 1
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 9}


async def test_a_good_totp_spends_no_recovery_code(account):
    await account.enable_two_factor()
    response = await account.login(totp=account.totp(), recovery_code=account.codes[0])
    assert response.status_code == 200
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 10}


async def test_one_persons_recovery_code_is_no_others(account, new_account):
    other = await new_account()
    await account.enable_two_factor()
    await other.enable_two_factor()
    assert refusal(await other.login(recovery_code=account.codes[0])) == (401, "totp_invalid")


async def test_a_refused_team_spends_no_code(account):
    await account.enable_two_factor()
    code = account.totp()
    assert (await account.login(totp=code, team="team_nowhere")).status_code == 404
    assert (await account.login(totp=code)).status_code == 200


async def test_a_fresh_set_replaces_the_outstanding_one(account):
    await account.enable_two_factor()
    await account.login(recovery_code=account.codes[0])
    response = await account.client.post("/api/2fa/recovery-codes")
    assert response.status_code == 200
    fresh = response.json()["recovery_codes"]
    assert len(set(fresh) | set(account.codes)) == 20
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 10}
    assert (await account.login(recovery_code=account.codes[1])).status_code == 401
    assert (await account.login(recovery_code=fresh[0])).status_code == 200


async def test_without_two_factor_there_are_no_recovery_codes(account):
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 0}
    assert refusal(await account.client.post("/api/2fa/recovery-codes")) == (409, "two_factor_off")


async def test_turning_it_off_forgets_seed_and_codes(account):
    await account.enable_two_factor()
    old_secret, old_code = account.secret, account.codes[0]
    assert (await account.client.delete("/api/2fa")).status_code == 204
    assert (await account.login()).status_code == 200
    assert (await account.client.get("/api/2fa/recovery-codes")).json() == {"unspent": 0}
    await account.enable_two_factor()
    assert account.secret != old_secret
    assert (await account.login(recovery_code=old_code)).status_code == 401


async def test_turning_off_what_is_off_changes_nothing(account):
    other = await account.session()
    assert (await account.client.delete("/api/2fa")).status_code == 204
    assert (await other.get("/api/whoami")).status_code == 200


async def test_changing_the_factor_ends_every_other_session(hall, account):
    before = await account.session()
    machine = await hall.with_token(hall.acme.admin)
    await account.enable_two_factor()
    assert (await before.get("/api/whoami")).status_code == 401
    assert (await account.client.get("/api/whoami")).status_code == 200
    between = await account.session(totp=account.totp())
    assert (await account.client.delete("/api/2fa")).status_code == 204
    assert (await between.get("/api/whoami")).status_code == 401
    assert (await account.client.get("/api/whoami")).status_code == 200
    assert (await machine.get("/api/whoami")).status_code == 200


async def test_an_operator_revokes_the_factor_and_every_session(hall, account):
    await account.enable_two_factor()
    path = f"/api/admin/users/{account.user_id}/2fa"
    for nobody in (hall.acme.owner, hall.acme.org_owner, hall.globex.owner):
        assert refusal(await nobody.delete(path)) == (403, "permission_denied")
    assert (await hall.operator.delete(path)).status_code == 204
    assert (await account.client.get("/api/whoami")).status_code == 401
    session = await account.session()
    assert (await session.get("/api/whoami")).json()["user"]["two_factor"] is False
    assert (await hall.operator.delete("/api/admin/users/usr_nobody/2fa")).status_code == 404
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    (revoked,) = [event for event in events if event["action"] == "two_factor.revoked"]
    assert revoked["actor"]["name"] == hall.operator.username
    assert revoked["target"]["id"] == account.user_id


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/2fa/enable", None),
        ("POST", "/api/2fa/recovery-codes", None),
        ("GET", "/api/2fa/recovery-codes", None),
        ("DELETE", "/api/2fa", None),
        ("POST", "/api/password", {"new_password": "a staple of horses"}),
        ("POST", "/api/session/team", {"team": "acme"}),
        ("POST", "/api/logout", None),
    ],
)
async def test_an_api_token_cannot_change_how_its_owner_signs_in(module_hall, method, path, body):
    machine = await module_hall.with_token(module_hall.operator)
    assert refusal(await machine.request(method, path, body)) == (403, "session_required")


async def test_a_repeated_call_does_not_repeat_the_secret(account):
    headers = {"Idempotency-Key": "enrol-once"}
    first = await account.client.post("/api/2fa/enable", headers=headers)
    again = await account.client.post("/api/2fa/enable", headers=headers)
    assert first.status_code == 200
    assert refusal(again) == (409, "already_issued")
    assert again.json()["id"] == account.user_id


async def test_a_company_that_is_suspended_can_secure_its_accounts(hall, account):
    await hall.suspend(hall.acme)
    await account.enable_two_factor()
    assert (await account.client.post("/api/2fa/recovery-codes")).status_code == 200
    assert (await account.client.delete("/api/2fa")).status_code == 204


async def test_the_trail_tells_of_it_without_a_secret(hall, account):
    await account.enable_two_factor()
    codes = (await account.client.post("/api/2fa/recovery-codes")).json()["recovery_codes"]
    await account.client.delete("/api/2fa")
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    mine = [event["action"] for event in events if event["actor"]["name"] == account.username]
    assert mine[:3] == ["two_factor.disabled", "recovery_codes.replaced", "two_factor.enabled"]
    for secret in (account.secret, *account.codes, *codes):
        assert secret not in str(events)
