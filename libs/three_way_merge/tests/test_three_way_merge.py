"""Two changes of a text are both in what comes of them, and none is lost where they differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.three_way_merge import has_conflicts, merge

NAMES = ("yours", "scaffold 1", "scaffold 2")


def merged(base, yours, theirs):
    return merge(*("".join(f"{line}\n" for line in text) for text in (base, yours, theirs)), NAMES)


@pytest.mark.parametrize(
    ("base", "yours", "theirs", "expected"),
    [
        ("abc", "abc", "abc", "abc"),
        ("abc", "xabc", "abcy", "xabcy"),
        ("abc", "ac", "abc", "ac"),
        ("abc", "abc", "c", "c"),
        ("abc", "axc", "axc", "axc"),
        ("abcd", "axcd", "abcy", "axcy"),
        ("", "", "ab", "ab"),
        ("abcabc", "abcabcd", "xbcabc", "xbcabcd"),
    ],
)
def test_what_one_side_changed_is_taken_from_it(base, yours, theirs, expected):
    done = merged(base, yours, theirs)
    assert (done.text.replace("\n", ""), done.conflicts, has_conflicts(done.text)) == (expected, [], False)


def test_what_both_changed_differently_is_a_conflict_with_all_three():
    done = merged("abc", "axc", "ayc")
    assert done.text.splitlines() == [
        "a",
        "<<<<<<< yours",
        "x",
        "||||||| scaffold 1",
        "b",
        "=======",
        "y",
        ">>>>>>> scaffold 2",
        "c",
    ]
    assert (done.conflicts, has_conflicts(done.text)) == ([2], True)


TEXTS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(TEXTS, TEXTS, TEXTS)
def test_a_side_that_changed_nothing_decides_nothing(base, yours, theirs):
    lines = "".join(f"{line}\n" for line in yours)
    for done in (merged(base, yours, base), merged(base, base, yours), merged(base, yours, yours)):
        assert (done.text, done.conflicts) == (lines, [])
    both = merged(base, yours, theirs)
    if not both.conflicts:
        assert set(both.text.split()) <= {*base, *yours, *theirs}
