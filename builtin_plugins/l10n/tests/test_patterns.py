"""Messages taken apart and written again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.l10n.patterns import Frame, Slot, Text, merge_texts, read_pattern, write_pattern

TEXTS = st.text(st.sampled_from("ab'{}# \n.é"), max_size=6).map(Text)
SLOTS = st.sampled_from([Slot("name", "{name}"), Slot("when", "{when, date, ::yMMMd}")])


def _frames(patterns):
    selects = st.dictionaries(st.sampled_from(["f", "m", "other"]), patterns, min_size=1)
    plurals = st.dictionaries(st.sampled_from(["=0", "one", "other"]), patterns, min_size=1)
    return st.one_of(
        selects.map(lambda forms: Frame("g", "select", 0, {"other": (), **forms})),
        st.tuples(plurals, st.sampled_from([0, 1])).map(
            lambda drawn: Frame("n", "plural", drawn[1], {"other": (Slot("n", "#"),), **drawn[0]})
        ),
    )


PATTERNS = st.recursive(
    st.lists(st.one_of(TEXTS, SLOTS), max_size=4).map(merge_texts),
    lambda inner: st.lists(st.one_of(TEXTS, SLOTS, _frames(inner)), max_size=4).map(merge_texts),
    max_leaves=8,
)


@given(PATTERNS)
def test_what_is_written_is_read_as_it_was(pattern):
    assert read_pattern(write_pattern(pattern)) == pattern


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        ("Don't {do} it", (Text("Don't "), Slot("do", "{do}"), Text(" it"))),
        ("l''{name}", (Text("l'"), Slot("name", "{name}"))),
        ("# '{'is'}' literal", (Text("# {is} literal"),)),
        (
            "{n, plural, other {# of '#' {n}}}",
            (Frame("n", "plural", 0, {"other": (Slot("n", "#"), Text(" of # "), Slot("n", "{n}"))}),),
        ),
        # In a select that stands in a plural, # is no number.
        (
            "{n, plural, other {{g, select, other {#}}}}",
            (Frame("n", "plural", 0, {"other": (Frame("g", "select", 0, {"other": (Text("#"),)}),)}),),
        ),
    ],
)
def test_a_message_is_taken_apart(written, pattern):
    assert read_pattern(written) == pattern
