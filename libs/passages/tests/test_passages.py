"""Where a text is cut, and what each passage says of its place."""

from itertools import pairwise

import pytest

from libs.passages import LONGEST, estimated_tokens, kind_of, passages, sections

WORDS = "The harbour master keeps a list of ships that wait outside for the tide to turn. "


def cut(text, kind="prose"):
    return list(passages(text, kind))


def test_a_short_text_is_one_passage_as_it_stands():
    assert [one.text for one in cut("One line.\n\nAnother line.\n")] == ["One line.\n\nAnother line."]


@pytest.mark.parametrize("text", ["", " \n\f\n ", "\n\n--\n"])
def test_a_text_that_says_nothing_has_no_passage(text):
    assert cut(text) == []


@pytest.mark.parametrize("kind", ["prose", "markdown", "code", "table", "workbook"])
@pytest.mark.parametrize(
    "text", [WORDS * 200, "word" * 5000, (WORDS + "\n") * 300, "港" * 6000, "a\n\n" * 3000]
)
def test_every_passage_stands_in_the_text_and_none_is_too_long(kind, text):
    found = cut(text, kind)
    assert all(one.text in text for one in found)
    assert all(estimated_tokens(one.text) <= LONGEST for one in found)


def test_nothing_is_lost_between_passages():
    text = "\n\n".join(f"Paragraph {number}. {WORDS * (number % 7)}" for number in range(120))
    together = "".join(one.text for one in cut(text))
    assert all(f"Paragraph {number}." in together for number in range(120))


def test_neighbours_share_some():
    found = cut("\n".join(f"Sentence number {number} stands here alone." for number in range(200)))
    assert all(after.text.split("\n")[0][:20] in before.text for before, after in pairwise(found))


def test_a_passage_names_the_heading_above_it_and_its_line():
    text = f"# Leave\n\n{WORDS * 12}\n\n## Parents\n\n{WORDS * 12}"
    assert [(one.heading, one.line) for one in cut(text, "markdown")] == [("Leave", 1), ("Parents", 5)]


def test_short_sections_go_together():
    assert len(cut("# One\n\nshort\n\n# Two\n\nshort", "markdown")) == 1


def test_sections_are_below_their_own_headings():
    text = "Before.\n\n# One\n\nshort\n\n```\n# no heading\n```\n\n# Two\n\nshort too\n"
    assert [(one.heading, one.line, one.text) for one in sections(text)] == [
        (None, 1, "Before."),
        ("One", 3, "# One\n\nshort\n\n```\n# no heading\n```"),
        ("Two", 11, "# Two\n\nshort too"),
    ]


def test_a_comment_in_a_fence_is_no_heading():
    text = f"# Real\n\n```sh\n# not a heading\n{WORDS * 30}\n```\n"
    assert {one.heading for one in cut(text, "markdown")} == {"Real"}


def test_pages_are_counted_and_never_joined():
    assert [(one.page, one.text) for one in cut("one\n\ftwo\n\fthree")] == [
        (1, "one"),
        (2, "two"),
        (3, "three"),
    ]


def test_a_text_without_pages_has_no_page():
    assert cut("one")[0].page is None


def test_a_workbook_names_its_sheets():
    found = cut("Costs\nrent\t12\n\fIncome\nfees\t40", "workbook")
    assert [(one.sheet, one.page) for one in found] == [("Costs", None), ("Income", None)]


def test_rows_and_lines_of_programs_stay_whole():
    rows = [f"row {number}\t{number * 7}" for number in range(800)]
    for kind in ("table", "code"):
        assert all(line in rows for one in cut("\n".join(rows), kind) for line in one.text.split("\n"))


def test_a_program_is_cut_where_something_begins():
    body = "\n".join(f"    value_{number} = compute({number})" for number in range(40))
    text = "\n\n".join(f"def function_{number}():\n{body}" for number in range(4))
    assert [one.text.split("(")[0] for one in cut(text, "code")] == [
        f"def function_{number}" for number in range(4)
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a/b.md", "markdown"),
        ("x.PY", "code"),
        ("x.xlsx", "workbook"),
        ("x.csv", "table"),
        ("README", "prose"),
    ],
)
def test_the_kind_goes_by_the_name(name, kind):
    assert kind_of(name) == kind
