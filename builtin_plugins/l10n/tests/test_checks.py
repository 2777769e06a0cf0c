"""A translation and its source: what is refused, where, and what is worth a second look."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.l10n.checks import check_text
from builtin_plugins.l10n.patterns import write_pattern
from builtin_plugins.l10n.tests.test_patterns import PATTERNS
from guildhall_sdk import InvalidRequest

PLURAL = "{count, plural, =0 {Nothing} one {# note} other {# notes}}"
ORDINAL = "{n, selectordinal, one {#st} other {#th}}"
SELECT = "{g, select, f {her note} other {a note}}"


def _refusal(source, text, locale):
    with pytest.raises(InvalidRequest) as raised:
        check_text(source, text, locale)
    (error,) = raised.value.errors
    assert error["pointer"] == "/text"
    return raised.value


@pytest.mark.parametrize(
    ("source", "text", "problem", "place"),
    [
        ("Hi {name}", "Hola", "lacks {name}", 4),
        ("Hi {name}", "Hola {nombre}", "has {nombre}, which", 6),
        ("Hi {name}", "Hola '{name}'", "lacks {name}", 4),
        ("{n, number}", "{n}", "must be number", 1),
        ("{d, date}", "a las {d, time}", "must be date, not time", 7),
        (PLURAL, "{count} notas", "must be plural", 1),
        ("{n, plural, offset:1 other {#}}", "{n, plural, other {#}}", "another offset", 1),
    ],
)
def test_other_arguments_are_a_placeholder_mismatch_with_their_place(source, text, problem, place):
    refusal = _refusal(source, text, "es")
    assert refusal.code == "placeholder_mismatch"
    assert problem in refusal.detail and refusal.extras["place"] == place


@pytest.mark.parametrize(
    ("source", "text", "locale", "problem", "place"),
    [
        ("Hi {name}", "Hola {name", "es", "not closed", 6),
        ("a", "} b", "es", "closes nothing", 1),
        (PLURAL, "{count, plural, =0 {0} one {#}}", "es", "lacks other", 1),
        (PLURAL, "{count, plural, one {#} other {#}}", "es", "lacks the form =0", 1),
        (PLURAL, "{count, plural, =0 {} few {#} other {#}}", "es", "the form few, which es", 23),
        (PLURAL, "{count, plural, =0 {} one {#} other {#}}", "ja", "the form one, which ja", 23),
        (SELECT, "{g, select, other {una nota}}", "es", "lacks the form f", 1),
        (SELECT, "{g, select, f {a} m {b} other {c}}", "es", "the form m, which the source", 19),
        (ORDINAL, "{n, selectordinal, one {#e} other {#e}}", "nl", "the form one, which nl", 20),
        ("Save", " \n", "es", "is empty", 1),
        ("Save", "x" * 10_001, "es", "10,000 characters", 10_001),
    ],
)
def test_what_is_no_message_of_the_language_is_invalid_with_its_place(source, text, locale, problem, place):
    refusal = _refusal(source, text, locale)
    assert refusal.code == "invalid_message"
    assert problem in refusal.detail and refusal.extras["place"] == place


@pytest.mark.parametrize(
    ("source", "text", "locale"),
    [
        ("Hi {name}", "{name}, {name}!", "es"),
        (PLURAL, "{count, plural, =0 {Ekkert} one {# nóta} other {# nótur}}", "is"),
        (PLURAL, "{count, plural, =0 {nic} =1 {a} one {#} few {#} many {#} other {{count}}}", "pl"),
        (PLURAL, "{count, plural, =0 {なし} other {#件}}", "ja"),
        (ORDINAL, "{n, selectordinal, other {#e}}", "nl"),
        # A language whose numbers nobody knows here may have every form.
        (PLURAL, "{count, plural, =0 {x} two {#} other {#}}", "tlh"),
    ],
)
def test_a_translation_with_the_forms_of_its_language_is_taken(source, text, locale):
    check_text(source, text, locale)


@pytest.mark.parametrize(
    ("source", "text", "locale", "codes"),
    [
        ("Save", "Guardar", "es", []),
        ("Wait 5 minutes.", "Espere 15 minutos.", "es", ["numbers"]),
        ("1,000 files", "1.000 archivos", "es", []),
        ("3 files", "٣ ملفات", "ar", []),
        ("Done.", "Hecho", "es", ["punctuation"]),
        ("Done.", "完了。", "ja", []),
        ("Sure?", "Σίγουρα;", "el", []),
        ("{date} at {time}", "{date} kl. {time}", "is", []),
        ("Wait...", "Espere…", "es", []),
        ("Name: ", "Nombre:", "es", ["spaces"]),
        ("Save", "Guarde todo lo que ha escrito hasta ahora", "es", ["length"]),
        ("A long sentence that says a lot about things", "No", "es", ["length"]),
        (PLURAL, "{count, plural, =0 {Nada} one {# nota} other {# notas}}", "es", ["plural_form"]),
        (PLURAL, "{count, plural, =0 {Niets} one {# notitie} other {notities}}", "nl", ["placeholder"]),
        (PLURAL, "{count, plural, =0 {Niets } one {# notitie} other {# notities}}", "nl", ["spaces"]),
        ("A <b>bold</b> word", "Una <b>palabra", "es", ["markup"]),
        ("Save", "Сохранить", "es", ["script"]),
        ("Save", "Opslaan", "ru", ["script"]),
        ("Guildhall", "Guildhall", "ru", []),
    ],
)
def test_slips_are_warned_of(source, text, locale, codes):
    assert [one.code for one in check_text(source, text, locale).warnings] == codes


@given(PATTERNS)
def test_every_message_is_a_translation_of_itself(pattern):
    source = write_pattern(pattern)
    if source.strip():
        assert {one.code for one in check_text(source, source, "en").warnings} <= {"plural_form"}


PIECES = st.lists(
    st.sampled_from([*"{}',#=ab 1<>.", "plural", "select", "other", "one", "few", PLURAL, SELECT])
)


@given(PIECES, PIECES, st.sampled_from(["es", "ja", "tlh", "", "zh-Hant-TW"]))
def test_whatever_is_checked_is_taken_or_refused_at_a_place(source, text, locale):
    source, text = "".join(source), "".join(text)
    try:
        check_text(source, text, locale)
    except InvalidRequest as refusal:
        assert refusal.code in ("placeholder_mismatch", "invalid_message")
        assert 1 <= refusal.extras["place"] <= max(len(source), len(text)) + 1


@pytest.mark.parametrize(
    "piece", ["'", "''", "'{'", "{a}", "<a", "1 ", "{g,select,f{x}other{}}", "{n,plural,=1{}other{#}}", "é. "]
)
def test_checking_costs_no_more_than_its_length(piece):
    def seconds(length):
        text, begun = piece * (length // len(piece)), time.thread_time()
        check_text(text, text, "es")
        return time.thread_time() - begun

    shorter, longer = (min(seconds(length) for _ in range(3)) for length in (1_000, 10_000))
    assert longer < 0.01 + 40 * shorter
