"""Signing in and out."""

import asyncio

import pytest

from guildhall_sdk.services.identity import Passwords

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PASSWORD = "correct horse battery"


@pytest.fixture
def during_verification(hall, monkeypatch):
    """Does something between the moment a password is found right and the moment that is judged."""
    passwords = hall.server.service(Passwords)
    verify = passwords.verify

    def interrupt(work) -> None:
        async def interrupted(password, stored):
            right = await verify(password, stored)
            monkeypatch.setattr(passwords, "verify", verify)
            await work()
            return right

        monkeypatch.setattr(passwords, "verify", interrupted)

    return interrupt


@pytest.fixture
def verifications(hall, monkeypatch) -> list[str]:
    """The password of each Argon2id verification."""
    passwords = hall.server.service(Passwords)
    seen: list[str] = []
    verify = passwords.verify

    async def counted(password, stored):
        seen.append(password)
        return await verify(password, stored)

    monkeypatch.setattr(passwords, "verify", counted)
    return seen


async def test_a_login_gives_a_session_of_twelve_hours(hall, account):
    response = await account.login()
    assert response.status_code == 200
    answer = response.json()
    assert answer["token"].startswith("ghs_")
    assert answer["user"] == {
        "id": account.user_id,
        "username": account.username,
        "display_name": account.username,
        "locale": "en",
        "two_factor": False,
    }
    assert answer["team"]["id"] == hall.acme.team_id
    client = hall.bearer(answer["token"])
    hall.clock.advance(hours=11, minutes=59)
    assert (await client.get("/api/whoami")).status_code == 200
    hall.clock.advance(minutes=1)
    assert (await client.get("/api/whoami")).status_code == 401


async def test_the_length_of_a_session_is_a_setting(open_hall):
    async with open_hall(SERVICE_SESSION_TTL="60") as hall:
        body = {"username": "short-lived", "role": "member", "password": PASSWORD}
        await hall.acme.owner.post("/api/members", body)
        login = await hall.anonymous.post("/api/login", {"username": "short-lived", "password": PASSWORD})
        client = hall.bearer(login.json()["token"])
        assert (await client.get("/api/whoami")).status_code == 200
        hall.clock.advance(seconds=60)
        assert (await client.get("/api/whoami")).status_code == 401


async def test_a_name_is_recognised_however_it_is_typed(hall, new_account):
    await new_account(username="Straße Ünal")
    for typed in ("strasse ünal", "STRASSE ÜNAL", "Straße U\u0308nal", "ｓtraße ünal"):
        body = {"username": typed, "password": PASSWORD}
        assert (await hall.anonymous.post("/api/login", body)).status_code == 200


async def test_nobody_learns_whether_a_name_exists(hall, account, verifications):
    wrong = await account.login("wrong horse battery")
    unknown = await hall.anonymous.post(
        "/api/login", {"username": "nobody", "password": "wrong horse battery"}
    )
    passwordless = (await hall.join(hall.acme)).username
    unset = await hall.anonymous.post(
        "/api/login", {"username": passwordless, "password": "wrong horse battery"}
    )
    bodies = [answer.json() for answer in (wrong, unknown, unset)]
    for body in bodies:
        body.pop("request_id")
    assert bodies[0] == bodies[1] == bodies[2]
    assert bodies[0]["code"] == "unauthenticated"
    assert {answer.status_code for answer in (wrong, unknown, unset)} == {401}
    assert wrong.headers["www-authenticate"] == unknown.headers["www-authenticate"] == "Bearer"
    assert len(verifications) == 3


@pytest.mark.every_database
async def test_parallel_logins_all_succeed(account):
    answers = await asyncio.gather(*(account.login() for _ in range(24)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["token"] for answer in answers}) == 24


@pytest.mark.every_database
async def test_a_password_that_changes_while_it_is_verified_is_wrong(account, during_verification):
    async def change_password() -> None:
        body = {"current_password": PASSWORD, "new_password": "a staple of horses"}
        assert (await account.client.post("/api/password", body)).status_code == 200

    during_verification(change_password)
    assert (await account.login()).status_code == 401
    assert (await account.login("a staple of horses")).status_code == 200


