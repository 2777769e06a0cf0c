"""Whatever a model answers, what is taken for a message compiles and has the arguments of its source."""

from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.translation.checks import check_message, plan, put_right
from builtin_plugins.translation.matching import Term, index_terms
from libs.fair_slots import finished
from libs.icu_messages import argument_differences, parse_message

SOURCES = (
    "The order of {name}",
    "{n, plural, =0 {No order} one {# order} other {# orders of {name}}}",
    "{g, select, f {Her order} other {It's '{order}'}}",
)
PIECES = ("order", "{name}", "{n, plural, =0 {x} one {order} other {#}}", "{g, select, f {order} other {y}}")
# The last two are words that mean something in a message.
TRANSLATIONS = ("pedido", "l'ordre", "{name}", "'{")


@given(
    st.sampled_from(SOURCES),
    st.lists(st.sampled_from([*PIECES, *"{}' #ab\0", "other", "plural"]), max_size=8),
    st.sampled_from(TRANSLATIONS),
)
def test_what_is_taken_has_the_arguments_of_its_source(source, pieces, translation):
    index = finished(index_terms([Term("1", "order", translation)]))
    planned = finished(plan({"key": source}, index)).messages["key"]
    checked = finished(check_message(planned, "".join(pieces), "es"))
    for one in (checked, finished(put_right(planned, checked)), planned.by_glossary()):
        if one.fault is None:
            assert argument_differences(planned.message, parse_message(one.text)) == []
            assert "\0" not in one.text


def test_an_elided_word_before_a_placeholder_begins_no_quotation():
    planned = finished(plan({"key": "The orders of {name}"}, finished(index_terms([])))).messages["key"]
    assert finished(check_message(planned, "Les commandes d'{name}", "fr")).text == "Les commandes d''{name}"
    assert finished(check_message(planned, "Les commandes de '{name}'", "fr")).fault is not None
