"""Makes the clients from the route table: `make clients`.

What is made stands beside what is written by hand and is committed with it; a test fails where the table says
something else than the clients.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clients.generator import python, typescript, unasync
from clients.generator.operations import read_document, read_operations
from clients.generator.shapes import Shapes

HERE = Path(__file__).resolve().parent
PYTHON = HERE / "python" / "src" / "guildhall_client"
TYPESCRIPT = HERE / "typescript" / "src"
MADE_FOLDERS = (
    *(PYTHON / part for part in ("types", "asynchronous/resources", "synchronous/resources")),
    *(TYPESCRIPT / part for part in ("types", "resources")),
)
#: What each half of the Python client has for itself, for there is nothing to await or other to wait with.
BY_HAND = ("__init__.py", "files.py", "worker.py")


def make(document: Mapping[str, Any]) -> dict[Path, str]:
    """Returns the text of every file that is made, by its path."""
    shapes = Shapes(read_operations(document))
    files = {PYTHON / name: text for name, text in python.render(shapes, document).items()}
    by_hand = {
        path: path.read_text("utf-8") for path in PYTHON.glob("asynchronous/*.py") if path.name not in BY_HAND
    }
    both = {**by_hand, **{path: text for path, text in files.items() if _is_async(path)}}
    halves = {_other_half(path): unasync.without_awaiting(text) for path, text in both.items()}
    permissions = [one["const"] for one in document["components"]["schemas"]["Permission"]["oneOf"]]
    scripts = typescript.render(shapes, permissions)
    return {**_formatted({**files, **halves}), **{TYPESCRIPT / name: text for name, text in scripts.items()}}


def _is_async(path: Path) -> bool:
    return "asynchronous" in path.relative_to(PYTHON).parts


def _other_half(path: Path) -> Path:
    return PYTHON / "synchronous" / path.relative_to(PYTHON / "asynchronous")


def _formatted(files: Mapping[Path, str]) -> dict[Path, str]:
    """Has ruff put the imports in order and the lines in form, in a folder beside."""
    with tempfile.TemporaryDirectory() as folder:
        places = {path: Path(folder, path.relative_to(HERE)) for path in files}
        for path, place in places.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(files[path], "utf-8")
        settings = ["--config", str(HERE.parent / "pyproject.toml"), "--no-cache", "-q", folder]
        ruff = [sys.executable, "-m", "ruff"]
        subprocess.run([*ruff, "check", "--fix-only", "--select", "I,F401", *settings], check=True)
        subprocess.run([*ruff, "format", *settings], check=True)
        return {path: place.read_text("utf-8") for path, place in places.items()}


def main() -> None:
    """Writes what the table says, and deletes what it does not say any more."""
    files = make(read_document())
    for folder in MADE_FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
