"""The budgets of the house: `budget.toml` holds the limits, and growth beyond one is a decision."""

import tomllib

import pytest

from tests import measures
from tests.measures import HOUSE

BUDGET = tomllib.loads((HOUSE / "budget.toml").read_text())
SDK = "sdk/src/guildhall_sdk"
KERNEL_FILES = measures.sources("kernel")
SDK_FILES = measures.sources(SDK)
PLUGIN_FILES = measures.sources("builtin_plugins", "plugins")
ALL_FILES = [*KERNEL_FILES, *SDK_FILES, *PLUGIN_FILES, *measures.sources("libs")]


def length(path):
    return len(path.read_text().splitlines())


def knowing_the_kernel():
    """Returns the test files outside `kernel/` that know its inside: they import it, or patch it by its name.

    All others go through the front door, HTTP, S3, a browser or the command line, with the harness
    `guildhall_testing`. What tests one room of the kernel stands beside it.
    """
    return measures.files_that_know(measures.tests_outside("kernel"), "kernel")


def measured():
    """Returns each figure by the name that it has in the table."""
    return {
        "kernel": {
            "lines": sum(map(measures.lines_of_code, KERNEL_FILES)),
            "files": len(KERNEL_FILES),
            "hooks": measures.hooks_beginning("declare_", HOUSE / SDK / "hooks.py"),
        },
        "sdk": {
            "lines": sum(map(measures.lines_of_code, SDK_FILES)),
            "names": measures.names_at_the_top(HOUSE / SDK),
        },
        "rooms": {
            room: sum(map(measures.lines_of_code, measures.sources(*row["paths"])))
            for room, row in BUDGET["rooms"].items()
        },
        "plugins": {
            "files": len(PLUGIN_FILES),
            "small_files": sum(length(path) < BUDGET["limits"]["small"] for path in PLUGIN_FILES),
        },
        "house": {
            "context_variables": len(measures.context_variables([*KERNEL_FILES, *SDK_FILES])),
            "long_signatures": len(measures.long_signatures(ALL_FILES, BUDGET["limits"]["parameters"])),
            "long_calls": len(measures.long_calls(ALL_FILES, BUDGET["limits"]["positional"])),
            "long_files": sum(length(path) > BUDGET["limits"]["file"] for path in ALL_FILES),
            "tests_that_know_the_kernel": len(knowing_the_kernel()),
        },
    }


@pytest.fixture
def parsed_once(no_collection):
    """The trees of all files are there for the test alone: walking through them slows down all others."""
    yield
    measures.parsed.cache_clear()


def test_what_was_built_is_within_its_budget(parsed_once):
    """What is beyond belongs in a plugin, or needs a line in docs/decisions/budgets.md."""
    figures, tables = measured(), {name: limits for name, limits in BUDGET.items() if name != "limits"}
    tables["rooms"] = {room: row["lines"] for room, row in BUDGET["rooms"].items()}
    assert {table: {*of} for table, of in figures.items()} == {name: {*of} for name, of in tables.items()}
    beyond = {
        f"{table}.{name}": figure
        for table, of in figures.items()
        for name, figure in of.items()
        if figure > tables[table][name]
    }
    assert beyond == {}


def test_the_rooms_are_places_that_are_there_and_each_is_counted_once():
    """A room that moves takes its limit along, and none is counted for nothing."""
    paths = [path for row in BUDGET["rooms"].values() for path in row["paths"]]
    assert [path for path in paths if not measures.sources(path)] == []
    files = measures.sources(*paths)
    assert len(files) == len({*files})


def test_a_docstring_is_no_code_and_a_wrapped_call_is_several_lines(tmp_path):
    path = tmp_path / "sample.py"
    path.write_text(
        '"""What\nit is."""\n\n# Why.\nx = max(\n    1,\n)\n\ndef f():\n    """One."""\n    return x\n'
    )
    assert measures.lines_of_code(path) == 5


def test_a_method_is_not_charged_for_itself():
    signatures = measures.long_signatures([HOUSE / "kernel" / "clock.py"], 0)
    assert [one for one in signatures if one.endswith("now_ms")] == []


def test_a_test_that_imports_or_patches_the_kernel_knows_it(tmp_path, monkeypatch):
    monkeypatch.setattr(measures, "HOUSE", tmp_path)
    sources = {
        "imports": "from kernel.db.database import Database",
        "patches": 'setattr("kernel.audit._LOOKED_AT", 3)',
        "runs": "from guildhall_testing.hall import Hall",
        "speaks": '"The kernel. And kernel/db."',
    }
    paths = [tmp_path / name for name in sources]
    for path in paths:
        path.write_text(sources[path.name])
    assert measures.files_that_know(paths, "kernel") == ["imports", "patches"]
