"""`guildhall plugin new`: every project that it writes is green at once."""

import os
import pty
import re
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from builtin_plugins.authoring.parts import PARTS
from builtin_plugins.authoring.scaffold_files import Answers, files_of
from tests import commands

pytestmark = pytest.mark.any_database

PYTEST = ("pytest", "-q", "-p", "no:schemathesis", "-p", "no:cacheprovider")


# One with all parts is built, installed and tested in `tests/separate_plugin/test_separate_scaffold.py`.
@pytest.mark.long_form
@pytest.mark.parametrize("parts", list(combinations(PARTS, 2)), ids="-".join)
def test_its_tests_pass_and_a_server_would_let_it_in(new_project, run_in, parts):
    project = new_project("book-shelf", *parts)
    assert " passed" in run_in(project, *PYTEST)
    checked = run_in(project, "guildhall", "plugin", "check", "book-shelf")
    assert "book-shelf 0.1.0 would be let in" in checked


def test_a_formatter_and_a_linter_have_nothing_to_say_of_any(tmp_path):
    """Whatever its parts are, and however long its name."""
    for name in ("ab", "a-book-shelf-of-many-long-boards"):
        for parts in [(), *combinations(PARTS, 1), *combinations(PARTS, 2), tuple(PARTS)]:
            for place, text in files_of(Answers.given(name, parts)).items():
                path = tmp_path / name / ("-".join(parts) or "nothing") / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    for words in (["check"], ["format", "--check"]):
        command = [Path(sys.executable).with_name("ruff"), *words, "--no-cache", "."]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_of_the_sample_is_left_and_the_project_remembers_what_was_asked(new_project):
    project = new_project("book-shelf", "table", "screen")
    for path in project.rglob("*"):
        text = path.name if path.is_dir() else path.name + path.read_text("utf-8")
        assert not re.search("(?i)sample[ _-]plugin", text), path
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    remembered = settings["tool"]["guildhall"]["scaffold"]
    assert remembered == {"version": 1, "name": "book-shelf", "parts": ["routes", "table", "screen"]}
    assert settings["project"]["entry-points"]["guildhall.plugins"] == {"book-shelf": "guildhall_book_shelf"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--yes"], "say what the plugin is called: guildhall plugin new NAME"),
        (["Book_Shelf"], "'Book_Shelf' cannot be the name of a plugin: give small letters and digits"),
        (["notes"], "the name notes is taken: "),
        (["sdk"], "the name sdk is taken: "),
        (["doctor", "--command"], "`guildhall doctor` is there already: call the plugin something else"),
    ],
)
def test_what_cannot_be_is_refused_and_writes_nothing(guildhall, tmp_path, words, reason):
    code, _, errors = guildhall("plugin", "new", *words, "--folder", tmp_path / "new")
    assert code == 2 and errors.startswith(f"guildhall: {reason}"), errors
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_left_alone(guildhall, tmp_path):
    (tmp_path / "letter").touch()
    code, _, errors = guildhall("plugin", "new", "book-shelf", "--folder", tmp_path)
    assert (code, "is there already and not empty" in errors) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


def test_who_says_nothing_is_asked(tmp_path):
    """In a terminal: for the name, and for each part."""
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [Path(sys.executable).with_name("guildhall"), "plugin", "new"],
        cwd=tmp_path,
        env=commands.bare_environment(),
        stdin=theirs,
        stdout=subprocess.PIPE,
        text=True,
    )
    os.write(terminal, b"book-shelf\nperhaps\ny\n" + b"\n" * (len(PARTS) - 1))
    said, _ = process.communicate(timeout=60)
    for number in (terminal, theirs):
        os.close(number)
    assert (process.returncode, "Please answer y or n." in said) == (0, True)
    assert "files; it brings routes\n" in said
    assert (tmp_path / "guildhall-book-shelf/src/guildhall_book_shelf/routes.py").exists()
