"""Values by patterns of paths: literal segments, `:name` for one of any text, `*name` for the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import unquote_to_bytes

Value = TypeVar("Value")


@dataclass(slots=True)
class _Node(Generic[Value]):
    """One place in the tree of segments; values carry their position in the order in which they came."""

    literals: "dict[bytes, _Node[Value]]" = field(default_factory=dict)
    parameter: "_Node[Value] | None" = None
    values: list[tuple[int, Value]] = field(default_factory=list)
    #: Of patterns whose rest begins here, with whether it may be empty.
    rests: list[tuple[int, Value, bool]] = field(default_factory=list)


class PathTree(Generic[Value]):
    """Finds all values whose pattern takes a path, by a walk over its segments."""

    def __init__(self) -> None:
        self._root: _Node[Value] = _Node()
        self._added = 0

    def add(self, pattern: str, value: Value, *, empty_rest: bool = False) -> None:
        """Adds a value; with `empty_rest` its `*name` takes nothing at all, too."""
        node, position = self._root, self._added
        self._added += 1
        for segment in pattern.encode()[1:].split(b"/"):
            if segment[:1] == b"*":
                node.rests.append((position, value, empty_rest))
                return
            if segment[:1] == b":":
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literals.setdefault(segment, _Node())
        node.values.append((position, value))

    def find(self, raw_path: bytes) -> Sequence[Value]:
        """Returns the values in the order in which they were added; what begins without `/` has none."""
        found: list[tuple[int, Value]] = []
        if raw_path.startswith(b"/"):
            _collect(self._root, raw_path[1:].split(b"/"), 0, found)
        return [value for _, value in sorted(found, key=lambda pair: pair[0])]


def _collect(
    node: _Node[Value], segments: Sequence[bytes], depth: int, found: list[tuple[int, Value]]
) -> None:
    if depth == len(segments):
        found.extend(node.values)
        return
    segment = segments[depth]
    if node.rests:
        has_rest = any(segments[depth:])
        found.extend((position, value) for position, value, empty in node.rests if has_rest or empty)
    if segment in node.literals:
        _collect(node.literals[segment], segments, depth + 1, found)
    if node.parameter is not None and segment:
        _collect(node.parameter, segments, depth + 1, found)


def path_params(pattern: str, raw_path: bytes, *, raw_rest: bool = False) -> Mapping[str, str] | None:
    """Returns the parameters of a path that the pattern takes, or None where one of them is no text.

    With `raw_rest` the rest is whatever was sent: bytes that are no UTF-8 stand there as lone surrogates.
    """
    segments = raw_path[1:].split(b"/")
    params: dict[str, str] = {}
    try:
        for position, segment in enumerate(pattern[1:].split("/")):
            if segment.startswith(":"):
                params[segment[1:]] = _decoded(segments[position])
            elif segment.startswith("*"):
                rest = segments[position:]
                params[segment[1:]] = (
                    unquote_to_bytes(b"/".join(rest)).decode("utf-8", "surrogateescape")
                    if raw_rest
                    else "/".join(_decoded(part) for part in rest)
                )
    except ValueError:
        return None
    return params


def _decoded(segment: bytes) -> str:
    """Decodes a path segment; raises `ValueError` for one that is no text."""
    text = unquote_to_bytes(segment).decode("utf-8")
    if "\x00" in text:
        raise ValueError("U+0000 in a path")
    return text
