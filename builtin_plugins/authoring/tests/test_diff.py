"""`guildhall plugin diff`: what a newer version of a plugin adds, takes away, and should not have changed."""

import pytest
from hatchling.build import build_wheel

pytestmark = pytest.mark.any_database


def test_a_wheel_and_the_project_that_it_was_made_from(new_project, guildhall, tmp_path, monkeypatch):
    project = new_project("book-shelf", "table")
    monkeypatch.chdir(project)
    wheel = tmp_path / build_wheel(str(tmp_path))
    assert guildhall("plugin", "diff", wheel, project) == (
        0,
        "book-shelf 0.1.0 → book-shelf 0.1.0\nnothing differs\n",
        "",
    )
    package = project / "src/guildhall_book_shelf"
    routes = (package / "routes.py").read_text()
    (package / "routes.py").write_text(routes.replace('"items/:id", read_item', '"things/:id", read_item'))
    (package / "migrations/0001_items.sql").write_text(
        "CREATE TABLE book_shelf_items (id $ID, team_id $ID, text TEXT)"
    )
    (package / "migrations/0002_more.sql").write_text("CREATE TABLE book_shelf_more (id $ID, team_id $ID)")
    source = (package / "__init__.py").read_text().replace('version="0.1.0"', 'version="0.2.0"')
    hook = "\n\nfrom guildhall_sdk import hookimpl\n\n@hookimpl\nasync def on_start(host):\n    pass\n"
    (package / "__init__.py").write_text(source + hook)
    code, said, errors = guildhall("plugin", "diff", wheel, project)
    assert (code, errors) == (1, "")
    assert said.splitlines() == [
        "book-shelf 0.1.0 → book-shelf 0.2.0",
        "+ migration            0002_more.sql",
        "- route                GET /api/x/book-shelf/items/:id (book-shelf:read)",
        "+ route                GET /api/x/book-shelf/things/:id (book-shelf:read)",
        "+ implements           on_start",
        "! migration            0001_items.sql was changed: "
        "an instance that has applied it refuses the plugin",
    ]


def test_what_is_no_plugin_or_would_not_be_let_in_is_named(guildhall, new_project, tmp_path):
    (tmp_path / "torn.whl").write_bytes(b"no zip")
    code, _, errors = guildhall("plugin", "diff", tmp_path / "torn.whl", "notes")
    assert (code, "torn.whl cannot be read: File is not a zip file" in errors) == (2, True)
    project = new_project("book-shelf")
    (project / "src/guildhall_book_shelf/__init__.py").write_text("import nowhere\n")
    code, _, errors = guildhall("plugin", "diff", project, "notes")
    assert code == 2 and "would not be let in: [admission] ModuleNotFoundError" in errors
