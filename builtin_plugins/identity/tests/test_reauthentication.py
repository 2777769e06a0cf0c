"""What decides how somebody signs in wants their password, or a session that has just begun."""

import pytest

from guildhall_sdk import rfc3339

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PASSWORD = "correct horse battery"
CALLS = [("POST", "/api/2fa/enable"), ("POST", "/api/2fa/recovery-codes"), ("DELETE", "/api/2fa")]


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.fixture
async def ready(hall, account):
    """`await ready(path)`: the account as far as this call can be made, its session 15 minutes old."""

    async def prepare(path: str):
        if not path.endswith("enable"):
            await account.enable_two_factor()
        hall.clock.advance(minutes=15)
        return account

    return prepare


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_an_older_session_alone_is_not_enough(ready, method, path):
    account = await ready(path)
    assert refusal(await account.client.request(method, path)) == (403, "reauthentication_required")
    assert refusal(await account.client.request(method, path, {})) == (403, "reauthentication_required")
    who = (await account.client.get("/api/whoami")).json()
    assert who["user"]["two_factor"] is not path.endswith("enable")


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_the_password_is_enough_at_any_age(ready, method, path):
    account = await ready(path)
    response = await account.client.request(method, path, {"password": PASSWORD})
    assert response.status_code in (200, 204)


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_a_session_of_less_than_15_minutes_is_enough(hall, account, method, path):
    if not path.endswith("enable"):
        await account.enable_two_factor()
    hall.clock.advance(minutes=14, seconds=59)
    assert (await account.client.request(method, path)).status_code in (200, 204)


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_a_wrong_password_is_refused_though_the_session_is_fresh(account, method, path):
    if not path.endswith("enable"):
        await account.enable_two_factor()
    response = await account.client.request(method, path, {"password": "wrong horse battery"})
    assert refusal(response) == (403, "wrong_password")


async def test_wrong_passwords_count_as_failed_logins(account):
    for _ in range(10):
        response = await account.client.post("/api/2fa/enable", {"password": "wrong horse battery"})
        assert refusal(response) == (403, "wrong_password")
    braked = await account.client.post("/api/2fa/enable", {"password": PASSWORD})
    assert refusal(braked) == (429, "rate_limited")
    assert refusal(await account.login()) == (429, "rate_limited")
    assert (await account.client.get("/api/whoami")).json()["user"]["two_factor"] is False


async def test_switching_teams_makes_no_session_younger(hall, account):
    await hall.acme.second_team.owner.post("/api/members", {"username": account.username, "role": "viewer"})
    hall.clock.advance(minutes=10)
    switched = account.client
    for team in (hall.acme.second_team.id, hall.acme.team_id, hall.acme.second_team.id):
        answer = (await switched.post("/api/session/team", {"team": team})).json()
        switched = hall.bearer(answer["token"])
        hall.clock.advance(minutes=2)
    assert refusal(await switched.post("/api/2fa/enable")) == (403, "reauthentication_required")


async def test_signing_in_again_is_enough(hall, account):
    hall.clock.advance(hours=3)
    assert refusal(await account.client.post("/api/2fa/enable")) == (403, "reauthentication_required")
    again = await account.session()
    assert (await again.post("/api/2fa/enable")).status_code == 200


async def test_who_never_had_a_password_is_told_to_sign_in(hall):
    joined = await hall.acme.owner.post("/api/members", {"username": "no-password", "role": "viewer"})
    first = hall.bearer(joined.json()["token"])
    hall.clock.advance(minutes=15)
    assert refusal(await first.post("/api/2fa/enable")) == (403, "reauthentication_required")
    assert refusal(await first.post("/api/2fa/enable", {"password": PASSWORD})) == (403, "wrong_password")


async def test_ones_own_sessions_are_listed_and_ended(hall, account):
    other = await account.session()
    listed = (await account.client.get("/api/sessions")).json()
    assert listed["next_cursor"] is None
    newest, first = listed["items"]
    assert (newest["current"], first["current"]) == (False, True)
    assert (newest["address"], newest["agent"].startswith("python-httpx/")) == ("127.0.0.1", True)
    assert {"id", "created_at", "last_used_at", "address", "agent", "current"} <= set(first)
    assert (await account.client.delete(f"/api/sessions/{newest['id']}")).status_code == 204
    assert (await other.get("/api/whoami")).status_code == 401
    assert refusal(await account.client.delete(f"/api/sessions/{newest['id']}")) == (404, "not_found")


async def test_a_session_says_when_it_was_last_used(hall, account):
    async def shown():
        (session,) = (await account.client.get("/api/sessions")).json()["items"]
        return session

    assert (await shown())["last_used_at"] is None  # it was made for them, and is new
    hall.clock.advance(minutes=6)
    used_at = hall.clock.now_ms()
    await account.client.get("/api/whoami")
    await hall.server.session_uses.flush()  # as it does once a minute
    assert (await shown())["last_used_at"] >= rfc3339(used_at)


async def test_nobody_sees_or_ends_the_session_of_another(hall, account, new_account):
    theirs = await new_account()
    (session,) = (await theirs.client.get("/api/sessions")).json()["items"]
    for stranger in (account.client, hall.acme.owner, hall.operator):
        mine = (await stranger.get("/api/sessions")).json()["items"]
        assert session["id"] not in {one["id"] for one in mine}
        assert refusal(await stranger.delete(f"/api/sessions/{session['id']}")) == (404, "not_found")
    token = await hall.with_token(hall.acme.owner)
    assert refusal(await token.get("/api/sessions")) == (403, "session_required")
    assert (await theirs.client.get("/api/whoami")).status_code == 200
