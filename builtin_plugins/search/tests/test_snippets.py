"""What is shown of a hit."""

import pytest

from builtin_plugins.search.query_parser import read_query
from builtin_plugins.search.snippets import WIDTH, hits_of, snippet

pytestmark = pytest.mark.any_database


def shown(typed, excerpt, title="A title"):
    return snippet(hits_of(read_query(typed)), title, excerpt).replace("\u0001", "[").replace("\u0002", "]")


@pytest.mark.parametrize(
    ("typed", "text", "expected"),
    [
        ("boat", "a boat, two Boats, a boathouse", "a [boat], two [Boats], a [boathouse]"),
        ("boat sea", "a boat, two boats at sea", "a [boat], two boats at [sea]"),
        ('"slow boat"', "slow: a slow, boat", "slow: a [slow, boat]"),
        ("creme", "la crème, la CRE\u0300ME", "la [crème], la [CRE\u0300ME]"),
        ("aevintyri", "Ævintýri", "[Ævintýri]"),
        ("strasse", "die Straße", "die [Straße]"),
        ("東京", "昨日の東京都", "昨日の[東京]都"),
        ("boat -sea", "boat and sea", "[boat] and sea"),
    ],
)
def test_hits_are_marked_as_they_are_written(typed, text, expected):
    assert shown(typed, text) == expected


def test_a_hit_far_down_is_shown_with_a_little_before_it():
    text = shown("needle", "hay " * 500 + "needle " + "straw " * 500)
    assert text.startswith("…hay")
    assert text.endswith("straw…")
    assert "[needle]" in text
    assert len(text) <= WIDTH + 4


def test_a_hit_in_the_title_alone_shows_the_title():
    assert shown("minutes", "we met", title="Minutes of May") == "[Minutes] of May"


def test_without_a_hit_at_hand_the_text_is_shown_from_its_beginning():
    assert shown("needle", "hay and straw") == "hay and straw"


async def test_a_text_cannot_bring_marks_of_its_own(put, first_hit):
    await put("A", "not \u0001a hit\u0002 but a needle")
    assert (await first_hit("needle"))["snippet"] == "not a hit but a \u0001needle\u0002"
