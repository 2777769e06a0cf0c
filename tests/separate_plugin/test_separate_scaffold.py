"""What `guildhall plugin new` writes, where nothing of this checkout is: a fresh environment of wheels."""

import os
import subprocess
import sys

import pytest

from libs.source_distribution import describe

PARTS = ("routes", "table", "job", "tool", "screen", "workflow", "trigger", "command")


@pytest.mark.long_form
def test_a_new_plugin_with_all_parts_is_green_at_once(installation, tmp_path):
    flags = [f"--{part}" for part in PARTS]
    made = installation.run("plugin", "new", "book-shelf", *flags, "--yes", where=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    project = tmp_path / "guildhall-book-shelf"
    # As pip's editable install does it, which the test saves itself.
    path = os.pathsep.join(describe(project, tmp_path / "site"))

    types = installation.folder.parent / "types"

    def run(*words):
        done = installation.run_python(*words, where=project, PYTHONPATH=path, MYPY_CACHE_DIR=str(types))
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    of_one_row = "not conformance or DELETE"
    assert " passed" in run("-m", "pytest", "-q", "-p", "no:schemathesis", "-k", of_one_row)
    check = installation.run("plugin", "check", "book-shelf", where=project, PYTHONPATH=path)
    assert "book-shelf 0.1.0 would be let in" in check.stdout
    assert "Success: no issues found" in run("-m", "mypy")
    for words in (["check", "."], ["format", "--check", "."]):
        done = subprocess.run([sys.executable, "-m", "ruff", *words], cwd=project, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
