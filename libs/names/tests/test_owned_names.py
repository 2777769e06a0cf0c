"""Names of several owners in one space."""

import pytest

from libs.names.owned import OwnedNames, claim_fault

SHELF = OwnedNames("shelf", "A_SHELF_", ["A_SHELF_SIZE"])
ROOT = OwnedNames("root", None, ["A_PORT", "A_SHELF_OLD"])


@pytest.mark.parametrize(
    ("own", "fault"),
    [
        (OwnedNames("book", "A_BOOK_", ["A_BOOK_SIZE"]), None),
        (OwnedNames("a", None, ["A_SHELF_X"]), None),
        (
            OwnedNames("book", "A_BOOK_", ["A_PORT"]),
            "the setting A_PORT is declared by book, but root declares it already",
        ),
        (OwnedNames("book", "A_BOOK_", ["A_BOOK_X"] * 2), "the setting A_BOOK_X is declared twice"),
        (
            OwnedNames("a", "A_", ["A_SHELF_X"]),
            "the setting A_SHELF_X would pass for one of shelf, whose settings begin with A_SHELF_",
        ),
        (
            OwnedNames("shelf-size", "A_SHELF_SI", ["A_SHELF_SIX"]),
            "its settings begin with A_SHELF_SI, and so does A_SHELF_SIZE of shelf: "
            "give shelf-size another id",
        ),
    ],
)
def test_a_name_stands_beside_those_of_others_or_says_why_not(own, fault):
    assert claim_fault("setting", own.names[0], own, [ROOT, SHELF]) == fault
