"""Names of people, places and languages."""

import pytest

from libs.names import locale_fault, name_fault, username_fault, username_key


@pytest.mark.parametrize("username", ["ada", "Ada Lovelace", "ada@example.org", "Ünal", "李小龍", "a" * 64])
def test_ordinary_usernames_pass(username):
    assert username_fault(username) is None


@pytest.mark.parametrize(
    "username",
    [
        "",
        "a" * 65,
        " ada",
        "ada ",
        "ada\n",
        "a\tb",
        "a\x00b",
        "a\u200bb",
        "a\u202eb",
        "ada\u3164",
        "\u00a8ada",
        "a\u2028b",
    ],
)
def test_usernames_that_could_hide_something_are_refused(username):
    assert username_fault(username) is not None


def test_folding_again_changes_nothing():
    for name in ("ﬁne", "ẞ", "ͅα", "ᾳ", "K", "İstanbul", "ａdmin"):
        assert username_key(username_key(name)) == username_key(name)


@pytest.mark.parametrize("name", ["Ada Lovelace", "👩‍🚀 crew", "O'Brien", "日本"])
def test_ordinary_names_pass(name):
    assert name_fault(name) is None


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "a" * 129, "a\u202eb", "a\x1b[0m"])
def test_names_that_break_a_line_are_refused(name):
    assert name_fault(name) is not None


@pytest.mark.parametrize("locale", ["en", "nl-BE", "zh-Hant-TW", "sl-rozaj-biske-1994"])
def test_language_tags_pass(locale):
    assert locale_fault(locale) is None


@pytest.mark.parametrize(
    "locale", ["", "e", "en_US", "en-", "-en", "en\n", "nl--BE", "é" * 2, "en" + "-a" * 50]
)
def test_other_tags_are_refused(locale):
    assert locale_fault(locale) is not None
