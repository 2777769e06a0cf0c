"""A project's sources as a distribution that is installed, as long as a process lives: nothing is built."""

import tomllib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

PYPROJECT = "pyproject.toml"


class NoProject(Exception):
    """The reason why a folder is no project whose sources could be run."""


def describe(project: Path, folder: Path) -> list[str]:
    """Writes a project's metadata into a folder; returns what to put in front of `sys.path`, or `PYTHONPATH`.

    The project stands for any version of it that is installed: what comes first is found.
    """
    fields = read_project(project)
    name, version = str(fields["name"]), str(fields.get("version", "0"))
    home = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    home.mkdir(parents=True, exist_ok=True)
    (home / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    groups = fields.get("entry-points", {})
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{entry} = {value}" for entry, value in entries.items()))
    ]
    (home / "entry_points.txt").write_text("\n".join([*lines, ""]), "utf-8")
    sources = project / "src"
    return [str(folder), str(sources if sources.is_dir() else project)]


def is_project(folder: Path) -> bool:
    """Tells whether a folder holds a project."""
    return (folder / PYPROJECT).is_file()


def entries_of(project: Path, group: str) -> list[str]:
    """Returns the names of a project's entry points in a group."""
    return [*read_project(project).get("entry-points", {}).get(group, {})]


def entries_of_installed(folder: Path, group: str) -> list[str]:
    """Returns the names of the entry points in a group that the distributions of a folder have."""
    found = metadata.distributions(path=[str(folder)])
    return [entry.name for one in found for entry in one.entry_points if entry.group == group]


def read_project(project: Path) -> Mapping[str, Any]:
    """Returns the table `project` of a `pyproject.toml`."""
    file = project / PYPROJECT
    try:
        fields = tomllib.loads(file.read_text("utf-8")).get("project", {})
    except FileNotFoundError:
        raise NoProject(f"there is no {file}") from None
    except (tomllib.TOMLDecodeError, UnicodeError) as fault:
        raise NoProject(f"{file} cannot be read: {fault}") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("name"), str):
        raise NoProject(f"{file} does not say the name of a project")
    return fields
