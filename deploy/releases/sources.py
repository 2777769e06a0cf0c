"""What the sources say of a release: its version, its day and its notes."""

import json
import re
import tomllib
from calendar import timegm
from dataclasses import dataclass
from datetime import date
from pathlib import Path

#: The distributions, in the order in which they need one another.
PROJECTS = ("sdk", "clients/python", ".", "sdk/testing")
_HEADING = re.compile(r"^## (?:\[)?([0-9][^\s\]]*)\]? \((\d{4}-\d{2}-\d{2})\)$", re.MULTILINE)
_IN_CODE = re.compile(r'^(?:__version__|VERSION) = "([^"]+)"', re.MULTILINE)
_IN_CHART = re.compile(r'^(?:version|appVersion): "?([^"\s]+)"?$', re.MULTILINE)


class ReleaseError(Exception):
    """What keeps a release from being made, in words that say what to do."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release as the sources name it; `epoch` is the moment that every file of it carries."""

    version: str
    day: str
    epoch: int
    notes: str


def read_release(root: Path) -> Release:
    """Returns what is to be released; raises `ReleaseError` where the sources do not agree."""
    stated = stated_versions(root)
    versions = {*stated.values()}
    if len(versions) != 1:
        places = "\n".join(f"  {version}  {place}" for place, version in sorted(stated.items()))
        raise ReleaseError(f"The sources name more than one version; make them the same:\n{places}")
    (version,) = versions
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    headings = [*_HEADING.finditer(changelog)]
    for at, heading in enumerate(headings):
        if heading[1] == version:
            end = headings[at + 1].start() if at + 1 < len(headings) else len(changelog)
            day = date.fromisoformat(heading[2])
            notes = changelog[heading.end() : end].strip()
            return Release(
                version, heading[2], timegm(day.timetuple()), f"# Guildhall {version}\n\n{notes}\n"
            )
    raise ReleaseError(
        f"CHANGELOG.md has no section for {version}: "
        f"give what is released the heading `## {version} (YYYY-MM-DD)`"
    )


def stated_versions(root: Path) -> dict[str, str]:
    """Returns each place that names the version of the whole, and what it says."""
    stated = {}
    for project in PROJECTS:
        place = f"{project}/pyproject.toml".removeprefix("./")
        told = tomllib.loads((root / place).read_text("utf-8"))["project"]
        stated[place] = told["version"]
        extras = [line for lines in told.get("optional-dependencies", {}).values() for line in lines]
        for line in [*told.get("dependencies", []), *extras]:
            name, exactly, version = line.partition("==")
            if exactly and name.startswith("guildhall-"):
                stated[f"{place} ({name})"] = version
    for place in ("clients/typescript/package.json", "console/package.json", "console/package-lock.json"):
        stated[place] = json.loads((root / place).read_text("utf-8"))["version"]
    for place in ("kernel/__init__.py", "clients/python/src/guildhall_client/addresses.py"):
        stated |= _found(root, place, _IN_CODE)
    return stated | _found(root, "deploy/helm/guildhall/Chart.yaml", _IN_CHART)


def _found(root: Path, place: str, pattern: re.Pattern[str]) -> dict[str, str]:
    matches = pattern.findall((root / place).read_text("utf-8"))
    if not matches:
        raise ReleaseError(f"{place} names no version")
    return {f"{place} ({number})" if number else place: version for number, version in enumerate(matches)}
