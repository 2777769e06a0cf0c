"""When the times of a schedule come: expressions, zones, daylight saving, grids, and what never comes."""

from datetime import datetime
from time import thread_time
from zoneinfo import ZoneInfo

import pytest

from builtin_plugins.schedules.schedule import NOTHING_YET, Schedule
from builtin_plugins.schedules.times import Cron, Every, check_times, grace_ms, upcoming
from guildhall_sdk import InvalidRequest, rfc3339
from guildhall_sdk.ids import parse_rfc3339

pytestmark = pytest.mark.any_database
AMSTERDAM = "Europe/Amsterdam"


def schedule(cron=None, every_seconds=None, **fields):
    given = {"missed": "last", "overlap": "skip", "timezone": "UTC", "begins": 0, **NOTHING_YET, **fields}
    return Schedule(
        id="sch_1",
        org_id="org_1",
        team_id="team_1",
        workflow_slug="w",
        input={},
        enabled=True,
        plugin=None,
        name=None,
        ready=None,
        created_at=0,
        updated_at=0,
        cron=cron,
        every_seconds=every_seconds,
        **given,
    )


def ms(text):
    return parse_rfc3339(text)


def times(cron, since, many=3, zone=AMSTERDAM):
    """Returns the next times as clocks of the zone show them."""
    found = upcoming(Cron(cron, zone), ms(since), many)
    return [datetime.fromtimestamp(time / 1000, ZoneInfo(zone)).isoformat() for time in found]


def test_a_time_that_the_clocks_leap_over_comes_right_after_the_leap():
    assert times("30 2 * * *", "2026-03-28T12:00:00Z") == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-30T02:30:00+02:00",
        "2026-03-31T02:30:00+02:00",
    ]


def test_a_time_that_comes_twice_as_the_clocks_go_back_starts_once():
    assert times("30 2 * * *", "2026-10-24T12:00:00Z", 2) == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-26T02:30:00+01:00",
    ]
    between = "2026-10-25T01:10:00Z"  # in the second of the two hours
    assert times("30 2 * * *", between, 1) == ["2026-10-26T02:30:00+01:00"]


def test_what_comes_every_hour_or_minute_goes_by_the_time_that_passes():
    assert times("0 * * * *", "2026-03-29T00:30:00Z") == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-29T04:00:00+02:00",
        "2026-03-29T05:00:00+02:00",
    ]
    assert times("*/30 * * * *", "2026-10-25T00:10:00Z", 4) == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-25T02:00:00+01:00",
        "2026-10-25T02:30:00+01:00",
        "2026-10-25T03:00:00+01:00",
    ]


def test_days_of_the_month_and_of_the_week_are_read_as_cron_does():
    assert times("0 9 13 * FRI", "2026-11-01T00:00:00Z", 3, "UTC") == [
        "2026-11-06T09:00:00+00:00",
        "2026-11-13T09:00:00+00:00",
        "2026-11-20T09:00:00+00:00",
    ]
    assert times("0 9 L * *", "2026-02-01T00:00:00Z", 1, "UTC") == ["2026-02-28T09:00:00+00:00"]


def test_the_last_times_are_found_from_behind():
    cron = Cron("*/15 * * * *", "UTC")
    since, until = ms("2026-01-01T00:00:00Z"), ms("2026-11-19T08:20:00Z")
    assert [rfc3339(time)[11:16] for time in cron.last(3, since, until)] == ["07:45", "08:00", "08:15"]
    yearly = Cron("0 0 1 1 *", "UTC")
    assert [rfc3339(time)[:4] for time in yearly.last(9, ms("2020-01-01T00:00:00Z"), until)] == [
        *("2020", "2021", "2022", "2023", "2024", "2025", "2026")
    ]
    assert Every(1000, 300).last(3, 1300, 9999) == [7300, 8300, 9300]
    assert Every(1000, 300).last(3, 8300, 9299) == [8300]


@pytest.mark.parametrize("many", [1, 3, 1000])
@pytest.mark.parametrize(
    "of", [Every(7_000, 123), Cron("3-59/7 1,2,3 * * *", AMSTERDAM), Cron("0 0 29 2 *", "UTC")]
)
def test_the_last_times_are_those_that_come_one_after_the_other(of, many):
    since = of.after(ms("2026-03-28T00:00:00Z"))
    until, found = since, []
    for _ in range(10):
        found.append(until)
        until = of.after(until)
    assert of.last(many, since, until - 1) == found[-many:]


def test_a_start_is_in_time_within_half_of_the_interval_and_a_minute():
    assert [grace_ms(Every(seconds * 1000, 0), 0) for seconds in (1, 10, 3600)] == [1_000, 5_000, 60_000]
    assert grace_ms(Cron("* * * * *", "UTC"), 0) == 30_000


@pytest.mark.parametrize(
    ("fields", "pointer", "words"),
    [
        ({"cron": "0 0 30 2 *"}, "/cron", "never comes"),
        ({"cron": "0 0 31 2,4,6,9,11 *"}, "/cron", "never comes"),
        ({"cron": "61 * * * *"}, "/cron", "no valid minute"),
        ({"cron": "0 0 * * MON-"}, "/cron", "no valid day of week"),
        ({"cron": "0 0 * *"}, "/cron", "five fields"),
        ({"cron": "* * * * * *"}, "/cron", "five fields"),
        ({"cron": "@daily"}, "/cron", "five fields"),
        ({"cron": "0 0 * * \u0663"}, "/cron", "no valid day of week"),
        ({"cron": "*/0 * * * *"}, "/cron", "no valid minute"),
        ({}, "/cron", "one of"),
        ({"cron": "0 0 * * *", "every_seconds": 60}, "/cron", "one of"),
        ({"cron": "0 0 * * *", "timezone": "Mars/Olympus"}, "/timezone", "no time zone"),
        ({"cron": "0 0 * * *", "timezone": "../../etc/passwd"}, "/timezone", "no time zone"),
        ({"cron": "0 0 * * *", "timezone": "Europe"}, "/timezone", "no time zone"),
        ({"cron": "0 0 * * *", "timezone": "right/UTC"}, "/timezone", "no time zone"),
        ({"every_seconds": 60, "timezone": "x"}, "/timezone", "no time zone"),
    ],
)
def test_what_cannot_come_is_refused_in_words(fields, pointer, words):
    with pytest.raises(InvalidRequest) as refused:
        check_times({"timezone": "UTC", **fields}, 0)
    assert refused.value.errors[0]["pointer"] == pointer
    assert words in refused.value.detail


@pytest.mark.parametrize(
    "cron",
    ["0 0 29 2 *", "59 23 31 12 SUN#5", "0 0 * 2 MON#5", "0 0 30 2 *", "0 0 31 4 MON#5", "0 0 29-31 2 */7"],
)
def test_the_rarest_times_hold_nobody_up(cron, slowness):
    began = thread_time()
    try:
        check_times({"cron": cron, "timezone": AMSTERDAM}, 0)
        upcoming(Cron(cron, AMSTERDAM), 0)
    except InvalidRequest:
        pass
    assert thread_time() - began < 0.25 * slowness()
