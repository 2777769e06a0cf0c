"""Modules of others are imported whole, put in order, and named where they fail."""

import sys

import pytest

from libs.modules import forget, import_file, in_order, place_of


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "neighbour.py").write_text("NUMBER = 1\n")
    (tmp_path / "entry.py").write_text("from .neighbour import NUMBER\n")
    yield tmp_path
    forget("strangers.one")


def test_a_file_imports_its_neighbours_and_takes_the_place_of_what_had_its_name(folder):
    forgotten = []
    assert import_file("strangers.one", folder / "entry.py", forgotten.append).NUMBER == 1
    (folder / "neighbour.py").write_text("NUMBER = 22\n")
    assert import_file("strangers.one", folder / "entry.py", forgotten.append).NUMBER == 22
    assert forgotten == ["strangers.one"]


def test_nothing_is_left_of_a_file_that_cannot_be_imported(folder):
    (folder / "entry.py").write_text("from .neighbour import NUMBER\nraise ValueError\n")
    with pytest.raises(ValueError):
        import_file("strangers.one", folder / "entry.py")
    assert not [name for name in sys.modules if name.startswith("strangers.one")]
    with pytest.raises(ImportError, match=r"notes\.txt cannot be imported"):
        import_file("strangers.one", folder / "notes.txt")


def test_requirements_come_first_and_ties_stay_as_they_were():
    order, circles = in_order({"d": ["b"], "a": [], "b": ["absent"], "c": ["d"]})
    assert (order, circles) == (["a", "b", "d", "c"], {})


def test_those_in_a_circle_come_apart_and_the_others_in_order():
    order, circles = in_order({"a": ["b"], "b": ["a"], "c": ["a"], "d": []})
    assert list(order) == ["c", "d"]
    assert {name: set(circle) for name, circle in circles.items()} == {"a": {"a", "b"}, "b": {"a", "b"}}


def test_the_innermost_line_of_theirs_is_the_place_also_where_a_library_raised(folder):
    (folder / "entry.py").write_text("import json\n\n\ndef fail():\n    json.loads('{')\n")
    module = import_file("strangers.one", folder / "entry.py")
    with pytest.raises(ValueError) as refusal:
        module.fail()
    assert place_of(refusal.value, "strangers.one".__eq__, "/nowhere") == " (entry.py:5)"
