"""Wrong provisioning tokens: how many, from where, and for how long."""

import asyncio

import pytest
import pytest_asyncio

from guildhall_sdk import Statement

pytestmark = pytest.mark.any_database

TOKEN = "canary-provision-token"
FAILURES = Statement("failures", *["SELECT COUNT(*) AS n FROM provision_failures"] * 2)
EVENTS = Statement("events", *["SELECT detail FROM audit_events WHERE action = 'provision.refused'"] * 2)


@pytest_asyncio.fixture(loop_scope="session")
async def hosted(open_hall):
    settings = {"SERVICE_PROVISION_TOKEN": TOKEN, "SERVICE_TRUSTED_PROXIES": "127.0.0.1"}
    async with open_hall(populated=False, **settings) as opened:
        yield opened


async def call(hall, token, address="192.0.2.7"):
    headers = {"X-Forwarded-For": address}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return await hall.anonymous.request("POST", "/api/instance/resume", headers=headers)


async def statuses(hall, token, times, address="192.0.2.7"):
    return [(await call(hall, token, address)).status_code for _ in range(times)]


async def test_ten_wrong_tokens_brake_even_the_right_one(hosted):
    assert await statuses(hosted, "wrong", 12) == [401] * 10 + [429] * 2
    braked = await call(hosted, TOKEN)
    assert (braked.status_code, braked.json()["code"]) == (429, "rate_limited")
    assert 890 <= int(braked.headers["retry-after"]) <= 900
    wrong = await call(hosted, "wrong")
    assert (wrong.json()["detail"], wrong.headers["retry-after"]) == (
        braked.json()["detail"],
        braked.headers["retry-after"],
    )


@pytest.mark.every_database
async def test_a_brake_holds_one_address_and_lifts_when_it_says_so(hosted):
    await statuses(hosted, "wrong", 10)
    assert await statuses(hosted, TOKEN, 1, "192.0.2.8") == [200]
    hosted.clock.advance(minutes=5)
    assert await statuses(hosted, "wrong", 5) == [429] * 5
    wait = int((await call(hosted, TOKEN)).headers["retry-after"])
    assert 590 <= wait <= 600
    hosted.clock.advance(seconds=wait)
    assert await statuses(hosted, TOKEN, 1) == [200]


async def test_a_success_clears_the_count(hosted):
    for _ in range(3):
        assert await statuses(hosted, "wrong", 9) == [401] * 9
        assert await statuses(hosted, TOKEN, 1) == [200]


@pytest.mark.every_database
async def test_of_32_wrong_tokens_at_once_ten_learn_that_they_are(hosted):
    answers = await asyncio.gather(*(call(hosted, "wrong") for _ in range(32)))
    assert sorted(answer.status_code for answer in answers) == [401] * 10 + [429] * 22


async def test_a_missing_token_is_no_guess(hosted):
    assert await statuses(hosted, None, 12) == [401] * 12
    assert await statuses(hosted, TOKEN, 1) == [200]


@pytest.mark.every_database
async def test_a_guess_stands_in_the_trail_without_what_was_guessed(hosted):
    await call(hosted, "canary-that-was-guessed")
    async with hosted.server.data.read() as reader:
        (event,) = await reader.all(EVENTS)
    assert "192.0.2.7" in event["detail"]
    assert "canary" not in event["detail"]


@pytest.mark.every_database
async def test_old_failures_are_swept(hosted):
    await statuses(hosted, "wrong", 5)
    hosted.clock.advance(minutes=16)
    await statuses(hosted, "wrong", 1)
    async with hosted.server.data.read() as reader:
        assert await reader.value(FAILURES) == 1
