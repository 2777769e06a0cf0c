"""docs/s3-conformance.md adds up: each test is named once, and counted where it is named."""

import re

from tests.s3_conformance.__main__ import PAGE

_NAME = re.compile(r"\btest_\w+(?:\[[^\]]+\])?(?: \((\d+) forms\))?")


def sections():
    for section in PAGE.read_text("utf-8").split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        yield heading, text


def counted(text):
    return sum(int(found[1] or 1) for found in _NAME.finditer(text))


def test_every_heading_says_how_many_tests_stand_below_it():
    for _, text in sections():
        for part in text.split("\n### ")[1:]:
            heading, _, names = part.partition("\n")
            assert re.search(r"\((\d+)\)$", heading)[1] == str(counted(names)), heading


def test_no_test_is_named_twice():
    names = [found[0] for _, text in sections() for found in _NAME.finditer(text)]
    assert len(names) == len(set(names))


def test_the_table_at_the_top_is_the_sum():
    page, by_heading = PAGE.read_text("utf-8"), dict(sections())
    wanted = [
        counted(by_heading[heading])
        for heading in ("Passing", "Applying, not passing", "Not offered", "Not applying")
    ]
    assert [int(number) for number in re.findall(r"^\| .* \| (\d+) \|$", page, re.MULTILINE)] == wanted
    assert f"{sum(wanted)} of them" in page
