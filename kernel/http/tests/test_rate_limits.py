"""Rate limits through the front door: who spends whose budget, and at what cost a flood is refused."""

import pytest

from kernel.identity.authenticate import KnownCallers

pytestmark = pytest.mark.any_database

LIMIT = {"SERVICE_RATE_LIMIT": "300"}  # an address without a credential: 60 a minute, 10 at once


@pytest.fixture
def lookups(monkeypatch):
    """The tokens that were looked up."""
    asked, look_up = [], KnownCallers.verify

    async def verify(self, token, now_ms):
        asked.append(token)
        return await look_up(self, token, now_ms)

    monkeypatch.setattr(KnownCallers, "verify", verify)
    return asked


async def statuses(client, times, path="/api/whoami"):
    return [(await client.get(path)).status_code for _ in range(times)]


async def test_tokens_that_nobody_has_are_limited_by_address_before_the_lookup(open_hall, lookups):
    async with open_hall(**LIMIT) as hall:
        bad = [hall.bearer(f"ghs_{number:043d}") for number in range(30)]
        answers = [await client.get("/api/whoami") for client in bad]
        assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 20
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert len(lookups) == 10


async def test_requests_without_a_token_are_limited_by_address(open_hall):
    async with open_hall(**LIMIT) as hall:
        assert await statuses(hall.anonymous, 12) == [401] * 10 + [429] * 2


async def test_a_neighbours_failures_stop_nobody_who_is_at_work(open_hall, lookups):
    async with open_hall(**LIMIT) as hall:
        assert await statuses(hall.acme.member, 1) == [200]
        await statuses(hall.bearer("ghs_" + "0" * 43), 20)
        assert await statuses(hall.acme.member, 5) == [200] * 5
        assert await statuses(hall.acme.admin, 1) == [429]
        hall.clock.advance(seconds=2)
        assert await statuses(hall.acme.admin, 1) == [200]


async def test_a_token_that_was_good_and_is_revoked_is_one_that_nobody_has(open_hall, lookups):
    async with open_hall(**LIMIT) as hall:
        client = hall.acme.member
        assert await statuses(client, 1) == [200]
        assert (await client.post("/api/logout")).status_code == 204
        lookups.clear()
        assert await statuses(client, 14) == [401] * 10 + [429] * 4
        assert len(lookups) == 10


async def test_a_known_caller_beyond_the_budget_is_refused_before_the_lookup(open_hall, lookups):
    async with open_hall(SERVICE_RATE_LIMIT="60") as hall:
        assert await statuses(hall.acme.member, 30) == [200] * 10 + [429] * 20
        assert len(lookups) == 10


async def test_what_is_public_takes_nothing_from_those_who_sign_in(open_hall):
    async with open_hall(**LIMIT) as hall:
        assert await statuses(hall.anonymous, 12, "/api/config") == [200] * 10 + [429] * 2
        assert await statuses(hall.acme.member, 3) == [200] * 3


async def test_public_rows_refuse_before_they_look_a_token_up(open_hall, lookups):
    async with open_hall(**LIMIT) as hall:
        assert await statuses(hall.acme.member, 12, "/api/config") == [200] * 10 + [429] * 2
        assert len(lookups) == 10


async def test_the_smallest_limit_is_no_open_door(open_hall):
    async with open_hall(SERVICE_RATE_LIMIT="4") as hall:
        assert await statuses(hall.anonymous, 2, "/api/config") == [200, 429]
        assert await statuses(hall.anonymous, 2) == [401, 429]


async def test_refusals_of_unknown_tokens_are_counted(open_hall):
    async with open_hall(**LIMIT) as hall:
        await statuses(hall.operator, 1)
        await statuses(hall.anonymous, 13)
        families = (await hall.operator.get("/api/metrics")).json()["items"]
        (family,) = [one for one in families if one["name"] == "guildhall_rate_limit_refusals_total"]
        counted = {sample["labels"]["budget"]: sample["value"] for sample in family["samples"]}
        assert counted["address"] == 3


def told(answer):
    return answer.headers.get("ratelimit-policy"), answer.headers.get("ratelimit")


async def test_each_answer_that_counts_says_what_is_left_and_the_refusal_too(open_hall):
    async with open_hall(SERVICE_RATE_LIMIT="60") as hall:
        answers = [await hall.acme.member.get("/api/whoami") for _ in range(11)]
        assert told(answers[0]) == ('"credential";q=10;w=10', '"credential";r=9;t=1')
        assert (answers[-1].status_code, *told(answers[-1])) == (
            429,
            '"credential";q=10;w=10',
            '"credential";r=0;t=10',
        )
        public = await hall.acme.admin.get("/api/config")  # counted by address, whoever asks
        assert told(public) == ('"address";q=2;w=10', '"address";r=1;t=5')
        assert told(await hall.anonymous.get("/api/whoami")) == (None, None)
