"""What of a document becomes a passage, by what it is."""

import pytest

from builtin_plugins.embeddings.storing import MAX_PASSAGES, cut_document
from libs.fair_slots import finished


def cut(type_, text, title="Title"):
    return finished(cut_document(type_, title, text))


def test_pages_sheets_and_headings_come_from_how_a_file_is_called():
    pages = cut("object", "a/b.pdf\none\n\n\ftwo")
    assert [(one.text, one.page, one.sheet) for one in pages] == [("one", 1, None), ("two", 2, None)]
    sheets = cut("object", "costs.xlsx\nRent\nMay\t12\n\n\fFees\nMay\t3")
    assert [(one.sheet, one.page) for one in sheets] == [("Rent", None), ("Fees", None)]
    (note,) = cut("note", "# Heading\n\nText")
    assert (note.heading, note.line) == ("Heading", 1)


def test_the_key_of_a_file_is_no_part_of_its_text():
    (passage,) = cut("object", "folder/name.txt\nThe text.")
    assert (passage.text, passage.line) == ("The text.", 1)
    assert cut("object", "folder/picture.png\n") == []


def test_what_has_a_name_alone_is_found_by_that():
    assert [one.text for one in cut("entity", "", title="Ada Lovelace")] == ["Ada Lovelace"]
    assert cut("note", "", title="Empty") == []


@pytest.mark.parametrize("text", ["word " * 900_000])
def test_a_very_long_text_gives_its_first_passages(text):
    assert 0 < len(cut("note", text)) <= MAX_PASSAGES
