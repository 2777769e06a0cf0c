"""Projects on disk: one that is new, and what the scaffold wrote there, which an update starts from."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builtin_plugins.authoring.scaffold_files import VERSION, Answers, files_of
from guildhall_sdk.errors import OperatorError

MEMORY = ".guildhall/scaffold.json"
_REMEMBERED = "The scaffold of `guildhall plugin new` as it wrote these files, for `guildhall plugin update`."


@dataclass(frozen=True, slots=True)
class Project:
    """A project that `guildhall plugin new` has made, with what it wrote there."""

    home: Path
    version: int
    answers: Answers
    written: Mapping[str, str]


def write_new(home: Path, answers: Answers) -> list[str]:
    """Writes a project into a folder that is empty or not there; returns its files."""
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise OperatorError(f"{home} is there already and not empty: name another folder by --folder")
    files = files_of(answers)
    for place, text in files.items():
        write(home / place, text)
    remember(home, files)
    return [*files]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def remember(home: Path, files: Mapping[str, str]) -> None:
    """Keeps what the scaffold wrote, so that an update knows what its author changed."""
    memory = {"what": _REMEMBERED, "version": VERSION, "files": files}
    write(home / MEMORY, json.dumps(memory, indent=1, ensure_ascii=False) + "\n")


def read_project(home: Path) -> Project:
    """Reads what a project remembers of its scaffold; raises `OperatorError` where it is none of ours."""
    try:
        settings = tomllib.loads((home / "pyproject.toml").read_text("utf-8"))
        scaffold = settings["tool"]["guildhall"]["scaffold"]
        memory = json.loads((home / MEMORY).read_text("utf-8"))
        name, parts, version = scaffold["name"], scaffold["parts"], int(scaffold["version"])
        written = {str(place): str(text) for place, text in memory["files"].items()}
    except FileNotFoundError as missing:
        raise OperatorError(
            f"{missing.filename} is not there: {home} is no project that `guildhall plugin new` made"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise OperatorError(
            f"{home}: pyproject.toml and {MEMORY} do not say what the scaffold wrote: bring them back as "
            "they were, such as by git checkout"
        ) from None
    return Project(home, version, Answers.given(name, parts), written)
