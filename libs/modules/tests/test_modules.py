"""Modules of others are imported whole, put in order, and named where they fail."""

import json
import sys
from dataclasses import replace

import pytest

from libs.modules import (
    ManifestFault,
    entry_points_of,
    forget,
    import_file,
    in_order,
    installed_version,
    missing_in,
    moved_to,
    names_imported_in,
    owner_among,
    peek_manifest,
    place_of,
    read_manifest,
    words_in,
)


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


@pytest.mark.parametrize(
    ("manifest", "fault"),
    [
        ({"id": "a", "entry": "entry.py", "size": 3}, None),
        ("nothing", "must hold an object"),
        ({"id": "", "entry": "entry.py"}, "must have a text field 'id'"),
        ({"id": "a", "entry": "entry.py", "size": "3"}, "unknown or malformed field 'size'"),
        ({"id": "a", "entry": "../entry.py"}, "is not a Python file beside"),
    ],
)
def test_a_manifest_has_fields_of_their_types(folder, manifest, fault):
    path = folder / "manifest.json"
    path.write_text(json.dumps(manifest))
    try:
        found = read_manifest(path, ("id", "entry"), {"size": int}, entry="entry")
    except ManifestFault as wrong:
        assert fault in str(wrong)
        assert peek_manifest(path) == (manifest if isinstance(manifest, dict) else {})
    else:
        assert (found, fault) == (manifest, None)


def test_sources_are_read_without_running_them(folder):
    (folder / "broken.py").write_text("def broken(:")
    paths = [folder / "entry.py", folder / "broken.py", folder / "missing.py"]
    assert "neighbour" in words_in(paths)
    assert names_imported_in(paths) == {("neighbour", "NUMBER")}


def test_entry_points_come_with_their_distributions():
    found = {distribution: version for _, distribution, version in entry_points_of("pytest11")}
    assert found
    assert {name: installed_version(name) for name in found} == found
    assert installed_version("no-such-distribution") is None


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("shop", "shop"),
        ("shop.till", "shop"),
        ("shop.till.drawer", "shop.till.drawer"),
        ("shops", None),
        ("own.helper", "own.plugin"),
        ("shared.two", None),
        ("shared.one.deep", "shared.one"),
    ],
)
def test_a_module_belongs_to_the_nearest_that_it_stands_in(name, owner):
    modules = ["shop", "shop.till.drawer", "own.plugin", "shared.one", ""]
    assert owner_among(modules, name, {"shared"}) == owner


def test_a_name_that_moved_is_found_where_it_is_made_not_where_it_is_imported():
    assert moved_to("libs.modules", "libs.modules.gone", "in_order") == "libs.modules.ordering"
    assert moved_to("libs.modules", "libs.modules", "in_order") is None
    assert moved_to("libs.strict_json", "libs.strict_json.gone", "Encode") == "libs.strict_json.pieces"
    assert moved_to("libs.modules", "libs.modules.gone", "nothing_of_the_kind") is None


class Shelf:
    def __init__(self, books): ...


def shelve(book): ...


@pytest.mark.parametrize(
    ("use", "missing"),
    [
        (lambda: Shelf(1).rows, ["Shelf.rows", "object.rows"]),
        (lambda: Shelf(rows=1), ["Shelf.rows"]),
        (lambda: shelve(by=1), ["shelve.by"]),
        (lambda: replace((1, 2), size=1), ["NamedTuple.replace"]),
        (lambda: 1 + "1", []),
        (lambda: {}["rows"], []),
    ],
)
def test_an_error_says_what_it_found_missing(use, missing):
    with pytest.raises(Exception) as error:
        use()
    assert missing_in(error.value) == missing
