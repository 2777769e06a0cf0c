"""What is wrong with a spec, each problem with its place, and how large a spec may be."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import json_pointer

MAX_PROBLEMS = 20
_MAX_NAME = 80
Place = tuple[str | int, ...]

MAX_NODES = 10_000
#: Of a binding; it stands in a step, which stands in the list of the spec.
MAX_DEPTH = 32
MAX_CHARACTERS = 256 * 1024
#: Of the declared inputs as JSON: lists of workflows show them.
MAX_INPUT_CHARACTERS = 32 * 1024
_LEVELS_ABOVE = 3
_INT64 = range(-(2**63), 2**63)
# A place is (the place above, name), and is spelled out for the one that is refused alone.
_Chain = tuple[Any, str | int] | None


class Found(NamedTuple):
    """A problem or a warning, and where in the spec it stands; `code` where it is no plain bad request."""

    place: Place
    message: str
    code: str | None = None

    def public(self) -> dict[str, str]:
        """Returns it as the API shows it, its place as a JSON pointer."""
        return {"pointer": pointer(self.place), "message": self.message}


def pointer(place: Place) -> str:
    """Returns a place as an RFC 6901 pointer, with long names cut."""
    return json_pointer(*place)


def quoted(name: str) -> str:
    """Returns a name as a message quotes it: cut where it is long."""
    return name if len(name) <= _MAX_NAME else name[:_MAX_NAME] + "…"


def refusal(problems: Sequence[Found]) -> InvalidRequest:
    """Returns the refusal of a spec; its code is that of the problems where all have the same."""
    first = problems[0]
    codes = {problem.code for problem in problems}
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return InvalidRequest(
        f"{pointer(first.place) or 'body'}: {first.message}{more}",
        code=codes.pop() if len(codes) == 1 else None,
        errors=[problem.public() for problem in problems[:MAX_PROBLEMS]],
    )


def exceeded(spec: Any) -> Found | None:
    """Returns the first thing about a spec that is too large, or that JSON does not have."""
    if type(spec) is not dict:
        return Found((), "must be an object")
    nodes, characters = 1, 0
    level: list[tuple[Any, _Chain]] = [(spec, None)]
    for _ in range(MAX_DEPTH + _LEVELS_ABOVE):
        below: list[tuple[Any, _Chain]] = []
        for container, chain in level:
            kind = type(container)
            if kind is not dict and kind is not list:
                return Found(_place(chain), "must be JSON")
            nodes += len(container)
            if nodes > MAX_NODES:
                return Found((), f"holds more than {MAX_NODES:,} values; make it smaller")
            if kind is dict:
                if not all(type(name) is str for name in container):
                    return Found(_place(chain), "must be JSON: names are texts")
                characters += sum(map(len, container))
            for name, value in _children(container):
                if type(value) is str:
                    characters += len(value)
                elif not _is_plain(value):
                    below.append((value, (chain, name)))
            if characters > MAX_CHARACTERS:
                return Found((), f"holds more than {MAX_CHARACTERS:,} characters; make it smaller")
        if not below:
            return None
        level = below
    return Found(_place(level[0][1]), f"is nested more than {MAX_DEPTH} levels deep; make it flatter")


def _children(container: Any) -> Iterable[tuple[str | int, Any]]:
    return container.items() if type(container) is dict else enumerate(container)


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is float:
        return isfinite(value)
    return kind is bool or value is None or (kind is int and value in _INT64)


def _place(chain: _Chain) -> Place:
    names: list[str | int] = []
    while chain is not None:
        chain, name = chain
        names.append(name)
    return tuple(reversed(names))
