"""Conditions and ranges, as S3 judges them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.s3.wire import errors
from builtin_plugins.s3.wire.conditions import (
    COPY_SOURCE,
    DeleteConditions,
    ReadConditions,
    Span,
    Stored,
    WriteConditions,
    http_date,
    parse_copy_range,
    parse_date,
    parse_part_number,
    parse_range,
)
from builtin_plugins.s3.wire.request import CopySource, parse_copy_source

NOW = 1_700_000_000
BEFORE, AT, LATER = (http_date(NOW + difference) for difference in (-1, 0, 1))
STORED = Stored("abc", NOW * 1000 + 999, 5)
MARKER = Stored(None, NOW * 1000)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"if-match": '"abc"'}, 200),
        ({"if-match": "abc"}, 200),
        ({"if-match": "*"}, 200),
        ({"if-match": '"x", "abc"'}, 200),
        ({"if-match": '"ABC"'}, 412),
        ({"if-none-match": '"abc"'}, 304),
        ({"if-none-match": 'W/"abc"'}, 304),
        ({"if-none-match": "*"}, 304),
        ({"if-none-match": '"x"'}, 200),
        ({"if-modified-since": BEFORE}, 200),
        ({"if-modified-since": AT}, 304),
        ({"if-modified-since": LATER}, 304),
        ({"if-unmodified-since": BEFORE}, 412),
        ({"if-unmodified-since": AT}, 200),
        ({"if-match": '"abc"', "if-unmodified-since": BEFORE}, 200),
        ({"if-none-match": '"x"', "if-modified-since": LATER}, 200),
        ({"if-none-match": '"abc"', "if-modified-since": BEFORE}, 304),
        ({"if-match": '"x"', "if-none-match": '"abc"'}, 412),
        ({"if-modified-since": "soon", "if-unmodified-since": ""}, 200),
    ],
)
def test_a_read_is_judged_in_order(headers, status):
    copied = {COPY_SOURCE + name: value for name, value in headers.items()}
    if status == 200:
        ReadConditions.parse(headers).check(STORED)
        ReadConditions.parse(copied, COPY_SOURCE).check_copy(STORED)
        return
    with pytest.raises(errors.S3Error) as refusal:
        ReadConditions.parse(headers).check(STORED)
    assert refusal.value.status == status
    with pytest.raises(errors.PreconditionFailed):
        ReadConditions.parse(copied, COPY_SOURCE).check_copy(STORED)


def test_not_modified_says_what_is_there():
    with pytest.raises(errors.NotModified) as answer:
        ReadConditions(if_none_match="*").check(STORED)
    assert answer.value.headers == {"ETag": '"abc"', "Last-Modified": AT}


@pytest.mark.parametrize("nothing", [None, MARKER])
@pytest.mark.parametrize(
    ("headers", "on_object", "on_nothing"),
    [
        ({}, None, None),
        ({"if-none-match": "*"}, "PreconditionFailed", None),
        ({"if-none-match": '"abc"'}, "PreconditionFailed", None),
        ({"if-none-match": "x"}, None, None),
        ({"if-match": "*"}, None, "NoSuchKey"),
        ({"if-match": '"abc"'}, None, "NoSuchKey"),
        ({"if-match": "x"}, "PreconditionFailed", "NoSuchKey"),
    ],
)
def test_a_write_is_judged_by_the_current_object(nothing, headers, on_object, on_nothing):
    assert outcome(WriteConditions.parse(headers), STORED) == on_object
    assert outcome(WriteConditions.parse(headers), nothing) == on_nothing


@pytest.mark.parametrize(
    ("headers", "on_object", "on_marker"),
    [
        ({"if-match": "*"}, None, None),
        ({"if-match": "abc"}, None, "PreconditionFailed"),
        ({"if-match": "x"}, "PreconditionFailed", "PreconditionFailed"),
        ({"x-amz-if-match-size": "5"}, None, "PreconditionFailed"),
        ({"x-amz-if-match-size": "6"}, "PreconditionFailed", "PreconditionFailed"),
        ({"x-amz-if-match-last-modified-time": AT}, None, None),
        ({"x-amz-if-match-last-modified-time": LATER}, "PreconditionFailed", "PreconditionFailed"),
    ],
)
def test_a_delete_is_judged_unless_there_is_nothing(headers, on_object, on_marker):
    conditions = DeleteConditions.parse(headers)
    assert outcome(conditions, None) is None
    assert outcome(conditions, STORED) == on_object
    assert outcome(conditions, MARKER) == on_marker


def test_a_delete_does_not_go_on_without_its_condition():
    for headers in ({"x-amz-if-match-size": "big"}, {"x-amz-if-match-last-modified-time": "soon"}):
        with pytest.raises(errors.InvalidArgument):
            DeleteConditions.parse(headers)


def outcome(conditions, stored):
    try:
        conditions.check(stored)
    except errors.S3Error as error:
        return error.code


def test_dates_are_read_as_they_are_written():
    assert (
        parse_date(AT) == parse_date("2023-11-14T22:13:20Z") == parse_date("2023-11-14T22:13:20.000Z") == NOW
    )
    for text in ("", "soon", "Sat, 99 Oct 1994 19:43:31 GMT", "Sat, 29 Oct 99999999999 19:43:31 GMT"):
        assert parse_date(text) is None


@given(st.text(max_size=40))
def test_no_text_breaks_a_date(text):
    assert parse_date(text) is None or isinstance(parse_date(text), int)


@pytest.mark.parametrize(
    ("header", "span"),
    [
        (None, None),
        ("bytes=4-7", (4, 8)),
        ("bytes=4-", (4, 11)),
        ("bytes=-7", (4, 11)),
        ("bytes=-99", (0, 11)),
        ("bytes=0-99", (0, 11)),
        ("bytes=10-10", (10, 11)),
        ("bytes=-", None),
        ("bytes=7-4", None),
        ("bytes=0-1,3-4", None),
        ("octets=0-1", None),
        ("bytes=a-b", None),
        ("bytes=١-٢", None),
    ],
)
def test_a_range_is_cut_to_the_object_or_ignored(header, span):
    assert parse_range(header, 11) == (span and Span(*span))


@pytest.mark.parametrize("header", ["bytes=11-", "bytes=40-50", "bytes=-0"])
def test_a_range_outside_is_refused(header):
    with pytest.raises(errors.InvalidRange) as refusal:
        parse_range(header, 11)
    assert refusal.value.headers == {"Content-Range": "bytes */11"}
    for any_header in (header, "bytes=0-", "bytes=-1"):
        with pytest.raises(errors.InvalidRange):
            parse_range(any_header, 0)


@given(start=st.integers(0, 12), length=st.integers(1, 12))
def test_a_span_says_where_it_lies(start, length):
    if start < 11:
        span = parse_range(f"bytes={start}-{start + length - 1}", 11)
        assert span.length == len(b"testcontent"[start : start + length])
        assert span.content_range(11) == f"bytes {start}-{min(start + length, 11) - 1}/11"


@pytest.mark.parametrize(
    "header",
    [
        "0-2",
        "bytes=0",
        "bytes=hello-world",
        "bytes=0-bar",
        "bytes=hello-",
        "bytes=0-2,3-5",
        "bytes=0-",
        "bytes=-2",
        "bytes=3-2",
    ],
)
def test_an_improper_range_of_a_copy_is_refused(header):
    with pytest.raises(errors.InvalidArgument):
        parse_copy_range(header, 5)


def test_the_range_of_a_copy_lies_within_the_source():
    assert parse_copy_range("bytes=0-4", 5) == Span(0, 5)
    assert parse_copy_range(None, 5) is None
    with pytest.raises(errors.InvalidRange):
        parse_copy_range("bytes=0-5", 5)


def test_a_part_has_a_whole_number_within_bounds():
    assert parse_part_number("10000") == 10000
    for text in ("0", "10001", "-1", "", "1.0", "٣", "1\n", "9" * 5000):
        with pytest.raises(errors.InvalidArgument):
            parse_part_number(text)


@pytest.mark.parametrize(
    ("header", "source"),
    [
        ("team/key", ("team", "key", None)),
        ("/team/a/b%20c+d", ("team", "a/b c+d", None)),
        ("team%2Fkey", ("team", "key", None)),
        ("team/a%3FversionId%3Dx", ("team", "a?versionId=x", None)),
        ("team/a?versionId=ver_1", ("team", "a", "ver_1")),
        ("team/a%2525", ("team", "a%25", None)),
    ],
)
def test_a_copy_names_its_source(header, source):
    assert parse_copy_source(header) == CopySource(*source)


@pytest.mark.parametrize(
    "header", ["", "/", "team", "team/", "/team", "team/%", "team/%ff", "team/key?versionId="]
)
def test_a_copy_without_a_source_is_refused(header):
    with pytest.raises(errors.InvalidArgument):
        parse_copy_source(header)
