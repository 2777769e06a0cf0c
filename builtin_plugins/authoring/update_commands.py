"""`guildhall plugin update`: a project is brought to the scaffold of the Guildhall that is installed."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from builtin_plugins.authoring.new_commands import add_part_flags, flagged_parts
from builtin_plugins.authoring.projects import Project, read_project, remember, write
from builtin_plugins.authoring.scaffold_files import VERSION, Answers, files_of
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.errors import OperatorError
from libs.three_way_merge import has_conflicts, merge

_CONFLICTS = 1


@dataclass(frozen=True, slots=True)
class _Change:
    """What becomes of one file: its new text, None where it goes, and what is said of it."""

    said: str
    text: str | None
    conflicts: Sequence[int] = ()
    touches: bool = True


def update_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Brings a project that `guildhall plugin new` made to the scaffold of this version, and adds the "
        "parts that flags name. What you changed stays; what both changed is marked for you to decide."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="the project; this folder")
    add_part_flags(parser)


def update(options: argparse.Namespace, _host: StandaloneHost) -> int:
    project = read_project(options.folder)
    if project.version > VERSION:
        raise OperatorError(
            f"{project.home} has the scaffold {project.version} of a newer Guildhall; this one has "
            f"{VERSION}: update Guildhall first"
        )
    answers = Answers.given(project.answers.name, {*project.answers.parts, *flagged_parts(options)})
    files = files_of(answers)
    changes = _changes(project, files)
    for place, change in changes.items():
        _apply(project.home / place, change)
    remember(project.home, files)
    for place, change in changes.items():
        lines = f", at line {', '.join(map(str, change.conflicts))}" if change.conflicts else ""
        print(f"{change.said:10} {place}{lines}")
    many = sum(len(change.conflicts) for change in changes.values())
    if many:
        print(f"{many} open: decide between <<<<<<< and >>>>>>>, then run the tests")
        return _CONFLICTS
    print(f"{project.home} has the scaffold {VERSION}" + ("" if changes else " already"))
    return 0


def _apply(path: Path, change: _Change) -> None:
    if not change.touches:
        return
    if change.text is None:
        path.unlink()
    else:
        write(path, change.text)


def _changes(project: Project, files: dict[str, str]) -> dict[str, _Change]:
    """Returns what becomes of each file that the scaffold changed; raises for one with an open conflict."""
    found: dict[str, _Change] = {}
    for place in sorted({*project.written, *files}):
        before, after = project.written.get(place), files.get(place)
        path = project.home / place
        mine = path.read_text("utf-8") if path.is_file() else None
        if mine is not None and has_conflicts(mine):
            raise OperatorError(f"{path} has an open conflict: decide between its marks first")
        if after not in (before, mine):
            found[place] = _change(before, mine, after, project.version)
    return found


def _change(before: str | None, mine: str | None, after: str | None, version: int) -> _Change:
    if mine is None:
        if before is None:
            return _Change("new", after)
        return _Change("left out", None, touches=False)  # its author deleted it
    if mine == before:
        return _Change("removed" if after is None else "updated", after)
    if after is None:
        return _Change("yours now", mine, touches=False)  # the scaffold writes it no more
    names = ("yours", f"scaffold {version}", f"scaffold {VERSION}")
    merged = merge(before or "", mine, after, names)
    return _Change("conflict" if merged.conflicts else "merged", merged.text, merged.conflicts)
