"""Which content type a caller gets."""

import pytest

from libs.negotiation import preferred

OFFERED = ("application/json", "text/csv")


@pytest.mark.parametrize(
    ("accept", "answered"),
    [
        ("", "application/json"),
        ("text/csv", "text/csv"),
        ("TEXT/*", "text/csv"),
        ("*/*", "application/json"),
        ("application/json;q=0.5, text/csv;q=0.9", "text/csv"),
        ("application/json;q=0.5, text/csv;version=1", "text/csv"),
        ("text/*, application/json", "application/json"),
        ("text/csv;q=0", "application/json"),
        ("image/png", "application/json"),
        (";;,,q=", "application/json"),
    ],
)
def test_the_heaviest_then_the_most_exact_then_the_first_is_answered(accept, answered):
    assert preferred(accept, OFFERED) == answered
