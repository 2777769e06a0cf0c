"""ICU messages: what compiles, what does not and where, and whether a translation keeps what it must."""

import contextlib
import time

import pytest
from babel import Locale, localedata
from hypothesis import given
from hypothesis import strategies as st

from libs.icu_messages import (
    MAX_MESSAGE_DEPTH,
    Argument,
    MessageFault,
    argument_differences,
    category_faults,
    knows_plurals,
    parse_message,
    plural_categories,
)

PLURAL = "{count, plural, =0 {No notes} one {# note} other {# notes}}"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("", []),
        ("Don't panic", []),
        ("Hello {name}!", [Argument("name")]),
        ("{ 0 }", [Argument("0")]),
        ("{n, number}{d, date, ::yMMMd}", [Argument("n", "number"), Argument("d", "date")]),
        ("{n, number, 'a } quoted' {}}", [Argument("n", "number")]),
        (PLURAL, [Argument("count", "plural", ("=0", "one", "other"))]),
        ("{n, plural, offset:1 other {'#' #}}", [Argument("n", "plural", ("other",), 1)]),
        (
            "{g, select, f {{n, plural, other {{her} has #}}} other {x}}",
            [Argument("g", "select", ("f", "other")), Argument("n", "plural", ("other",)), Argument("her")],
        ),
        ("'{name}' is ''quoted'' {real}", [Argument("real")]),
        ("a quotation '{that goes on} to the end", []),
        ("{n, selectordinal, two {#nd} other {#th}}", [Argument("n", "selectordinal", ("two", "other"))]),
    ],
)
def test_a_message_has_its_arguments_in_their_order(text, arguments):
    assert [*parse_message(text).arguments] == arguments


def test_the_texts_of_a_message_are_what_a_reader_sees():
    text = "Hi {name}, {n, plural, one {a note} other {# notes}}."
    seen = [text[begin:end] for begin, end in parse_message(text).texts]
    assert seen == ["Hi ", ", ", "a note", "# notes", "."]


@pytest.mark.parametrize(
    ("text", "problem", "place"),
    [
        ("a } b", "closes nothing", 2),
        ("{", "no name", 0),
        ("{{name}}", "no name", 0),
        ("{name", "not closed", 0),
        ("ab {name, }", "no type", 10),
        ("{n, choice, 0#a}", "no type", 4),
        ("{n, plural}", "should be a ,", 10),
        ("{n, plural, one {#}}", "lacks other", 0),
        ("{n, plural, lots {#} other {#}}", "no plural category", 12),
        ("{n, plural, one {a} one {b} other {c}}", "twice", 20),
        ("{g, select, other {a", "not closed", 0),
        ("{g, select, }", "lacks other", 0),
        ("{n, number, {", "not closed", 0),
        ("{a b}", "should be a ,", 3),
    ],
)
def test_what_does_not_compile_says_why_and_where(text, problem, place):
    with pytest.raises(MessageFault, match=problem) as raised:
        parse_message(text)
    assert raised.value.place == place


def test_messages_nest_so_deep_and_no_deeper():
    def nested(depth):
        return "{g, select, other {" * depth + "}}" * depth

    assert len(parse_message(nested(MAX_MESSAGE_DEPTH)).arguments) == MAX_MESSAGE_DEPTH
    with pytest.raises(MessageFault, match="deep"):
        parse_message(nested(MAX_MESSAGE_DEPTH + 1))


