"""`guildhall plugin update`: what its author changed stays, and what the scaffold changed comes."""

import json

import pytest

from libs.three_way_merge import has_conflicts

pytestmark = pytest.mark.any_database


@pytest.fixture
def older(new_project):
    """`older("table", place=("what an older scaffold wrote", "what this one writes"))`: such a project."""

    def make(*parts, **changes):
        project = new_project("book-shelf", *parts)
        memory = json.loads((project / ".guildhall/scaffold.json").read_text())
        for place, (then, now) in changes.items():
            for text in (memory["files"], None):
                path = project / place
                assert now in path.read_text() or text is None
                if text is not None:
                    text[place] = text[place].replace(now, then)
                    path.write_text(text[place])
        (project / ".guildhall/scaffold.json").write_text(json.dumps(memory))
        return project

    return make


CI, QUERIES = ".github/workflows/check.yml", "src/guildhall_book_shelf/queries.sql"


def test_what_both_changed_apart_is_merged_and_what_they_changed_alike_waits_for_a_decision(older, guildhall):
    project = older(
        "table",
        **{
            CI: ("pip install .", "pip install -e '.[dev]'"),
            QUERIES: ("-- name: put_item", "-- name: insert_item"),
            "README.md": ("## What it has", "## What it brings"),
            "LICENSE": ("MIT Licence", "MIT License"),
        },
    )
    (project / QUERIES).write_text((project / QUERIES).read_text() + "\n-- name: mine\nSELECT 1\n")
    (project / "README.md").write_text(
        (project / "README.md").read_text().replace("## What it has", "## Mine")
    )
    (project / "LICENSE").unlink()
    code, said, errors = guildhall("plugin", "update", project)
    assert (code, errors) == (1, "")
    at = (project / "README.md").read_text().splitlines().index("<<<<<<< yours") + 1
    assert said.splitlines() == [
        f"updated    {CI}",
        "left out   LICENSE",
        f"conflict   README.md, at line {at}",
        f"merged     {QUERIES}",
        "1 open: decide between <<<<<<< and >>>>>>>, then run the tests",
    ]
    statements = (project / QUERIES).read_text()
    assert "-- name: insert_item" in statements and statements.endswith("-- name: mine\nSELECT 1\n")
    assert not (project / "LICENSE").exists()
    readme = (project / "README.md").read_text()
    assert has_conflicts(readme) and all(
        f"## {one}" in readme for one in ("Mine", "What it has", "What it brings")
    )

    code, _, errors = guildhall("plugin", "update", project)
    assert (code, "README.md has an open conflict: decide between its marks first" in errors) == (2, True)
    (project / "README.md").write_text("# Mine\n")
    assert guildhall("plugin", "update", project) == (0, f"{project} has the scaffold 1 already\n", "")
    assert (project / "README.md").read_text() == "# Mine\n"


def test_a_part_is_added_to_a_project_whose_tests_stay_green(new_project, guildhall, run_in):
    project = new_project("book-shelf", "command")
    (project / "README.md").write_text("# Mine\n" + (project / "README.md").read_text())
    code, said, errors = guildhall("plugin", "update", project, "--tool")
    assert (code, errors) == (0, ""), said
    assert "new        src/guildhall_book_shelf/tools.py" in said and "merged     README.md" in said
    checked = run_in(project, "guildhall", "plugin", "check", "book-shelf")
    assert "book_shelf_shorten" in checked and "command              book-shelf" in checked


def test_what_is_none_of_ours_or_of_a_newer_scaffold_is_refused(new_project, guildhall, tmp_path):
    code, _, errors = guildhall("plugin", "update", tmp_path)
    assert (code, "is no project that `guildhall plugin new` made" in errors) == (2, True)
    project = new_project("book-shelf")
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().replace("\nversion = 1\n", "\nversion = 99\n"))
    code, _, errors = guildhall("plugin", "update", project)
    assert (code, "has the scaffold 99 of a newer Guildhall" in errors) == (2, True)
    (project / ".guildhall/scaffold.json").write_text("{")
    code, _, errors = guildhall("plugin", "update", project)
    assert (code, "do not say what the scaffold wrote: bring them back" in errors) == (2, True)
