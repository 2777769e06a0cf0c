"""Calendar windows: where they begin and end, and what a counter does at their edges."""

from datetime import UTC, datetime

import pytest

from builtin_plugins.quotas.counters import Counter, Moment, end_of, start_of
from guildhall_sdk import TooManyRequests
from guildhall_sdk.dimensions import Usage

pytestmark = pytest.mark.any_database


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


EDGES = [
    ("minute", "2030-05-05T10:59:59.999", "2030-05-05T10:59", "2030-05-05T11:00"),
    ("minute", "2030-05-05T11:00:00.000", "2030-05-05T11:00", "2030-05-05T11:01"),
    ("hour", "2030-12-31T23:59:59.999", "2030-12-31T23:00", "2031-01-01T00:00"),
    ("day", "2028-02-28T23:59:59.999", "2028-02-28T00:00", "2028-02-29T00:00"),
    ("day", "2028-02-29T00:00:00.000", "2028-02-29T00:00", "2028-03-01T00:00"),
    ("month", "2028-02-29T23:59:59.999", "2028-02-01T00:00", "2028-03-01T00:00"),
    ("month", "2030-02-28T23:59:59.999", "2030-02-01T00:00", "2030-03-01T00:00"),
    ("month", "2030-01-31T12:00:00.000", "2030-01-01T00:00", "2030-02-01T00:00"),
    ("month", "2030-12-01T00:00:00.000", "2030-12-01T00:00", "2031-01-01T00:00"),
]


@pytest.mark.every_database
@pytest.mark.parametrize(("window", "at", "start", "end"), EDGES)
def test_windows_follow_the_calendar_in_utc(window, at, start, end):
    assert start_of(window, ms(at)) == ms(start)
    assert end_of(window, ms(start)) == ms(end)


@pytest.mark.parametrize(
    ("window", "before", "after"),
    [
        ("minute", "2030-05-05T10:59:59.999", "2030-05-05T11:00"),
        ("hour", "2030-05-05T10:59:59.999", "2030-05-05T11:00"),
        ("day", "2028-02-28T23:59:59.999", "2028-02-29T00:00"),
        ("month", "2028-02-29T23:59:59.999", "2028-03-01T00:00"),
        ("month", "2030-12-31T23:59:59.999", "2031-01-01T00:00"),
    ],
)
async def test_a_limit_is_given_anew_at_the_edge_of_its_window(books, window, before, after):
    books.clock.advance(milliseconds=ms(before) - books.clock.now_ms())
    await books.limit("test.calls", window, 1)
    await books.settle(await books.reserve({"test.calls": 1}))
    with pytest.raises(TooManyRequests) as refused:
        await books.reserve({"test.calls": 1})
    assert refused.value.extras["window"] == window
    assert refused.value.headers == {"Retry-After": "1"}
    books.clock.advance(milliseconds=1)
    assert books.clock.now_ms() == ms(after)
    assert await books.used("test.calls") == 0
    await books.reserve({"test.calls": 1})


async def test_a_refusal_says_when_the_window_resets(books):
    books.clock.advance(milliseconds=ms("2028-02-28T12:00:00.500") - books.clock.now_ms())
    row = await books.limit("test.calls", "month", 0)
    assert row == Usage("test.calls", "team", "month", 0, 0, ms("2028-03-01T00:00"))
    with pytest.raises(TooManyRequests) as refused:
        await books.reserve({"test.calls": 1})
    # One and a half days of a leap year, less half a second, in whole seconds that are never too few.
    assert refused.value.headers["Retry-After"] == str(36 * 3600)


def test_a_clock_that_is_behind_spends_no_limit_twice():
    """At an edge, one process has begun the next window before another's clock has come there."""
    ahead = Counter("t", "x.calls").at(Moment.at(ms("2030-05-05T11:00:00.001"))).plus(5, "rate")
    behind = Moment.at(ms("2030-05-05T10:59:59.990"))
    counted = ahead.at(behind)
    assert [counted.used_in(window) for window in ("minute", "hour", "day", "month")] == [5, 5, 5, 5]
    assert counted.resets_at("minute") == ms("2030-05-05T11:01")


def test_a_window_from_a_clock_that_was_wrong_does_not_last():
    wrong = Counter("t", "x.calls").at(Moment.at(ms("2041-05-05T11:00"))).plus(5, "rate")
    righted = wrong.at(Moment.at(ms("2030-05-05T11:00")))
    assert [righted.used_in(window) for window in ("minute", "hour", "day", "month")] == [0, 0, 0, 0]
    assert righted.used_in("none") == 5
