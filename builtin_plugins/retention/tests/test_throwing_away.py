"""What is over goes after the days that the operator says, with a day's notice, and nothing else does."""

import pytest
import pytest_asyncio

from builtin_plugins.retention.periods import DAY_MS
from builtin_plugins.retention.sweeper import PORTION
from guildhall_sdk import Statement

pytestmark = pytest.mark.any_database


@pytest_asyncio.fixture
async def hall(open_hall, shelf):
    async with open_hall(shelf.plugin()) as hall:
        yield hall


async def test_what_was_kept_for_long_enough_goes_a_day_after_a_server_first_saw_the_days(hall, shelf, look):
    now = hall.clock.now_ms()
    shelf.over_at = [now - 40 * DAY_MS, now - 31 * DAY_MS, now - 10 * DAY_MS]
    assert await look(hall, 30) == 0
    hall.clock.advance(hours=23)
    assert await look(hall, 30) == 0
    hall.clock.advance(hours=1)
    assert await look(hall, 30) == 2
    assert shelf.over_at == [now - 10 * DAY_MS]


@pytest.mark.every_database
async def test_a_shorter_time_has_its_day_and_a_longer_one_holds_at_once(hall, shelf, look):
    await look(hall, 30)
    hall.clock.advance(days=2)
    now = hall.clock.now_ms()
    shelf.over_at = [now - 20 * DAY_MS, now - 12 * DAY_MS]
    assert await look(hall, 10) == 0
    hall.clock.advance(hours=12)
    assert await look(hall, 15) == 0
    hall.clock.advance(hours=23)
    assert await look(hall, 15) == 0
    hall.clock.advance(hours=2)
    assert await look(hall, 15) == 1
    hall.clock.advance(days=400)
    assert await look(hall, 0) == 0
    assert len(shelf.over_at) == 1


async def test_a_clock_that_was_set_back_makes_no_time_shorter_and_holds_up_nothing_for_more_than_a_day(
    hall, shelf, look
):
    await look(hall, 30)
    hall.clock.advance(days=100)
    await look(hall, 400)
    hall.clock.advance(days=-90)
    now = hall.clock.now_ms()
    shelf.over_at = [now - 401 * DAY_MS, now - 100 * DAY_MS]
    assert await look(hall, 400) == 0
    hall.clock.advance(days=1)
    assert await look(hall, 400) == 1
    assert shelf.over_at == [now - 100 * DAY_MS]


async def test_much_goes_in_portions_and_what_was_cut_off_goes_on(hall, shelf, look):
    await look(hall, 1)
    hall.clock.advance(days=2)
    shelf.over_at, shelf.dies_at = [0] * (2 * PORTION + 1), 2
    with pytest.raises(ConnectionError):
        await look(hall, 1)
    assert len(shelf.over_at) == PORTION + 1
    hall.clock.advance(hours=1)
    assert await look(hall, 1) == PORTION + 1
    assert set(shelf.portions) == {PORTION}


@pytest.mark.every_database
async def test_what_fails_keeps_nothing_else_from_going(hall, shelf, look):
    async def translations_left():
        counted = "SELECT COUNT(*) AS many FROM translations"
        async with hall.server.data.read() as reader:
            return await reader.value(Statement("counted", counted, counted))

    made = await hall.acme.member.post("/api/translate", {"text": "An order.", "target": "es"})
    assert made.status_code == 200, made.text
    hall.clock.advance(days=400)
    await look(hall, 1)
    hall.clock.advance(days=2)
    shelf.over_at, shelf.dies_at = [0], 1
    assert await translations_left() == 1
    with pytest.raises(ConnectionError):
        await look(hall, 1)
    assert await translations_left() == 0


async def test_one_process_an_hour_throws_away(hall, shelf, look):
    await look(hall, 1)
    hall.clock.advance(days=2)
    await look(hall, 1)
    shelf.over_at = [0]
    hall.clock.advance(minutes=59)
    assert await look(hall, 1) == 0
    hall.clock.advance(minutes=1)
    assert await look(hall, 1) == 1


async def test_a_clock_that_leaps_ahead_throws_nothing_away_for_a_day_and_one_that_is_put_right_loses_nothing(
    hall, shelf, look, caplog
):
    await look(hall, 30)
    hall.clock.advance(days=2)
    assert await look(hall, 30) == 0
    shelf.over_at = [hall.clock.now_ms()]
    hall.clock.advance(days=3650)
    for _ in range(2):
        assert await look(hall, 30) == 0
        hall.clock.advance(hours=11)
    leaps = [record.fields for record in caplog.records if record.msg == "retention.clock_jumped"]
    assert [leap["days"] for leap in leaps if leap["name"] == "shelf"] == [30]
    hall.clock.advance(days=-3650)
    for _ in range(2):
        assert await look(hall, 30) == 0
        hall.clock.advance(days=5)
    assert len(shelf.over_at) == 1
    for _ in range(5):
        hall.clock.advance(days=5)
        await look(hall, 30)
    assert shelf.over_at == []
