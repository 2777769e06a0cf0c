"""Paths of a route table: plain segments, `:name` for any segment, and `*name` for the rest of a path."""

import re
from functools import cache
from typing import Generic, TypeVar

_LITERAL = re.compile(r"[A-Za-z0-9._~-]+")
_PARAMETER = re.compile(r"[:*][a-z][a-z0-9_]*")

Item = TypeVar("Item")


def path_fault(path: str) -> str | None:
    """Returns what is wrong with a path, or None."""
    segments = path.split("/")[1:]
    if not path.startswith("/") or (path != "/" and "" in segments):
        return "the path must start with / and have no empty segment"
    names = [segment[1:] for segment in segments if segment[:1] in (":", "*")]
    for position, segment in enumerate(segments):
        if segment and not (_LITERAL.fullmatch(segment) or _PARAMETER.fullmatch(segment)):
            return f"{segment!r} is not a segment, :name or *name"
        if segment.startswith("*") and position != len(segments) - 1:
            return f"{segment} takes the rest of the path and must stand last"
    return None if len(set(names)) == len(names) else "a parameter stands there twice"


def covers(earlier: str, later: str) -> bool:
    """Tells whether one path matches everything that another does."""
    first, second = earlier.split("/")[1:], later.split("/")[1:]
    for position, segment in enumerate(first):
        if segment.startswith("*"):
            return len(second) > position
        if position >= len(second) or second[position].startswith("*"):
            return False
        if not segment.startswith(":") and segment != second[position]:
            return False
    return len(first) == len(second)


class NearPaths(Generic[Item]):
    """Items by what their paths begin with: of hundreds, a few could cover another."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, ...], list[Item]] = {}

    def add(self, path: str, item: Item) -> None:
        self._items.setdefault(_beginning(path), []).append(item)

    def near(self, path: str) -> list[Item]:
        """Returns the items whose paths begin alike or with a parameter; no others cover this one."""
        return [item for beginning in {(), _beginning(path)} for item in self._items.get(beginning, ())]


@cache
def _beginning(path: str) -> tuple[str, ...]:
    """Returns two segments, or none where one of them may be anything."""
    first = path.split("/", 3)[1:3]
    if len(first) < 2 or any(segment.startswith((":", "*")) for segment in first):
        return ()
    return tuple(first)
