"""`make quick`: the tests nearest to a change, on SQLite, for two minutes.

Nearest are the tests that changed, then those of the packages that changed, then those that import them, then
those of the packages that import them; packages take turns. What two minutes do not reach is skipped and
counted: `make test` runs everything.
"""

import ast
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
SOURCES = ("kernel", "libs", "builtin_plugins", "plugins", "sdk", "tests", "bench")
SDK = "guildhall_sdk"
#: They are installed before their tests run, in an environment of their own.
PROJECTS = ("project", "engine_project")
SECONDS = 100
_UNTIL = "GUILDHALL_QUICK_UNTIL"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leaves out what begins too late; a plugin of pytest under `make quick` alone.

    Ten thousand that are set up to be skipped would take half a minute.
    """
    if time.time() <= float(os.environ[_UNTIL]):
        return None
    why = (str(item.path), None, "left to make test")
    report = pytest.TestReport(item.nodeid, item.location, {}, "skipped", why, "setup")  # type: ignore[arg-type]
    item.ihook.pytest_runtest_logreport(report=report)
    return True


def changed_paths() -> set[str]:
    """Returns what differs from the last commit of main; on a clean main, what that commit changed."""
    changed = _git("diff", "--merge-base", "--name-only", "main")
    found = {*changed, *_git("ls-files", "--others", "--exclude-standard")}
    return found or {*_git("diff", "--name-only", "HEAD~1")}


def _git(*arguments: str) -> list[str]:
    asked = subprocess.run(["git", *arguments], cwd=HOUSE, capture_output=True, text=True, check=True)
    return asked.stdout.splitlines()


def package_of(path: str) -> str:
    """Returns the package that a file belongs to: two folders deep, tests with what they test."""
    parts = Path(path).parts
    if parts[0] == "sdk":
        return SDK
    return "/".join(parts[:2]).removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    """Yields the packages of ours that a file imports."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        modules: Iterable[str] = ()
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for module in modules:
            yield SDK if module.startswith(SDK) else "/".join(module.split(".")[:2])


def nearest_first(changed: set[str], importing: Mapping[str, set[str]]) -> list[str]:
    """Orders the test files that a change concerns; `importing` are the packages that each file imports."""
    tests = [path for path in importing if Path(path).name.startswith("test_")]
    packages = {package_of(path) for path in changed if path in importing or path.endswith(".sql")}
    around = {package_of(path) for path, imported in importing.items() if imported & packages}
    order = (
        lambda path: path in changed,
        lambda path: package_of(path) in packages,
        lambda path: bool(importing[path] & packages),
        lambda path: package_of(path) in around,
    )
    found: dict[str, None] = {}
    for belongs in order:
        found.update(dict.fromkeys(_by_turns(filter(belongs, tests))))
    return [*found]


def _by_turns(paths: Iterable[str]) -> list[str]:
    """Orders test files so that every package has its first before any has its second."""
    earlier: Counter[str] = Counter()
    turns: dict[str, int] = {}
    for path in sorted(paths):
        turns[path] = earlier[package_of(path)]
        earlier[package_of(path)] += 1
    return sorted(turns, key=lambda path: turns[path])


def main() -> int:
    os.environ[_UNTIL] = str(time.time() + SECONDS)
    files = [path for folder in SOURCES for path in (HOUSE / folder).rglob("*.py") if path.is_file()]
    own = [path for path in files if not {"node_modules", "dist", *PROJECTS} & {*path.parts}]
    importing = {path.relative_to(HOUSE).as_posix(): {*imports_of(path)} for path in own}
    tests = nearest_first(changed_paths(), importing)
    if not tests:
        sys.stdout.write("Nothing differs from main that a test concerns.\n")
        return 0
    options = ["-p", "tests.quick", "-n", "2", "--dist", "load", "--hall-database", "sqlite"]
    ended = subprocess.run([sys.executable, "-m", "pytest", *options, *tests], cwd=HOUSE, check=False)
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
