"""Projects that `guildhall plugin new` writes, and what is run in them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from libs.source_distribution import describe
from tests import commands


@pytest.fixture
def guildhall():
    """`guildhall("plugin", "new", …)`: the exit code, output and errors of a command."""

    def run(*words, **settings):
        done = commands.run(commands.bare_environment(**settings), [*map(str, words)])
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def new_project(guildhall, tmp_path):
    """`new_project("book-shelf", "routes", "table")`: the folder of a project with these parts."""

    def make(name, *parts):
        home = tmp_path / name
        flags = [f"--{part}" for part in parts]
        done = guildhall("plugin", "new", name, *flags, "--yes", "--folder", home)
        assert (done[0], done[2]) == (0, ""), done
        return home

    return make


@pytest.fixture
def run_in(tmp_path):
    """`run_in(project, "pytest", "-q")`: runs a command beside the sources of a project."""

    def run(project, *words):
        path = os.pathsep.join(describe(project, tmp_path / f"{project.name}-site"))
        environ = commands.bare_environment(PYTHONPATH=path)
        program, *rest = words
        command = [Path(sys.executable).with_name(program), *rest]
        done = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
