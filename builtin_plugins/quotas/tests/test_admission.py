"""Reserving and settling: what is admitted, what is refused, what is counted."""

import asyncio

import pytest

from guildhall_sdk import TooManyRequests

pytestmark = pytest.mark.any_database

AT_ONCE = 32


async def refused(awaitable) -> TooManyRequests:
    with pytest.raises(TooManyRequests) as refusal:
        await awaitable
    return refusal.value


async def admitted(attempts) -> int:
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, TooManyRequests):
            raise outcome
    return sum(not isinstance(outcome, BaseException) for outcome in outcomes)


@pytest.mark.every_database
async def test_what_is_reserved_counts_at_once_for_team_and_company(books):
    await books.reserve({"test.calls": 1, "test.words": 30, "test.slots": 1})
    for level in ("team", "org"):
        assert await books.used("test.calls", level=level) == 1
        assert await books.used("test.words", level=level) == 30
        assert await books.used("test.slots", level=level) == 1
    assert await books.used("test.calls", team_id=books.second_team_id) == 0


async def test_settling_corrects_down_and_frees_the_slot(books):
    reservation = await books.reserve({"test.calls": 1, "test.words": 30, "test.slots": 1})
    await books.settle(reservation, {"test.words": 12})
    assert await books.used("test.calls") == 1
    assert await books.used("test.words") == 12
    assert await books.used("test.words", level="org") == 12
    assert await books.used("test.slots") == await books.used("test.slots", level="org") == 0


async def test_settling_corrects_up_even_past_the_limit(books):
    await books.limit("test.words", "day", 30)
    reservation = await books.reserve({"test.words": 30})
    await books.settle(reservation, {"test.words": 50})
    assert await books.used("test.words") == 50
    problem = await refused(books.reserve({"test.words": 1}))
    assert problem.extras == {
        "dimension": "test.words",
        "level": "team",
        "limit": 30,
        "used": 50,
        "window": "day",
    }


async def test_settling_twice_is_harmless(books):
    first = await books.reserve({"test.words": 30, "test.slots": 1})
    await books.reserve({"test.words": 5, "test.slots": 1})
    await books.settle(first, {"test.words": 10})
    await books.settle(first, {"test.words": 10})
    await books.release(first)
    assert await books.used("test.words") == 15
    assert await books.used("test.slots") == 1


@pytest.mark.every_database
async def test_settling_at_the_same_time_counts_once(books):
    reservation = await books.reserve({"test.words": 30, "test.slots": 1})
    await books.reserve({"test.slots": 1})
    await asyncio.gather(*(books.settle(reservation, {"test.words": 10}) for _ in range(8)))
    assert await books.used("test.words") == 10
    assert await books.used("test.slots") == 1


async def test_a_failed_turn_keeps_its_request_and_returns_its_words(books):
    reservation = await books.reserve({"test.calls": 1, "test.words": 30, "test.slots": 1})
    await books.release(reservation, {"test.calls": 1})
    assert await books.used("test.calls") == 1
    assert await books.used("test.words") == 0
    assert await books.used("test.slots") == 0


async def test_settling_after_the_window_leaves_the_next_one_alone(books):
    await books.limit("test.words", "minute", 30)
    await books.limit("test.words", "hour", 100)
    reservation = await books.reserve({"test.words": 30})
    books.clock.advance(minutes=1)
    await books.reserve({"test.words": 20})
    await books.settle(reservation, {"test.words": 5})
    assert await books.used("test.words", window="minute") == 20
    assert await books.used("test.words", window="hour") == 25


@pytest.mark.every_database
async def test_a_refused_call_counts_nothing_anywhere(books):
    await books.limit("test.slots", "none", 0)
    await books.limit("test.calls", "day", 10)
    problem = await refused(books.reserve({"test.calls": 1, "test.words": 5, "test.slots": 1}))
    assert (problem.code, problem.headers) == ("concurrency_exceeded", {"Retry-After": "1"})
    assert problem.extras == {"dimension": "test.slots", "level": "team", "limit": 0, "used": 0}
    for level in ("team", "org"):
        assert await books.used("test.calls", level=level) == 0
        assert await books.used("test.words", level=level) == 0
    assert dict(books.ledger.refusals) == {"test.slots": 1}