@pytest.mark.every_database
async def test_a_factor_that_is_turned_on_meanwhile_is_wanted(account, during_verification):
    during_verification(account.enable_two_factor)
    response = await account.login()
    assert (response.status_code, response.json()["code"]) == (401, "totp_required")


@pytest.mark.every_database
async def test_a_member_who_is_removed_meanwhile_does_not_get_in(hall, account, during_verification):
    async def remove() -> None:
        assert (await hall.acme.owner.delete(f"/api/members/{account.user_id}")).status_code == 204

    during_verification(remove)
    assert (await account.login()).status_code == 403


async def test_a_login_may_name_a_team_by_id_or_slug(hall, account):
    first = hall.acme.team_id
    second = hall.acme.second_team.id
    added = await hall.acme.second_team.owner.post(
        "/api/members", {"username": account.username, "role": "viewer"}
    )
    assert (added.status_code, added.json()["token"]) == (201, None)
    assert (await account.login()).json()["team"]["id"] == first
    by_id = (await account.login(team=second)).json()["team"]
    assert (by_id["id"], by_id["role"]) == (second, "viewer")
    assert (await account.login(team=by_id["slug"])).json()["team"]["id"] == second
    for foreign in (hall.globex.team_id, "team_nowhere"):
        assert (await account.login(team=foreign)).status_code == 404


async def test_whoever_is_in_no_team_is_told_so_after_the_password(hall, account):
    assert (await hall.acme.owner.delete(f"/api/members/{account.user_id}")).status_code == 204
    assert (await account.login("wrong horse battery")).status_code == 401
    refused = await account.login()
    assert (refused.status_code, refused.json()["code"]) == (403, "no_team")


async def test_logging_out_ends_this_session_alone(hall, account):
    first, second = await account.session(), await account.session()
    assert (await first.post("/api/logout")).status_code == 204
    assert (await first.get("/api/whoami")).status_code == 401
    assert (await second.get("/api/whoami")).status_code == 200


async def test_a_suspended_company_signs_in_and_out(hall, account):
    await hall.suspend(hall.acme)
    session = await account.session()
    assert (await session.get("/api/whoami")).status_code == 200
    assert (await session.post("/api/profile", {"locale": "nl"})).status_code == 402
    changed = await session.post(
        "/api/password", {"current_password": PASSWORD, "new_password": "a staple of horses"}
    )
    assert changed.status_code == 200
    assert (await session.post("/api/logout")).status_code == 204


async def test_logins_are_in_the_trail_without_what_was_typed(hall, account):
    await account.login("wrong horse battery")
    await account.login()
    await hall.anonymous.post("/api/login", {"username": "my own password", "password": "wrong horse"})
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    mine = [event for event in events if event["actor"]["name"] == account.username]
    assert [event["action"] for event in mine] == ["login.succeeded", "login.failed"]
    assert "wrong horse" not in str(events)
    assert "my own password" not in str(events)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"username": "ada"},
        {"username": 1, "password": PASSWORD},
        {"username": "ada", "password": None},
        {"username": "ada", "password": ""},
        {"username": "ada", "password": PASSWORD, "totp": 123456},
        {"username": "ada", "password": PASSWORD, "admin": True},
        {"username": "ada", "password": "x" * 1025},
        [],
    ],
)
async def test_a_malformed_login_is_a_bad_request(shared_hall, body):
    response = await shared_hall.anonymous.post("/api/login", body)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("token", ["é", "ghs_é", "ghs_" + "A" * 43, "Bearer", "ghs_", "\x7f"])
async def test_what_is_no_token_signs_nobody_in(shared_hall, token):
    headers = {"Authorization": f"Bearer {token}".encode()}
    response = await shared_hall.anonymous.get("/api/whoami", headers=headers)
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
    assert response.headers["www-authenticate"] == "Bearer"
