"""A plugin author's first tests, as the testing guide shows them, in a pytest of their own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[3] / "docs/plugins/testing.md"


@pytest.fixture
def project(tmp_path):
    """The files of the guide."""
    for name, text in re.findall(
        r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def run_pytest(project, *arguments):
    # An author has neither a cache nor what only our own tests need.
    without = [
        word
        for name in ("cacheprovider", "schemathesis", "hypothesispytest")
        for word in ("-p", f"no:{name}")
    ]
    command = [sys.executable, "-m", "pytest", *without, "-rf", *arguments]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_the_plugin_of_the_guide_passes_its_tests(project):
    status, output = run_pytest(project, "-v")
    assert status == 0, output
    assert "test_a_book_is_the_teams_own[sqlite] PASSED" in output
    passed = int(re.search(r"(\d+) passed", output)[1])
    assert passed >= 13
    assert "/api/whoami" not in output, "only the author's own rows are tested"


@pytest.mark.long_form
def test_an_author_learns_of_each_mistake(project):
    code = project / "shelf/__init__.py"
    change(project / "shelf/queries.sql", " AND team_id = :team_id", " AND :team_id = :team_id")
    change(
        code, "    return Reply(dict(book))", '    return Reply({"id": book["id"], "name": book["title"]})'
    )
    status, output = run_pytest(project, "--hall-database", "sqlite")
    assert status == 1, output
    assert (
        "GET /api/books/:id of shelf: the answer does not match the row's reply at /title: is required"
        in output
    )
    assert "row GET /api/books/:id of shelf, another tenant's ids" in output


@pytest.mark.long_form
def test_an_id_without_a_factory_fails_the_run(project):
    change(project / "shelf/__init__.py", '[Factory("/api/books/:id", make_book)]', "[]")
    status, output = run_pytest(project, "-k", "conformance")
    assert status == 1, output
    assert "no factory makes an id for /api/books/:id; declare one: Factory('/api/books/:id', make)" in output


@pytest.mark.long_form
def test_a_plugin_that_is_not_let_in_stops_the_run(project):
    change(project / "shelf/__init__.py", '{"add": add, "read": read}', '{"add": add}')
    status, output = run_pytest(project)
    assert status != 0
    assert "the plugin shelf is quarantined: row GET /api/books/:id: there is no handler named read" in output


MARKED = """
import pytest

pytestmark = pytest.mark.any_database


def test_what_is_the_same(hall): ...


@pytest.mark.every_database
def test_a_race(hall): ...


@pytest.mark.hall_databases("postgresql")
def test_a_lock(hall): ...
"""


@pytest.mark.parametrize(
    ("option", "same"),
    [
        ((), ["sqlite"]),
        pytest.param(("--every-database",), ["sqlite", "postgresql"], marks=pytest.mark.long_form),
    ],
)
def test_a_module_says_whether_the_database_matters(project, option, same):
    change(project / "pytest.ini", "hall_plugins", "hall_databases = sqlite postgresql\nhall_plugins")
    (project / "test_marked.py").write_text(MARKED)
    status, output = run_pytest(project, "--collect-only", "-q", *option, "test_marked.py")
    assert status == 0, output
    collected = {line.partition("::")[2] for line in output.splitlines() if "::" in line}
    both = {"test_a_race[sqlite]", "test_a_race[postgresql]", "test_a_lock[postgresql]"}
    assert collected == both | {f"test_what_is_the_same[{name}]" for name in same}