async def test_a_refusal_leaves_its_transaction_as_it_was(books):
    """Whoever asks for less after a no, in the same transaction, commits only what was admitted."""
    await books.limit("test.words", "day", 10, level="org")
    async with books.process.data.write() as writer:
        await refused(
            books.ledger.reserve(writer, books.org_id, books.team_id, {"test.calls": 1, "test.words": 11}, 1)
        )
        await books.ledger.reserve(writer, books.org_id, books.team_id, {"test.words": 10}, 60_000)
    assert await books.used("test.calls") == 0
    assert await books.used("test.words") == 10


async def test_a_refusal_names_the_limit_that_holds_longest(books):
    for window in ("minute", "day", "hour"):
        await books.limit("test.calls", window, 0)
    await books.limit("test.slots", "none", 0)
    problem = await refused(books.reserve({"test.slots": 1, "test.calls": 1}))
    assert (problem.code, problem.extras["window"]) == ("quota_exceeded", "day")
    await books.limit("test.words", "none", 7)
    problem = await refused(books.reserve({"test.words": 8, "test.calls": 1}))
    assert (problem.extras["dimension"], problem.extras["window"]) == ("test.words", "none")
    assert problem.headers == {}


async def test_every_limited_window_must_have_room(books):
    await books.limit("test.calls", "minute", 2)
    await books.limit("test.calls", "hour", 3)
    for _ in range(2):
        await books.reserve({"test.calls": 1})
    assert (await refused(books.reserve({"test.calls": 1}))).extras["window"] == "minute"
    books.clock.advance(minutes=1)
    await books.reserve({"test.calls": 1})
    assert (await refused(books.reserve({"test.calls": 1}))).extras["window"] == "hour"


async def test_the_company_binds_two_teams_together(books):
    await books.limit("test.calls", "day", 3, level="org")
    await books.reserve({"test.calls": 2})
    await books.reserve({"test.calls": 1}, team_id=books.second_team_id)
    for team_id in (books.team_id, books.second_team_id):
        problem = await refused(books.reserve({"test.calls": 1}, team_id=team_id))
        assert (problem.extras["level"], problem.extras["used"]) == ("org", 3)
    async with books.process.data.write() as writer:
        await books.ledger.reserve(
            writer, books.foreign_org_id, books.foreign_team_id, {"test.calls": 9}, 60_000
        )


@pytest.mark.every_database
@pytest.mark.parametrize("limit", [1, 10, AT_ONCE - 1])
async def test_parallel_callers_never_pass_a_limit(books, limit):
    await books.limit("test.calls", "day", limit)
    assert await admitted(books.reserve({"test.calls": 1}) for _ in range(AT_ONCE)) == limit
    assert await books.used("test.calls") == limit


@pytest.mark.every_database
async def test_parallel_callers_of_two_processes_and_teams_never_pass_the_companys_limit(books, secret_key):
    await books.limit("test.calls", "day", AT_ONCE - 1, level="org")
    await books.limit("test.slots", "none", 20, level="org")
    async with books.process.sibling(secret_key) as other:
        pairs = [(books, books.team_id), (books.on(other), books.second_team_id)]
        attempts = (
            at.reserve({"test.calls": 1, "test.slots": slots}, team_id=team_id)
            for at, team_id in pairs * (AT_ONCE // 2)
            for slots in (0, 1)
        )
        assert await admitted(attempts) == AT_ONCE - 1
    assert await books.used("test.calls", level="org") == AT_ONCE - 1
    assert await books.used("test.slots", level="org") <= 20


@pytest.mark.every_database
async def test_first_use_by_many_at_once_loses_no_count(books):
    """Nobody has a counter yet: whoever makes it must not overwrite another's."""
    assert (
        await admitted(books.reserve({"test.calls": 1, "test.words": 2}) for _ in range(AT_ONCE)) == AT_ONCE
    )
    assert await books.used("test.calls", level="org") == AT_ONCE
    assert await books.used("test.words") == 2 * AT_ONCE


async def test_nothing_always_fits(books):
    await books.limit("test.words", "day", 0)
    await books.reserve({"test.words": 0})


@pytest.mark.parametrize("amounts", [{"test.calls": -1}, {"test.bytes": -1}, {"no.such": 1}])
async def test_a_plugin_that_reserves_nonsense_is_told(books, amounts):
    with pytest.raises(ValueError, match=next(iter(amounts))):
        await books.reserve(amounts)


async def test_only_what_was_reserved_can_be_settled(books):
    reservation = await books.reserve({"test.calls": 1})
    for actual in ({"test.words": 1}, {"test.calls": -1}):
        with pytest.raises(ValueError, match=next(iter(actual))):
            await books.settle(reservation, actual)
    await books.settle(reservation)
    assert await books.used("test.calls") == 1
