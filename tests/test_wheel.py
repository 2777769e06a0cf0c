"""The wheel carries the console, or is not built; it carries the documentation where that was built."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("pyproject.toml", "README.md", "LICENSE", "console/wheel_hook.py", "kernel/__init__.py")


@pytest.fixture
def checkout(tmp_path):
    """As much of a checkout as a build looks at, without the console."""
    for name in NEEDED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def build(checkout, target="wheel"):
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", "built"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True)


def test_a_wheel_without_the_console_is_not_built(checkout):
    refused = build(checkout)
    assert refused.returncode != 0
    assert "The wheel would have no console" in refused.stderr and "`make console`" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not list(checkout.glob("built/*.whl"))


def test_a_wheel_has_the_console_that_was_built(checkout):
    page = checkout / "builtin_plugins/console/dist/index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html>")
    built = build(checkout)
    assert built.returncode == 0, built.stderr
    (wheel,) = checkout.glob("built/*.whl")
    assert "builtin_plugins/console/dist/index.html" in ZipFile(wheel).namelist()


def test_a_wheel_has_the_documentation_where_it_was_built(checkout):
    for name in ("builtin_plugins/console/dist/index.html", "builtin_plugins/docs_site/site/index.html"):
        (checkout / name).parent.mkdir(parents=True)
        (checkout / name).write_text("<!doctype html>")
    built = build(checkout)
    assert built.returncode == 0, built.stderr
    (wheel,) = checkout.glob("built/*.whl")
    assert "builtin_plugins/docs_site/site/index.html" in ZipFile(wheel).namelist()


def test_an_editable_install_does_without_the_console(checkout):
    built = build(checkout, "wheel:editable")
    assert built.returncode == 0, built.stderr
