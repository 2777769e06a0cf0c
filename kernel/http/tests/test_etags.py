"""Entity tags, compared as RFC 9110 says."""

import pytest

from libs.negotiation import etag_matches


@pytest.mark.parametrize(
    ("header", "strong", "weak"),
    [
        ('"a.1"', True, True),
        ('W/"a.1"', False, True),
        ("*", True, True),
        ('"x", "a.1"', True, True),
        ('"x" , W/"a.1"', False, True),
        ('"a.2"', False, False),
        ("a.1", False, False),
        ("", False, False),
        ('"a.1', False, False),
    ],
)
def test_a_list_of_tags_is_compared(header, strong, weak):
    assert etag_matches(header, '"a.1"', weak=False) is strong
    assert etag_matches(header, '"a.1"', weak=True) is weak
