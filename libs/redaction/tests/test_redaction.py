"""No secret is left in a text, and no text takes long."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.redaction import HINTS, is_secret_name, redact


def may_hold_secret(text):
    return any(hint in text.lower() for hint in HINTS)


TOKENS = [f"{prefix}_{'Ab0-_' * 8}" for prefix in ("ghs", "gha", "ghw", "ghp", "gho", "github_pat")]


def test_every_secret_name_is_suspected_by_the_quick_look():
    for name in (
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "authorization",
        "cookie",
        "key",
        "totp",
    ):
        assert is_secret_name(name)
        assert may_hold_secret(json.dumps({name: 1}))


@given(st.text(), st.sampled_from(TOKENS), st.text())
def test_a_token_is_found_in_any_surroundings(before, token, after):
    text = f"{before} {token} {after}"
    assert may_hold_secret(text)
    assert token not in redact(text)


@given(st.text(alphabet="pasword tokn:='\"\\ghs_,/@bcier\n", max_size=200))
def test_the_quick_look_overlooks_nothing_that_would_be_redacted(text):
    assert may_hold_secret(text) or redact(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "password",
        "token='",
        "://:",
        "bearer ",
        "ghs_",
        *(
            pytest.param(piece, marks=pytest.mark.long_form)
            for piece in ("token ", 'token" ', "cookie ", "\\'", "a@", "secret-")
        ),
    ],
)
def test_hostile_text_costs_no_more_than_its_length(piece):
    """Quadratic matching would take minutes here."""
    redact(piece * (200_000 // len(piece)))
