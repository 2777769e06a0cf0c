"""Frames and placeholders are taken out of a message, and put back whatever a model says."""

import contextlib

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.l10n.checks import check_text
from builtin_plugins.l10n.patterns import Frame, Slot, read_pattern, write_pattern
from builtin_plugins.l10n.segments import MAX_TEXTS, NoDraft, numbers_of, take_apart
from builtin_plugins.l10n.tests.test_patterns import PATTERNS
from guildhall_sdk import InvalidRequest

NOTES = "You have {count, plural, =0 {no notes} one {# note} other {# notes}} in {folder}."


def parts(source, locale):
    return take_apart("x.key", source, locale).texts


def test_a_text_has_bare_slots_and_none_of_the_spaces_around_it():
    source = " {name} came at {when, date, ::yMMMd}; #{name}\n"
    assert parts(source, "es") == {"x.key": "{name} came at {when}; #{name}"}


def test_each_form_of_the_target_language_is_a_whole_sentence_of_its_own():
    assert parts(NOTES, "pl") == {
        "x.key (count is 0)": "You have no notes in {folder}.",
        "x.key (count is one such as 1)": "You have {count} note in {folder}.",
        "x.key (count is few such as 2, 3, 4, 22)": "You have {count} notes in {folder}.",
        "x.key (count is many such as 0, 5, 6, 7)": "You have {count} notes in {folder}.",
        "x.key (count is other)": "You have {count} notes in {folder}.",
    }
    assert [*parts(NOTES, "ja")] == ["x.key (count is 0)", "x.key (count is other such as 0, 1, 2, 3)"]


def test_a_form_that_says_one_is_for_1_alone_where_other_numbers_are_one_too():
    source = "{n, plural, one {A note} other {# notes}}"
    assert [*parts(source, "nl").values()] == ["A note", "{n} notes"]
    made = take_apart("x", source, "ru")
    assert made.put_together(made.texts).startswith("{n, plural, =1 {A note} one {# notes} few {# notes}")


def test_a_form_that_the_language_does_not_have_is_kept_for_1_where_it_says_more():
    source = "{n, plural, one {A note by {name}} other {# notes}}"
    made = take_apart("x", source, "ja")
    assert made.put_together(made.texts) == "{n, plural, =1 {A note by {name}} other {# notes}}"
    assert parts("{n, plural, one {# note} other {# notes}}", "ja").keys() == {
        "x.key (n is other such as 0, 1, 2, 3)"
    }


def test_the_branches_of_a_select_are_kept_as_they_are():
    source = "{g, select, female {She wrote} other {They wrote}} {n, plural, one {it} other {them}}"
    made = take_apart("x", source, "es")
    assert {*made.texts.values()} == {"{g} {n}", "She wrote", "They wrote", "it", "them"}
    texts = {label: text.upper().replace("{G} {N}", "{n} {g}") for label, text in made.texts.items()}
    assert made.put_together(texts) == (
        "{n, plural, one {IT} many {THEM} other {THEM}} {g, select, female {SHE WROTE} other {THEY WROTE}}"
    )


def test_what_a_model_writes_is_text_wherever_it_is_put():
    made = take_apart("x", "{n, plural, other {# of {name}}}", "ja")
    (label,) = made.texts
    put = made.put_together({label: "l''{name} #1 '{x}' {n}"})
    assert put == "{n, plural, other {l''{name} '#'1 '{'x'}' #}}"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Hola",
        "{name} {name}",
        "{name} {other}",
        "{name, plural, other {x}}",
        "{name, date}",
        "{name",
        "}",
        "'{name}'",
    ],
)
def test_an_answer_that_does_not_keep_its_slots_is_no_draft(answer):
    made = take_apart("x", "Hi {name}", "es")
    with pytest.raises(NoDraft):
        made.put_together({"x": answer})


@pytest.mark.parametrize(
    "source", ["{a, plural, other {" * 3 + "x {b} {c, plural, other {}}" + "}}" * 3, NOTES * 9]
)
def test_more_forms_than_a_draft_is_made_for_are_left_to_people(source):
    with pytest.raises(NoDraft, match="by hand"):
        take_apart("x", source, "ar")


def test_a_source_that_does_not_compile_has_no_draft():
    with pytest.raises(NoDraft, match="character 4"):
        take_apart("x", "Hi {name", "es")


LOCALES = st.sampled_from(["es", "ru", "ar", "ja", "nl", "tlh"])


@given(PATTERNS, LOCALES)
def test_texts_that_come_back_as_they_went_make_a_message_that_passes_the_checks(pattern, locale):
    source = write_pattern(pattern)
    try:
        made = take_apart("x.key", source, locale)
    except NoDraft:
        return
    text = made.put_together(made.texts)
    assert fixed(read_pattern(text)) == fixed(pattern)
    if source.strip():
        check_text(source, text, locale)


def fixed(pattern):
    """What no translation may change: placeholders as they are written, and frames."""
    found = set()
    for piece in pattern:
        if isinstance(piece, Slot):
            found.add(piece)
        elif isinstance(piece, Frame):
            found.add((piece.name, piece.kind, piece.offset))
            found.update(*map(fixed, piece.forms.values()))
    return {one for one in found if not isinstance(one, Slot) or one.written != "#"}


ANSWERS = st.lists(st.sampled_from([*"{}'#,<>ab é", "{name}", "{n}", "{g}", "plural", "other"])).map("".join)


@given(PATTERNS, LOCALES, st.lists(ANSWERS, min_size=1))
def test_whatever_a_model_says_no_placeholder_and_no_frame_is_changed(pattern, locale, answers):
    source = write_pattern(pattern)
    with contextlib.suppress(NoDraft):
        made = take_apart("x.key", source, locale)
        said = {label: answers[number % len(answers)] for number, label in enumerate(made.texts)}
        text = made.put_together({label: said[label] or made.texts[label] for label in said})
        assert fixed(read_pattern(text)) <= fixed(pattern)
        # What would be lost with a form that the language does not have is refused.
        with contextlib.suppress(InvalidRequest):
            check_text(source, text, locale)
            assert fixed(read_pattern(text)) == fixed(pattern)


def test_the_numbers_of_a_form_are_those_of_the_cldr():
    rule = Locale.parse("pl").plural_form
    assert {rule(number) for number in numbers_of("pl", "few", ordinal=False)} == {"few"}
    assert numbers_of("en-GB", "two", ordinal=True) == (2, 22, 32, 42)
    assert numbers_of("es", "many", ordinal=False) == (1_000_000,)
    assert numbers_of("tlh", "other", ordinal=False) == ()
    assert MAX_TEXTS >= 6 * 6
