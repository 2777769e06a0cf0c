"""The echo: metered like a turn of a model, and so the way to see quotas at work over HTTP."""

import asyncio
from collections import Counter

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

AT_ONCE = 32
PATH = "/api/ai/echo"


async def test_it_says_the_same_and_what_that_took(hall, used):
    answer = await hall.acme.member.post(PATH, {"text": "12345678"})
    usage = {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}
    assert (answer.status_code, answer.json()) == (200, {"text": "12345678", "usage": usage})
    assert await used(hall.acme.member) == await used(hall.acme.viewer, "org") == (1, 4, 0)


@pytest.mark.parametrize(("text", "tokens"), [("a", 1), ("abcde", 2), ("日本語", 3), ("é" * 100_000, 50_000)])
async def test_tokens_are_estimated_by_the_length_of_the_text(hall, text, tokens):
    answer = await hall.acme.member.post(PATH, {"text": text})
    assert answer.json()["usage"]["prompt_tokens"] == tokens


async def test_a_refused_echo_says_which_limit_and_until_when(hall, limit, used):
    await limit(hall.acme, "ai.tokens.total", 5, "hour")
    await hall.acme.member.post(PATH, {"text": "12345678"})
    refused = await hall.acme.member.post(PATH, {"text": "x"})
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    facts = ("dimension", "level", "limit", "used", "window")
    assert [refused.json()[name] for name in facts] == ["ai.tokens.total", "team", 5, 4, "hour"]
    assert int(refused.headers["retry-after"]) == 3600
    assert (await used(hall.acme.member))[0] == 1
    hall.clock.advance(hours=1)
    assert (await hall.acme.member.post(PATH, {"text": "x"})).status_code == 200


async def test_without_a_slot_there_is_no_echo(hall, limit, used):
    await limit(hall.acme, "ai.concurrency", 0, "none")
    refused = await hall.acme.member.post(PATH, {"text": "x"})
    assert (refused.status_code, refused.json()["code"]) == (429, "concurrency_exceeded")
    assert [refused.json()[name] for name in ("dimension", "limit", "used")] == ["ai.concurrency", 0, 0]
    assert refused.headers["retry-after"] == "1"
    assert await used(hall.acme.member) == (0, 0, 0)


@pytest.mark.parametrize("most", [1, 10, AT_ONCE - 1])
@pytest.mark.every_database
async def test_of_many_callers_at_once_exactly_the_limit_is_served(hall, limit, used, most):
    await limit(hall.acme, "ai.requests", most, "day")
    await limit(hall.acme, "ai.concurrency", 8, "none", "org")
    answers = await asyncio.gather(*(hall.acme.member.post(PATH, {"text": "x"}) for _ in range(AT_ONCE)))
    assert Counter(answer.status_code for answer in answers) == {200: most, 429: AT_ONCE - most}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 429} == {"quota_exceeded"}
    assert await used(hall.acme.member) == (most, 2 * most, 0)


@pytest.mark.every_database
async def test_two_teams_share_what_their_company_may_use(hall, limit, used):
    await limit(hall.acme, "ai.requests", AT_ONCE - 1, "month", "org")
    callers = [hall.acme.member, hall.acme.second_team.member] * (AT_ONCE // 2)
    answers = await asyncio.gather(*(caller.post(PATH, {"text": "x"}) for caller in callers))
    (refused,) = [answer for answer in answers if answer.status_code == 429]
    assert (refused.json()["level"], refused.json()["window"]) == ("org", "month")
    parts = [(await used(caller))[0] for caller in callers[:2]]
    assert sum(parts) == AT_ONCE - 1
    assert (await hall.globex.member.post(PATH, {"text": "x"})).status_code == 200


@pytest.mark.every_database
async def test_the_same_echo_sent_again_under_its_key_is_metered_once(hall, used):
    for _ in range(3):
        answer = await hall.acme.member.post(PATH, {"text": "x"}, headers={"Idempotency-Key": "once"})
        assert answer.status_code == 200
    assert (await used(hall.acme.member))[0] == 1


async def test_a_viewer_has_no_echo(hall, used):
    refused = await hall.acme.viewer.post(PATH, {"text": "x"})
    assert (refused.status_code, refused.json()["permission"]) == (403, "chat:use")
    assert await used(hall.acme.viewer) == (0, 0, 0)


@pytest.mark.parametrize(
    "body", [{}, {"text": ""}, {"text": 1}, {"text": "x" * 100_001}, {"text": "x", "n": 1}]
)
async def test_a_body_that_is_not_as_described_is_not_metered(module_hall, used, body):
    assert (await module_hall.acme.member.post(PATH, body)).status_code == 400
    assert await used(module_hall.acme.member) == (0, 0, 0)
