"""Each candidate is checked alone."""

import time
from itertools import pairwise

import pytest

from builtin_plugins.knowledge.candidates import MAX_ENTITIES, Found, check_reply
from builtin_plugins.knowledge.extraction import MAX_PIECES, OVERLAP, PIECE, cut
from libs.fair_slots import finished

TEXT = "Anna Jansen works\n  for Acme.\nAcme lies in Rotterdam."


def entity(name="Anna", type_="person", quote="Anna Jansen works for Acme."):
    return {"name": name, "type": type_, "quote": quote}


def reasons(entities, relations=()):
    found = Found()
    found.restore(finished(check_reply(TEXT, {"entities": entities, "relations": [*relations]})))
    return found, [one["reason"] for one in found.dropped]


def test_a_quotation_may_break_its_lines_otherwise():
    found, dropped = reasons([entity(), entity("Acme", "Organization", "for   Acme.")])
    assert dropped == []
    assert [*found.names] == [("person", "anna"), ("organization", "acme")]


def test_what_fails_is_dropped_with_its_reason_and_the_rest_stays():
    found, dropped = reasons(
        [
            entity(),
            "Anna",
            entity(5),
            entity("\ud800"),
            entity("a" * 10_000),
            entity(type_="wizard"),
            entity(type_=None),
            {"name": "Anna", "type": "person"},
            entity(quote="Anna sings."),
            entity(quote="a" * 5_000),
        ]
    )
    assert [*found.names] == [("person", "anna")]
    assert dropped == [
        "not_an_object",
        "name_missing",
        "name_missing",
        "name_too_long",
        "unknown_type",
        "unknown_type",
        "quote_missing",
        "quote_not_in_text",
        "quote_too_long",
    ]


def test_a_relation_needs_entities_of_the_answer_and_a_quotation():
    relation = {"subject": "ANNA", "predicate": "works for", "object": "Acme.", "quote": TEXT}
    found, dropped = reasons(
        [entity(), entity("Acme", "organization"), entity("Rome", "place", "Rome is old.")],
        [
            relation,
            {**relation, "object": "Rome"},
            {**relation, "subject": "Piet"},
            {**relation, "predicate": ""},
            {**relation, "quote": "Anna left Acme."},
        ],
    )
    assert [*found.relations] == [(("person", "anna"), "works for", ("organization", "acme"))]
    assert dropped[1:] == ["unknown_object", "unknown_subject", "predicate_missing", "quote_not_in_text"]


def test_spellings_of_one_name_are_one_entity():
    names = ["Acme  Corp", "ACME corp.", "\uff21cme Corp"]
    found, _ = reasons([entity(name, "organization") for name in names])
    assert [*found.names] == [("organization", "acme corp")]


def test_ten_thousand_entities_are_bounded_and_counted():
    found, _ = reasons([entity(f"Anna {number}") for number in range(10_000)])
    assert len(found.names) == MAX_ENTITIES
    assert found.dropped_count == 10_000 - MAX_ENTITIES
    assert len(found.dropped) <= 40
    assert {one["reason"] for one in found.dropped} == {"too_many"}


def test_pieces_overlap_and_are_bounded():
    text = "".join(f"Sentence number {number}. " for number in range(2_000))
    parts = cut(text)
    assert not parts.truncated
    assert all(len(piece) <= PIECE for piece in parts.pieces)
    assert all(later[:OVERLAP] in earlier for earlier, later in pairwise(parts.pieces))
    long = cut("word " * 1_000_000)
    assert (len(long.pieces), long.truncated) == (MAX_PIECES, True)
    assert cut("   ").pieces == []


def test_no_step_of_checking_a_hostile_answer_is_long(no_collection, slowness):
    """Quotations that nearly stand in the text, names of many signs, and more of both than are kept."""
    piece, taken = "ab" * 3_000, []
    candidates = [entity("é" * 199, quote="ab" * 900 + str(number)) for number in range(5_000)]
    relations = [{"subject": "é" * 199, "predicate": "a", "object": "b" * 199, "quote": "ab" * 900}] * 5_000
    steps = check_reply(piece, {"entities": candidates, "relations": relations})
    with pytest.raises(StopIteration) as end:
        while True:
            begun = time.thread_time()
            try:
                next(steps)
            finally:
                taken.append(time.thread_time() - begun)
    assert max(taken) < 0.05 * slowness()
    assert end.value.value["dropped_count"] == 10_000
