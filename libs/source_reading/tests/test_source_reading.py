"""Imports and tables are found in sources that are never run."""

import pytest

from libs.source_reading import (
    code_of,
    imports_from,
    imports_of,
    modules_in,
    tables_made_in,
    tables_named_in,
    tables_of_others,
    texts_given_to,
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT * FROM one, two AS t JOIN three ON 1", ["one", "two", "three"]),
        ('INSERT INTO main."one" SELECT 1', ["one"]),
        ("SELECT 'FROM text' -- FROM comment\nFROM real /* JOIN none */", ["real"]),
        ("CREATE INDEX found ON one (id); UPDATE two SET a = 1", ["one", "two"]),
        ("SELECT * FROM json_each('[]'), one", ["json_each", "one"]),
    ],
)
def test_the_tables_that_a_statement_names(text, names):
    assert [*tables_named_in(code_of(text))] == names


def test_what_a_package_imports_states_and_creates(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text("import elsewhere")
    one = tmp_path / "one.py"
    one.write_text(
        "import os.path\nfrom . import two\nfrom json import loads\nx = sdk.Statement('a', 'SELECT 1')\n"
    )
    (tmp_path / "0001_one.sql").write_text(
        "CREATE TABLE IF NOT EXISTS made (id);\n-- CREATE TABLE not_made (id)\n"
    )
    assert modules_in(tmp_path) == [one]
    assert [*imports_of(one)] == [(1, "os.path"), (3, "json")]
    assert [*imports_from({"os"}, [one])] == [("one.py:1", "os.path")]
    assert [*texts_given_to("Statement", one)] == [(4, ["a", "SELECT 1"])]
    assert [*tables_made_in(tmp_path)] == ["made"]


def test_the_tables_of_others_are_told_with_their_place_in_order():
    written = [("one.py:1", ["SELECT * FROM ours, Theirs", "UPDATE also_theirs SET a = 1"]), ("two.py:2", [])]
    owners = {"ours": "us", "theirs": "them", "also_theirs": "them"}
    assert [*tables_of_others(written, owners, "us")] == [("one.py:1", "also_theirs"), ("one.py:1", "theirs")]
