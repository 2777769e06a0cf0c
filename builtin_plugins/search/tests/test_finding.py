"""What words find what, and in which order."""

import pytest

pytestmark = pytest.mark.shared_server


async def test_a_word_is_found_in_title_and_text_whatever_its_case(put, found):
    title, text = await put("The Harbour"), await put("Other", "down at the HARBOUR")
    await put("Elsewhere", "no ships")
    assert await found("harbour") == [title, text]


async def test_all_words_must_be_there(put, found):
    both = await put("Ships", "in the harbour of Bergen")
    await put("Ships", "at sea")
    assert await found("bergen ships") == [both]


async def test_the_last_word_may_be_a_beginning_and_no_other(put, found):
    thing = await put("Quarterly accounts")
    assert await found("quarterly acc") == [thing]
    assert await found("quart accounts") == []
    assert await found('quarterly "acc"') == []


async def test_one_letter_is_no_beginning(put, found):
    await put("Plan of the hall")
    exact = await put("Plan B", "b")
    assert await found("plan b") == [exact]


async def test_a_phrase_stands_together_in_title_or_text_and_not_across_both(put, found):
    phrase = await put("One", "a slow boat to nowhere")
    await put("Two", "the boat is slow")
    await put("A slow", "boat")
    assert await found('"slow boat"') == [phrase]
    assert await found("“slow boat”") == [phrase]


async def test_words_that_come_often_are_no_phrase_for_that(put, found):
    phrase = await put("A", "blue moon")
    apart = await put("B", "blue. moon. " + "blue and green. moon and sun. " * 3)
    assert set(await found("blue moon")) == {phrase, apart}
    assert await found('"moon blue"') == [apart]
    assert await found('"green moon"') == [apart]
    for never_said in ('"blue sun"', '"green sun"', '"blue moon and green"'):
        assert await found(never_said) == []


async def test_a_minus_leaves_out_words_and_phrases(put, found):
    kept = await put("Budget", "of this year")
    last_year = await put("Budget", "of last year")
    assert await found("budget -last") == [kept]
    assert await found('budget -"this year"') == [last_year]
    assert await found("-last") == []
    assert await found("well-known") == []


async def test_what_is_joined_by_signs_is_a_phrase(put, found):
    address = await put("Contact", "write to anna@example.org or call")
    await put("Contact", "example: org, anna")
    assert await found("anna@example.org") == [address]
    assert await found("anna@exam") == [address]


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("crème brûlée", "creme brulee"),
        ("creme brulee", "Crème Brûlée"),
        ("Ævintýri Þórs", "aevintyri thors"),
        ("smørrebrød", "smorrebrod"),
        ("Straße", "STRASSE"),
        ("Ελλάδα", "ελλαδα"),
        ("Ёлка", "елка"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("cafe\u0301", "café"),
        ("über\u00adschrift", "überschrift"),
        ("हिन्दी में", "हिन्दी"),
    ],
)
async def test_accents_case_and_width_are_one_either_way(put, found, first_hit, written, typed):
    thing = await put("A", f"before {written} after")
    assert await found(typed) == [thing]
    assert "\u0001" in (await first_hit(typed))["snippet"]


@pytest.mark.parametrize(
    "typed", ["東京", "京都", "東京都", "都", "会議", "東京都 会議", '"東京都の会議"', "京"]
)
async def test_scripts_without_spaces_are_found_by_any_part(put, found, typed):
    thing = await put("記録", "昨日の東京都の会議について")
    await put("記録", "大阪で話した")
    assert await found(typed) == [thing]


async def test_characters_in_another_order_are_another_word(put, found):
    await put("記録", "京東")
    assert await found("東京") == []


async def test_the_title_goes_first_then_what_is_said_often_then_the_newest(put, found):
    rest = await put("Misc", "a word on tariffs")
    partly = await put("Tariffs", "and once the harbour")
    often = await put("Misc", "tariffs harbour " * 4)
    newer = await put("Misc", "tariffs in the harbour")
    titled = await put("Harbour tariffs", "nothing more")
    assert await found("tariffs harbour") == [titled, often, partly, newer]
    assert await found("tariffs") == [titled, partly, often, newer, rest]


async def test_said_three_times_in_a_long_text_is_not_often(put, found):
    short = await put("A", "tariffs " * 3)
    await put("B", "tariffs " * 3 + "something else entirely " * 400)
    assert (await found("tariffs"))[0] == short


async def test_scores_fall_down_the_page(put, page, shelved):
    await put("Tariffs")
    await put("Misc", "tariffs")
    scores = [item["score"] for item in (await page(shelved.acme.member, "tariffs"))["items"]]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[1] < scores[0] <= 1


async def test_an_item_says_what_it_is_and_where(put, first_hit):
    thing = await put("Harbour\nmaster", "keeps the harbour")
    assert await first_hit("harbour") == {
        "type": "thing",
        "id": thing,
        "title": "Harbour master",
        "snippet": "keeps the \u0001harbour\u0002",
        "score": 1.0,
        "url": f"/api/things/{thing}",
        "found_by": ["words"],
        "passage": {"text": "keeps the harbour", "place": {}},
    }
