"""Times as callers send them and as they are shown."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_sdk import InvalidRequest, rfc3339
from guildhall_sdk.ids import parse_rfc3339, time_in

LAST_MS = 253_402_300_799_999
FIRST_MS = -62_135_596_800_000


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2030-01-31T12:00:00+02:00", 1_896_084_000_000),
        ("9999-12-31T23:59:59.999999Z", LAST_MS),
        ("0001-01-01T00:00:00Z", FIRST_MS),
        ("9999-12-31T23:59:59+14:00", LAST_MS - 999 - 14 * 3_600_000),
    ],
)
def test_a_time_is_whole_milliseconds(text, ms):
    assert parse_rfc3339(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2030-01-31",
        "2030-01-31T12:00:00",
        "2030-01-31 12:00:00Z",
        "9999-12-31T23:59:59-14:00",
        "9999-12-31T23:59:59.999999-00:01",
        "0001-01-01T00:00:00+00:01",
        "10000-01-01T00:00:00Z",
        "2030-02-30T12:00:00Z",
        "２０３０-01-31T12:00:00Z",
        "2030-01-31T12:00:00." + "0" * 100_000 + "Z",
    ],
)
def test_what_no_time_can_say_is_refused_by_its_name(text):
    assert parse_rfc3339(text) is None
    with pytest.raises(InvalidRequest) as refusal:
        time_in({"run_at": text}, "run_at")
    assert refusal.value.errors[0]["pointer"] == "/run_at"


def test_a_time_that_is_absent_or_null_is_none():
    assert time_in({}, "run_at") is None
    assert time_in({"run_at": None}, "run_at") is None


offsets = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(timezones=offsets))
def test_whatever_is_read_can_be_shown_and_read_again(moment):
    ms = parse_rfc3339(moment.isoformat())
    if ms is None:
        with pytest.raises(OverflowError):
            moment.astimezone(UTC)
    else:
        assert parse_rfc3339(rfc3339(ms)) == ms
        assert datetime.fromisoformat(rfc3339(ms)) <= moment


@pytest.mark.parametrize("ms", [LAST_MS + 1, 2**63 - 1, FIRST_MS - 1, -(2**63)])
def test_what_was_stored_beyond_the_calendar_is_shown_as_its_edge(ms):
    assert rfc3339(ms)[:4] in ("9999", "0001")
