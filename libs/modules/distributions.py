"""Entry points of installed distributions."""

import sys
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from typing import Any


def entry_points_of(group: str) -> Sequence[tuple[metadata.EntryPoint, str, str | None]]:
    """Returns the entry points of a group, with the names and versions of their distributions."""
    return _found(group, tuple(sys.path))


def forget_entry_points() -> None:
    """Has the metadata read anew: something was installed since."""
    _found.cache_clear()
    _all.cache_clear()


@cache
def _found(group: str, path: tuple[str, ...]) -> Sequence[tuple[metadata.EntryPoint, str, str | None]]:
    """Reads the metadata once: of every distribution it takes its time, and it is parsed anew each time."""
    found = list(_all(path).select(group=group))
    described = {one: one.metadata for one in {entry.dist for entry in found} if one is not None}
    names = {one: (str(fields["Name"]), str(fields["Version"])) for one, fields in described.items()}
    return [(entry, *(names[entry.dist] if entry.dist else ("without a name", None))) for entry in found]


@cache
def _all(path: tuple[str, ...]) -> Any:
    return metadata.entry_points()


def installed_version(distribution: str) -> str | None:
    """Returns the version of a distribution as it is installed now; None for none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
