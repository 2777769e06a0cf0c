"""`decide_password`: the first reason wins, and a check that fails denies."""

import asyncio

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")

PERSON = {"username": "newcomer", "role": "viewer", "password": "a good enough passphrase"}


def _decider(make_plugin, name, answer, asked):
    async def decide_password(username, password):
        asked.append((name, username, password))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return make_plugin(name, decide_password=decide_password)


async def _refusal(hall):
    answer = await hall.acme.admin.post("/api/members", PERSON)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["pointer"] == "/password"
    return answer.json()["errors"][0]["message"]


async def test_the_first_reason_wins_and_the_others_are_not_asked(open_hall, make_plugin):
    asked = []
    plugins = [
        _decider(make_plugin, "silent", None, asked),
        _decider(make_plugin, "strict", "is on our own list", asked),
        _decider(make_plugin, "later", "never said", asked),
    ]
    async with open_hall(*plugins) as hall:
        assert await _refusal(hall) == "is on our own list"
    assert asked == [(name, PERSON["username"], PERSON["password"]) for name in ("silent", "strict")]


async def test_without_a_reason_the_password_is_taken(open_hall, make_plugin):
    asked = []
    async with open_hall(_decider(make_plugin, "silent", None, asked)) as hall:
        assert (await hall.acme.admin.post("/api/members", PERSON)).status_code == 201
    assert len(asked) == 1


async def test_a_check_that_fails_denies_and_says_nothing_of_why(open_hall, make_plugin):
    asked = []
    failing = _decider(make_plugin, "failing", RuntimeError(f"no {PERSON['password']}"), asked)
    async with open_hall(failing) as hall:
        message = await _refusal(hall)
    assert "ask the operator" in message
    assert "RuntimeError" not in message


async def test_a_check_that_hangs_denies(open_hall, make_plugin, monkeypatch):
    async def decide_password(username, password):
        await asyncio.Event().wait()

    async with open_hall(make_plugin(decide_password=decide_password)) as hall:
        monkeypatch.setattr("kernel.plugins.hooks.ON_TIMEOUT", 0.01)  # not before: it holds for starts too
        await _refusal(hall)