@given(st.lists(st.sampled_from([*"{}',#=ab 1", "plural", "select", "other", "one", "offset:", "\u2028"])))
def test_whatever_is_read_is_a_message_or_a_fault_within_it(pieces):
    text = "".join(pieces)
    try:
        message = parse_message(text)
    except MessageFault as fault:
        assert 0 <= fault.place <= len(text)
    else:
        assert all(0 <= begin < end <= len(text) for begin, end in message.texts)
        assert argument_differences(message, message) == []


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "{",
            "}",
            "'",
            "''",
            "'{",
            "{a}",
            "{a,",
            "{a,plural,",
            "{a,select,other{",
            "{n,number,'",
            " ",
            "xxx",
        ),
        *("{a, plural, offset:", "'{''", "{a,plural,=1{}other{}}"),
    ],
)
def test_hostile_messages_cost_no_more_than_their_length(piece):
    def seconds(length):
        text, begun = piece * (length // len(piece)), time.thread_time()
        with contextlib.suppress(MessageFault):
            parse_message(text)
        return time.thread_time() - begun

    shorter, longer = (min(seconds(length) for _ in range(3)) for length in (5_000, 50_000))
    assert longer < 0.02 + 40 * shorter


@pytest.mark.parametrize(
    ("source", "translation", "problems"),
    [
        ("Hi {name}", "{name}, hola", []),
        ("Hi {name}", "Hola", ["lacks the argument {name}"]),
        ("Hi {name}", "Hola {nombre}", ["lacks the argument {name}", "has an argument {nombre}"]),
        ("Hi {name}", "Hola '{name}'", ["lacks the argument {name}"]),
        ("{n, number}", "{n}", ["must be number, not bare"]),
        (PLURAL, "{count, plural, =0 {Nada} one {# nota} many {#} other {{count} notas}}", []),
        (PLURAL, "{count, plural, one {#} other {#}}", ["lacks =0"]),
        (PLURAL, "{count} notas", ["must be plural, not bare"]),
        ("{n, plural, offset:1 other {}}", "{n, plural, other {}}", ["offset"]),
        ("{g, select, f {she} other {x}}", "{g, select, f {ella} other {x}}", []),
        ("{g, select, f {she} other {x}}", "{g, select, m {el} other {x}}", ["lacks f", "has m, which"]),
    ],
)
def test_a_translation_has_the_arguments_of_its_source(source, translation, problems):
    found = argument_differences(parse_message(source), parse_message(translation))
    assert len(found) == len(problems)
    assert all(problem in one for problem, one in zip(problems, found, strict=True))


@pytest.mark.parametrize(
    ("locale", "categories", "unknown"),
    [
        ("pl", "few many", ""),
        ("es-MX", "many", ""),
        ("nl", "few", "few"),
        ("ja", "two", "two"),
        ("tlh", "few", ""),
    ],
)
def test_a_plural_has_the_categories_of_its_language_and_of_its_source(locale, categories, unknown):
    branches = " ".join(f"{one} {{x}}" for one in categories.split())
    translation = parse_message(f"{{count, plural, =0 {{x}} one {{x}} {branches} other {{x}}}}")
    faults = category_faults(parse_message(PLURAL), translation, locale)
    assert [unknown in fault for fault in faults] == ([True] if unknown else [])


def test_the_categories_of_the_shipped_languages_are_known():
    assert {locale: len(plural_categories(locale)) for locale in ("en", "es", "nl-BE", "is")} == {
        "en": 2,
        "es": 3,
        "nl-BE": 2,
        "is": 2,
    }


@pytest.mark.parametrize("ordinal", [False, True])
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long_form)], ids=["some", "every"])
def test_the_categories_of_every_language_are_those_of_the_cldr(ordinal, step):
    languages = [name for name in localedata.locale_identifiers() if "_" not in name]
    # Of all regions, one counts otherwise than its language.
    for name in (*languages[::step], "en", "ar", "pt_PT"):
        locale = Locale.parse(name)
        rule = locale.ordinal_form if ordinal else locale.plural_form
        if knows_plurals(locale.language):
            found = plural_categories(name.replace("_", "-"), ordinal=ordinal)
            assert found == rule.tags | {"other"}, name
        else:
            assert locale.plural_form.tags <= {"other"}, name


def test_arguments_and_branches_say_where_they_stand():
    text = "Hi {name}, {n, plural, one {a note} other {# {name}}}"
    first, plural, inner = parse_message(text).arguments
    assert text[slice(*first.span)] == text[slice(*inner.span)] == "{name}"
    assert text[plural.span[0] :] == "{n, plural, one {a note} other {# {name}}}"
    assert [text[slice(*branch.span)] for branch in plural.branches] == ["a note", "# {name}"]
    assert [text[branch.place :].split()[0] for branch in plural.branches] == ["one", "other"]
