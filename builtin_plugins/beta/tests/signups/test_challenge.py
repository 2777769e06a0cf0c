"""A challenge holds as it was given, for ten minutes and one sign-up; all else is refused by one code."""

import asyncio

import pytest

from builtin_plugins.beta.signup.challenge import ChallengeInvalid, check_challenge, make_challenge, solve

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


def code_of(answer):
    return answer.status_code, answer.json().get("code")


INVALID = (400, "challenge_invalid")


async def test_a_visitor_solves_the_challenge_and_signs_up_once(visitors):
    challenge = await visitors.challenge()
    assert (challenge["algorithm"], challenge["difficulty"]) == ("sha-256", 16)
    solved = solve(challenge)
    answer = await visitors.sign_up(challenge=solved)
    assert (answer.status_code, answer.json()) == (201, {"status": "received"})
    assert code_of(await visitors.sign_up("bob@example.com", challenge=solved)) == INVALID
    assert [prospect["fields"] for prospect in await visitors.prospects()] == [{"email": "ann@example.com"}]


@pytest.mark.every_database
async def test_of_64_sign_ups_at_once_with_one_solved_nonce_one_is_taken(visitors):
    solved = visitors.easy()
    answers = await asyncio.gather(
        *(visitors.sign_up(f"robot{number}@example.com", challenge=solved) for number in range(64))
    )
    assert sorted(map(code_of, answers)) == [(201, None), *[INVALID] * 63]
    assert len(await visitors.prospects()) == 1


CHANGES = [
    {"difficulty": 0},
    {"difficulty": -300},
    {"difficulty": 2**62},
    {"nonce": "0" * 32},
    {"expires_at": "2099-01-01T00:00:00.000Z"},
    {"signature": "0" * 64},
    {"signature": "é" * 64},
    {"solution": "no solution"},
    {"solution": ""},
    {"solution": "9" * 129},
    {"algorithm": "md5"},
    {"more": 1},
    {"difficulty": "16"},
    {"difficulty": True},
    {"difficulty": 16.5},
    {"nonce": None},
    {"nonce": ["0"] * 32},
    {"expires_at": 4_070_908_800_000},
    {"signature": {}},
    {"solution": None},
    {"solution": True},
    {"solution": ["1"]},
]


async def test_a_challenge_that_was_changed_is_refused_and_changes_nothing(visitors):
    solved = solve(await visitors.challenge())
    for change in CHANGES:
        assert code_of(await visitors.sign_up(challenge={**solved, **change})) == INVALID, change
    for name in ("nonce", "difficulty", "expires_at", "signature", "solution"):
        without = {key: value for key, value in solved.items() if key != name}
        answer = await visitors.sign_up(challenge=without)
        assert code_of(answer) == INVALID
        assert answer.json()["errors"] == [{"pointer": f"/challenge/{name}", "message": "is missing"}]
    assert await visitors.prospects() == []
    assert (await visitors.sign_up(challenge=solved)).status_code == 201


async def test_what_is_no_challenge_is_refused(visitors):
    for given in (None, "text", 7, [], {}, True, [["nonce", "0"]]):
        body = {"fields": {"email": "ann@example.com"}, "challenge": given}
        answer = await visitors.hall.anonymous.post("/api/beta/signup", body, headers=visitors.headers())
        assert code_of(answer) == INVALID
        assert answer.json()["errors"][0]["pointer"].startswith("/challenge")


def test_a_challenge_of_another_instance_is_refused():
    given = solve(make_challenge(b"theirs", 1, 0))
    assert check_challenge(b"theirs", given, 0).nonce == given["nonce"]
    with pytest.raises(ChallengeInvalid, match="not given out here"):
        check_challenge(b"ours", given, 0)


async def test_a_challenge_ends_after_ten_minutes(visitors):
    late, last = visitors.easy(), visitors.easy()
    visitors.hall.clock.advance(seconds=599)
    assert (await visitors.sign_up(challenge=last)).status_code == 201
    visitors.hall.clock.advance(seconds=2)
    assert code_of(await visitors.sign_up("bob@example.com", challenge=late)) == INVALID


async def test_a_page_of_another_origin_reads_the_refusal(visitors):
    answer = await visitors.sign_up(challenge={"nonce": "?"}, headers={"Origin": "https://elsewhere.example"})
    assert code_of(answer) == INVALID
    assert answer.headers["access-control-allow-origin"] == "*"
    for path in ("/api/beta/challenge", "/api/beta/signup"):
        asked = {"Origin": "null", "Access-Control-Request-Method": "POST"}
        preflight = await visitors.hall.anonymous.request("OPTIONS", path, headers=asked)
        assert preflight.status_code in (200, 204)
        assert preflight.headers["access-control-allow-origin"] == "*"


async def test_a_number_may_be_the_solution(visitors):
    solved = visitors.easy()
    answer = await visitors.sign_up(challenge={**solved, "solution": int(solved["solution"])})
    assert answer.status_code == 201
