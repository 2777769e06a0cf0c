"""What a reader sees of a message."""

import pytest

from libs.icu_messages import format_message

NOTES = "{count, plural, =0 {no notes} one {# note} other {# notes}} of {name}"


@pytest.mark.parametrize(
    ("text", "params", "locale", "seen"),
    [
        ("{by} shared {title}", {"by": "Ada", "title": "{x}"}, "en", "Ada shared {x}"),
        (NOTES, {"count": 0, "name": "Ada"}, "en", "no notes of Ada"),
        (NOTES, {"count": 1, "name": "Ada"}, "en-GB", "1 note of Ada"),
        (NOTES, {"count": 5, "name": "Ada"}, "en", "5 notes of Ada"),
        (NOTES, {"count": 21, "name": "Ada"}, "is", "21 note of Ada"),
        (NOTES, {"count": 11, "name": "Ada"}, "is", "11 notes of Ada"),
        ("{s, select, failed {failed: {why}} other {ended}}", {"s": "failed", "why": "x"}, "en", "failed: x"),
        ("{s, select, failed {failed} other {ended}}", {"s": "new"}, "en", "ended"),
        ("it''s '{'here'}' and it's #", {}, "en", "it's {here} and it's #"),
        ("{n, plural, offset:1 other {you and # more '#'}}", {"n": 3}, "en", "you and 2 more #"),
        ("{n, selectordinal, one {#st} other {#th}}", {"n": 4}, "en", "4th"),
        ("{missing}", {}, "en", "{missing}"),
        ("broken {", {}, "en", "broken {"),
    ],
)
def test_a_message_is_written_with_its_arguments(text, params, locale, seen):
    assert format_message(text, params, locale) == seen
