"""Whatever is typed is a question, and never an error; but for U+0000, which no text may hold."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.search.finding import SCORES
from builtin_plugins.search.indexing import fold, indexed_words
from builtin_plugins.search.query_parser import MAX_TERMS, MAX_WORDS, fts5, read_query, tsqueries
from builtin_plugins.search.snippets import hits_of, snippet

pytestmark = pytest.mark.shared_server

SIGNS = "\"'-*:()&|!<>{}[]\\^+~,;%_?/=@#$.\u0001\ufeff\u200b “”«»"
LETTERS = "aZ0éßİıŒþ東京のกำहि한글\u0301\U0001f600\U0002f800\u0df4ﷺﬀ²"


@given(
    st.text(alphabet=st.one_of(st.sampled_from(SIGNS + LETTERS), st.characters(exclude_categories=["Cs"])))
)
def test_anything_typed_can_be_asked_and_shown(typed):
    asked = read_query(typed)
    terms = [*asked.wanted, *asked.unwanted]
    assert len(terms) <= MAX_TERMS
    assert sum(len(term.words) for term in terms) <= MAX_WORDS
    for term in terms:
        assert term.words
        assert not re.search(r"[\s\"'\\:*<>|&!()]", "".join(term.words))
    if asked.wanted:
        tiers = fts5(asked, "mark")
        assert all(tiers[f"fts_{tier}"] for tier in SCORES)
        asked_of_postgresql = tsqueries(asked, "mark")
        assert bool(asked_of_postgresql.pop("ts_unwanted")) == bool(asked.unwanted)
        assert all(asked_of_postgresql.values())
        marked = snippet(hits_of(asked), typed, typed)
        assert marked.count("\u0001") - typed.count("\u0001") == marked.count("\u0002") - typed.count(
            "\u0002"
        )


@given(st.text())
def test_folding_is_done_once_and_for_all(text):
    words = list(indexed_words(text))
    assert all(word for word in words)
    assert fold(text.upper().lower()) == fold(fold(text.upper().lower()))


def typed_by_a_cat(seed):
    cat = random.Random(seed)
    return "".join(cat.choice(SIGNS[:-1] + LETTERS) for _ in range(cat.randrange(1, 40)))


async def test_both_databases_take_whatever_is_typed(shelved, put):
    await put(LETTERS, LETTERS)
    strange = [
        '"',
        '""',
        "-",
        "--",
        "*",
        "a*",
        "NOT",
        "AND OR",
        "NEAR(a b)",
        "{title}: a",
        "title:a",
        "'",
        "\\",
        "!a",
    ]
    strange += ["a" * 1000, "東" * 1000, "a " * 500, "-a " * 300, '"' + "a " * 400, "", " ", "%00"]
    for typed in [*strange, *(typed_by_a_cat(seed) for seed in range(60))]:
        response = await shelved.acme.member.get("/api/search", params={"q": typed})
        assert response.status_code == 200, (typed, response.text)


async def test_without_words_nothing_is_found(shelved, put):
    await put("Tariffs")
    for query in ({}, {"q": ""}, {"q": "!?"}, {"q": "-tariffs"}):
        answer = (await shelved.acme.member.get("/api/search", params=query)).json()
        assert answer == {"items": [], "next_cursor": None, "unavailable": []}


async def test_more_than_anybody_types_is_refused(shelved):
    response = await shelved.acme.member.get("/api/search", params={"q": "a" * 1001})
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "?q")


@pytest.mark.parametrize("typed", ["AND", "or", "NOT", "near"])
async def test_no_word_is_an_operator(put, found, typed):
    thing = await put("A", f"this {typed} that")
    assert await found(typed) == [thing]
