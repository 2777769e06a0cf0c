"""Terms in texts: whole words, the longest first, in every script, in time that grows with the text."""

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.translation.matching import (
    Term,
    index_terms,
    missing_translations,
    put_translations,
    replace_leftovers,
)
from builtin_plugins.translation.words import split_words
from libs.fair_slots import finished


class Index:
    def __init__(self, *terms):
        self._index = finished(index_terms([Term(term, term, f"‹{term}›") for term in terms]))

    def occurrences(self, text, spans=None):
        return finished(self._index.find(text, spans))


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        (["order"], "Order, border, orders, ORDER.", "‹order›, border, orders, ‹order›."),
        (["order", "purchase order"], "a purchase\n order, an order", "a ‹purchase order›, an ‹order›"),
        (["a b c", "b"], "a b x", "a ‹b› x"),
        (["e-mail"], "E-mail and e - mail", "‹e-mail› and e - mail"),
        (["c++", "c"], "C++ or C", "‹c++› or ‹c›"),
        (["straße"], "STRASSE", "‹straße›"),
        (["café"], "Cafe\u0301 cafe\u0301s", "‹café› cafe\u0301s"),
        (["full"], "ｆｕｌｌ", "‹full›"),
        (["東京"], "東京都に住む", "‹東京›都に住む"),
        (["ไทย"], "ภาษาไทยง่าย", "ภาษา‹ไทย›ง่าย"),
        (["서울"], "서울은", "‹서울›은"),
        (["हिन्दी"], "हिन्दी में", "‹हिन्दी› में"),
        (["co-op"], "co\u00adop co-op", "co\u00adop ‹co-op›"),
        (["coop"], "co\u00adop", "‹coop›"),
        (["new york"], "New\u00a0York", "‹new york›"),
        (["a \u200e b"], "a c, a b, a\u00a0\u200f b", "a c, ‹a \u200e b›, ‹a \u200e b›"),
        (["a b", "a b c d", "a b c e"], "a b c f, a b c e, a bc", "‹a b› c f, ‹a b c e›, a bc"),
    ],
)
def test_a_term_is_found_wherever_it_stands_as_a_word(terms, text, expected):
    found = Index(*terms).occurrences(text)
    assert put_translations(text, found) == expected


def test_terms_are_found_in_the_given_parts_alone():
    text = "order {order} order"
    found = Index("order").occurrences(text, [(0, 6), (13, len(text))])
    assert put_translations(text, found) == "‹order› {order} ‹order›"


@pytest.mark.parametrize(
    ("translation", "text", "stands"),
    [
        ("pedido", "Los pedidos", True),
        ("pedido", "despedido", False),
        ("art", "party, artist", False),
        ("orden de compra", "Orden  de compras", True),
        ("orden de compra", "orden compra", False),
        ("東京", "大東京都", True),
    ],
)
def test_a_translation_stands_where_a_word_begins_with_it(translation, text, stands):
    term = Term("1", "x", translation)
    assert [*finished(missing_translations(text, [term]))] == ([] if stands else [term])


def test_leftovers_are_replaced_but_not_inside_what_is_right():
    order, work = Term("1", "order", "pedido"), Term("2", "work order", "Work Order")
    text = finished(replace_leftovers("La Work order y el order", [order, work], [order]))
    assert text == "La Work order y el pedido"


@given(st.text(alphabet=st.sampled_from("aB é\u0301東ก\u200b\u00ad-'ß\u0130"), max_size=30))
def test_words_cover_a_text_without_a_gap(text):
    words = split_words(text)
    assert [word.begin for word in words] == [0, *(word.end for word in words[:-1])][: len(words)]
    assert (words[-1].end if words else 0) == len(text)


def test_long_terms_take_no_more_memory_than_their_letters():
    terms = [Term(str(number), " ".join(f"{number:016b}" + "x" * 24), "x") for number in range(500)]
    tracemalloc.start()
    try:
        index = finished(index_terms(terms))
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 1_000 * len(terms)
    text = terms[7].term.upper()
    assert [found.term for found in finished(index.find(text))] == [terms[7]]


def seconds(work, *arguments):
    begun = time.thread_time()
    work(*arguments)
    return time.thread_time() - begun


def test_ten_thousand_terms_cost_a_text_no_more_than_ten():
    many = Index(*(f"term number {number}" for number in range(10_000)), "order")
    few = Index(*(f"term number {number}" for number in range(10)), "order")
    text = "The order of term number 7 is late, and so is everything else. " * 300
    ratio = min(seconds(many.occurrences, text) for _ in range(5)) / min(
        seconds(few.occurrences, text) for _ in range(5)
    )
    assert ratio < 10


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        *(
            pytest.param(one, marks=pytest.mark.long_form)
            for one in ("a\u0301", "東", "a", "\u0301\u0316", "\u200b", "\U00013000", "x-")
        ),
    ],
)
def test_hostile_texts_cost_no_more_than_their_length(piece):
    hard = Index(*("a " * length + "b" for length in range(1, 90)), *("東" * n + "京" for n in range(1, 90)))
    shorter, longer = (
        min(seconds(hard.occurrences, piece * length) for _ in range(3)) for length in (2_000, 20_000)
    )
    assert longer < 0.02 + 40 * shorter


@pytest.mark.parametrize("text", ["a " * 50_000, "\u65e5" * 100_000, "a b c d \u00e9 " * 9_000])
def test_no_step_of_finding_terms_in_a_long_text_is_long(text, no_collection, slowness):
    terms = [Term(str(number), f"term {number}", "a" * 199 + "b") for number in range(200)]
    for steps in (finished(index_terms(terms)).find(text), missing_translations(text, terms)):
        taken = []
        with pytest.raises(StopIteration):
            while True:
                begun = time.thread_time()
                try:
                    next(steps)
                finally:
                    taken.append(time.thread_time() - begun)
        assert max(taken) < 0.05 * slowness()
