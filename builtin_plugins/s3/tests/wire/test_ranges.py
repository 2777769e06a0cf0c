"""Ranges of bytes, whatever numbers they are made of."""

import pytest

from builtin_plugins.s3.wire.conditions import Span, parse_copy_range, parse_range
from builtin_plugins.s3.wire.errors import InvalidArgument, InvalidRange

HUGE = "9" * 19
LONGER = "1" + "0" * 5000


@pytest.mark.parametrize("last", [HUGE, LONGER, "0" * 5000 + "9"])
def test_a_range_to_far_beyond_the_end_ends_there(last):
    assert parse_range(f"bytes=2-{last}", 10) == Span(2, 10)


@pytest.mark.parametrize("length", [HUGE, LONGER])
def test_more_last_bytes_than_there_are_are_all(length):
    assert parse_range(f"bytes=-{length}", 10) == Span(0, 10)


@pytest.mark.parametrize("wanted", [f"{HUGE}-", f"{LONGER}-", f"{HUGE}-{HUGE}", f"{HUGE}-{LONGER}"])
def test_a_range_from_far_beyond_the_end_is_outside(wanted):
    with pytest.raises(InvalidRange) as refusal:
        parse_range(f"bytes={wanted}", 10)
    assert refusal.value.headers == {"Content-Range": "bytes */10"}


@pytest.mark.parametrize("wanted", ["5-4", f"{HUGE}-4", f"{LONGER}-{HUGE}", f"{HUGE}-0{HUGE[1:]}"])
def test_a_range_that_ends_before_it_begins_is_none(wanted):
    assert parse_range(f"bytes={wanted}", 10) is None
    with pytest.raises(InvalidArgument):
        parse_copy_range(f"bytes={wanted}", 10)


@pytest.mark.parametrize("last", ["10", HUGE, LONGER])
def test_a_part_is_not_copied_from_beyond_its_source(last):
    with pytest.raises(InvalidRange):
        parse_copy_range(f"bytes=0-{last}", 10)
