"""A process that dies between reserving and settling takes nothing with it."""

import pytest

from builtin_plugins.quotas import store
from builtin_plugins.quotas.store import REMEMBERED_MS, give_back_all_lapsed
from guildhall_sdk import TooManyRequests

pytestmark = pytest.mark.any_database


async def stored(books, column="total"):
    rows = await books.process.tamper(
        f"SELECT team_id, dimension, {column} AS stored FROM quota_counters WHERE dimension = 'test.words'"
    )
    return sorted(row["stored"] for row in rows)


async def holds(books):
    return await books.process.tamper("SELECT dimension, returned FROM quota_holds ORDER BY dimension")


@pytest.mark.every_database
async def test_what_lapsed_no_longer_counts(books):
    await books.reserve({"test.calls": 1, "test.words": 30, "test.slots": 1}, ttl_ms=1000)
    books.clock.advance(milliseconds=999)
    assert await books.used("test.words") == 30
    books.clock.advance(milliseconds=1)
    for dimension in ("test.calls", "test.words", "test.slots"):
        assert await books.used(dimension) == await books.used(dimension, level="org") == 0


async def test_a_lapsed_hold_makes_room_for_the_next_caller(books):
    await books.limit("test.words", "day", 30, level="org")
    await books.limit("test.slots", "none", 1, level="org")
    await books.reserve({"test.words": 30, "test.slots": 1}, ttl_ms=1000)
    with pytest.raises(TooManyRequests):
        await books.reserve({"test.slots": 1}, team_id=books.second_team_id)
    books.clock.advance(seconds=1)
    await books.reserve({"test.words": 30, "test.slots": 1}, team_id=books.second_team_id)
    assert await books.used("test.words") == 0
    assert await books.used("test.words", level="org") == 30
    assert await books.used("test.slots", level="org") == 1


async def test_a_lapse_is_given_back_once(books):
    await books.reserve({"test.words": 7}, ttl_ms=60_000)
    await books.reserve({"test.words": 30}, ttl_ms=1000)
    books.clock.advance(seconds=1)
    await books.reserve({"test.words": 1}, ttl_ms=60_000)
    await books.reserve({"test.words": 1}, ttl_ms=60_000)
    assert await books.used("test.words") == await books.used("test.words", level="org") == 9


async def test_the_boot_gives_back_what_lapsed_and_leaves_the_living(books):
    await books.reserve({"test.words": 30}, ttl_ms=1000)
    await books.reserve({"test.words": 5}, ttl_ms=60_000)
    await books.reserve({"test.words": 2}, ttl_ms=1000, team_id=books.second_team_id)
    books.clock.advance(seconds=1)
    assert await stored(books) == [2, 35, 37]
    await give_back_all_lapsed(books.process.data, books.clock)
    assert await stored(books) == [0, 5, 5]
    assert await stored(books, "day_used") == [0, 5, 5]
    await give_back_all_lapsed(books.process.data, books.clock)
    assert await stored(books) == [0, 5, 5]


@pytest.mark.parametrize("swept", [False, True])
async def test_whoever_settles_after_the_lapse_is_still_counted(books, swept):
    """The work was done all the same; its slot may be somebody else's by now."""
    reservation = await books.reserve({"test.words": 30, "test.slots": 1}, ttl_ms=1000)
    books.clock.advance(seconds=1)
    if swept:
        await give_back_all_lapsed(books.process.data, books.clock)
        await books.reserve({"test.slots": 1})
    await books.settle(reservation, {"test.words": 12})
    await books.settle(reservation, {"test.words": 12})
    assert await books.used("test.words") == 12
    assert await books.used("test.slots") == int(swept)


async def test_settling_one_lapsed_hold_gives_another_back_once(books):
    late = await books.reserve({"test.words": 1}, ttl_ms=1000)
    await books.reserve({"test.words": 30}, ttl_ms=1000)
    await books.reserve({"test.words": 7})
    books.clock.advance(seconds=1)
    await books.settle(late, {"test.words": 2})
    assert await books.used("test.words") == await books.used("test.words", level="org") == 9


async def test_a_lapse_in_a_window_that_has_passed_leaves_the_next_alone(books):
    await books.limit("test.words", "minute", 100)
    await books.limit("test.words", "month", 100)
    await books.reserve({"test.words": 30}, ttl_ms=1000)
    books.clock.advance(minutes=1)
    await books.reserve({"test.words": 20})
    assert await books.used("test.words", window="minute") == 20
    assert await books.used("test.words", window="month") == 20


async def test_a_hold_can_be_kept_alive(books):
    reservation = await books.reserve({"test.slots": 1}, ttl_ms=1000)
    books.clock.advance(milliseconds=900)
    assert await books.extend(reservation, 1000)
    books.clock.advance(milliseconds=900)
    assert await books.used("test.slots") == 1
    books.clock.advance(milliseconds=100)
    assert not await books.extend(reservation, 1000)
    assert await books.used("test.slots") == 0
    await books.settle(reservation)
    assert not await books.extend(reservation, 1000)


async def test_a_settled_hold_leaves_no_row_and_a_lapsed_one_not_for_ever(books):
    await books.settle(await books.reserve({"test.words": 3}))
    assert await holds(books) == []
    await books.reserve({"test.words": 3}, ttl_ms=1000)
    books.clock.advance(seconds=1)
    await give_back_all_lapsed(books.process.data, books.clock)
    assert await holds(books) == [{"dimension": "test.words", "returned": 1}]
    books.clock.advance(milliseconds=REMEMBERED_MS)
    await books.reserve({"test.slots": 1}, ttl_ms=1000)
    books.clock.advance(seconds=1)
    await give_back_all_lapsed(books.process.data, books.clock)
    assert await holds(books) == [{"dimension": "test.slots", "returned": 1}]


async def test_what_lapsed_within_a_minute_is_given_back_in_one(books):
    for amount in range(1, 21):
        await books.reserve({"test.words": amount}, ttl_ms=90_000)
        books.clock.advance(seconds=7)
    books.clock.advance(seconds=90)
    assert await books.used("test.words") == await books.used("test.words", level="org") == 0
    await books.reserve({"test.words": 5}, ttl_ms=60_000)
    assert await stored(books) == [5, 5]
    assert await stored(books, "day_used") == [5, 5]


async def test_what_is_long_over_is_forgotten_a_few_at_a_time(books, monkeypatch):
    monkeypatch.setattr(store, "_FORGOTTEN_AT_ONCE", 3)
    for _ in range(8):
        await books.reserve({"test.words": 1}, ttl_ms=1000)
    books.clock.advance(seconds=1)
    await give_back_all_lapsed(books.process.data, books.clock)
    left = []
    for _ in range(3):
        books.clock.advance(milliseconds=REMEMBERED_MS)
        await books.reserve({"test.calls": 1}, ttl_ms=1000)
        books.clock.advance(seconds=1)
        await give_back_all_lapsed(books.process.data, books.clock)
        left.append(sum(hold["dimension"] == "test.words" for hold in await holds(books)))
    assert left == [5, 2, 0]
