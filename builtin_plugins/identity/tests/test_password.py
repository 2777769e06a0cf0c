"""Changing a password, and which passwords are taken."""

import asyncio

import pytest

from builtin_plugins.identity.schemas import password_fault

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PASSWORD = "correct horse battery"
NEW = "a staple of better horses"


async def change(client, **body):
    return await client.post("/api/password", body)


async def test_a_change_ends_every_other_session_and_the_old_password(hall, account):
    other = await account.session()
    machine = await hall.with_token(hall.acme.admin)
    response = await change(account.client, current_password=PASSWORD, new_password=NEW)
    assert (response.status_code, response.json()["id"]) == (200, account.user_id)
    assert (await other.get("/api/whoami")).status_code == 401
    assert (await account.client.get("/api/whoami")).status_code == 200
    assert (await machine.get("/api/whoami")).status_code == 200
    assert (await account.login()).status_code == 401
    assert (await account.login(NEW)).status_code == 200


async def test_the_current_password_is_wanted_and_must_be_right(account):
    wrong = await change(account.client, current_password="wrong horse battery", new_password=NEW)
    assert (wrong.status_code, wrong.json()["code"]) == (403, "wrong_password")
    missing = await change(account.client, new_password=NEW)
    assert (missing.status_code, missing.json()["errors"][0]["pointer"]) == (400, "/current_password")
    assert (await account.login()).status_code == 200


async def test_guessing_the_current_password_is_braked_as_a_login_is(account):
    for _ in range(10):
        wrong = await change(account.client, current_password="wrong horse battery", new_password=NEW)
        assert wrong.status_code == 403
    right = await change(account.client, current_password=PASSWORD, new_password=NEW)
    assert right.status_code == 429
    assert int(right.headers["retry-after"]) > 0


async def test_whoever_never_had_one_sets_the_first_without(hall):
    newcomer = await hall.join(hall.acme)
    assert (await change(newcomer, new_password=NEW)).status_code == 200
    again = await change(newcomer, new_password=PASSWORD)
    assert again.status_code == 400
    login = await hall.anonymous.post("/api/login", {"username": newcomer.username, "password": NEW})
    assert login.status_code == 200


@pytest.mark.every_database
async def test_of_several_first_passwords_at_once_one_is_set(hall):
    newcomer = await hall.join(hall.acme)
    choices = [f"{NEW} number {number}" for number in range(6)]
    answers = await asyncio.gather(*(change(newcomer, new_password=choice) for choice in choices))
    assert [answer.status_code for answer in answers].count(200) == 1
    won = choices[[answer.status_code for answer in answers].index(200)]
    login = await hall.anonymous.post("/api/login", {"username": newcomer.username, "password": won})
    assert login.status_code == 200


@pytest.mark.every_database
async def test_a_session_that_was_ended_meanwhile_changes_nothing(account):
    """Two sessions race to change the password: the one that comes second has ended by then."""
    other = await account.session()
    answers = await asyncio.gather(
        change(account.client, current_password=PASSWORD, new_password=f"{NEW} one"),
        change(other, current_password=PASSWORD, new_password=f"{NEW} two"),
    )
    assert sorted(answer.status_code for answer in answers) == [200, 401]


@pytest.mark.parametrize(
    "password", ["short", "x" * 9, "x" * 1025, "password123", "Qwertyuiop", "aaaaaaaaaaaa"]
)
async def test_a_poor_password_is_refused_by_name(shared_hall, password):
    response = await change(shared_hall.acme.member, current_password=PASSWORD, new_password=password)
    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "/new_password"
    assert password not in response.text


def test_a_password_that_is_little_more_than_the_username_is_refused():
    assert password_fault("guildmaster", "GuildMaster123")
    assert password_fault("guildmaster", "my guildmaster") is not None
    assert password_fault("ada", "ada likes long walks") is None


@pytest.mark.parametrize(
    "password", [PASSWORD, NEW, "x7$Kq9!mZw", "пароль длинный", "🐎" * 5 + "🔋" * 5 + "!"]
)
def test_ordinary_passwords_pass(password):
    assert password_fault("somebody", password) is None


async def test_a_change_is_in_the_trail(hall, account):
    await change(account.client, current_password=PASSWORD, new_password=NEW)
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    assert (events[0]["action"], events[0]["actor"]["name"]) == ("password.changed", account.username)
    assert NEW not in str(events)
