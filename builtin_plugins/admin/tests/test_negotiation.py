"""Which content type `Accept` asks for."""

import pytest

from libs.negotiation import preferred

JSON, TEXT, OPENMETRICS = "application/json", "text/plain", "application/openmetrics-text"
PROMETHEUS = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
    "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
    "text/plain;version=0.0.4;q=0.2,*/*;q=0.1"
)


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/json", JSON),
        ("application/*", JSON),
        ("text/html,application/xhtml+xml,*/*;q=0.8", JSON),
        ("application/json, text/plain, */*", JSON),
        ("text/html", JSON),
        ("text/plain;q=0", JSON),
        ("text/plain;q=0, */*", JSON),
        ("text/plain", TEXT),
        ("TEXT/Plain ; version=0.0.4", TEXT),
        ("text/*", TEXT),
        ("text/plain, */*", TEXT),
        ("text/plain;q=0.001", TEXT),
        ("application/json;q=0.5, text/plain;q=0.9", TEXT),
        ("text/plain, application/openmetrics-text;q=0.9", TEXT),
        (OPENMETRICS, OPENMETRICS),
        (PROMETHEUS, OPENMETRICS),
        # What is no weight counts for nothing, and never for a refusal.
        ("text/plain;q=high", TEXT),
        ("text/plain;q=٣", TEXT),
        (";;;,,,=", JSON),
        ("text/plain\x00", JSON),
        ("q=1", JSON),
    ],
)
def test_the_heaviest_then_the_most_exact_then_json(accept, chosen):
    assert preferred(accept, (JSON, TEXT, OPENMETRICS)) == chosen
