"""Finding the row for a method and a raw path, in declared order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from guildhall_sdk import NotFound
from guildhall_sdk.errors import MethodNotAllowed
from kernel.declarations.routes import CORS_HEADERS
from kernel.registry import BoundRoute

Params = Mapping[str, str]
_NO_PARAMS: Params = {}
_API = b"api"


@dataclass(slots=True)
class _Node:
    """One place in the tree of segments; rows carry their position in the declared order."""

    literals: dict[bytes, "_Node"] = field(default_factory=dict)
    parameter: "_Node | None" = None
    rows: list[tuple[int, BoundRoute]] = field(default_factory=list)
    wildcards: list[tuple[int, BoundRoute]] = field(default_factory=list)


class Router:
    """Literal paths by one look-up; the others by a walk over their segments."""

    def __init__(self, routes: Sequence[BoundRoute]) -> None:
        self._literal: dict[bytes, dict[str, BoundRoute]] = {}
        self._root = _Node()
        for position, bound in enumerate(routes):
            path = bound.row.path.encode()
            if b"/:" not in path and b"/*" not in path:
                self._literal.setdefault(path, {})[bound.row.method] = bound
            self._plant(path[1:].split(b"/"), position, bound)

    def _plant(self, segments: Sequence[bytes], position: int, bound: BoundRoute) -> None:
        node = self._root
        for segment in segments:
            if segment[:1] == b"*":
                node.wildcards.append((position, bound))
                return
            if segment[:1] == b":":
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                if segment not in node.literals:
                    node.literals[segment] = _Node()
                node = node.literals[segment]
        node.rows.append((position, bound))

    def find(self, method: str, raw_path: bytes) -> tuple[BoundRoute, Params]:
        """Returns the first row in declared order that takes both; HEAD goes where GET goes."""
        method_of_row = "GET" if method == "HEAD" else method
        exact = self._literal.get(raw_path)
        if exact is not None and method_of_row in exact:
            return exact[method_of_row], _NO_PARAMS
        segments = raw_path[1:].split(b"/")
        found: list[tuple[int, BoundRoute]] = []
        if raw_path.startswith(b"/"):  # unlike the target *
            _collect(self._root, segments, 0, found)
        if not found or (method_of_row != "GET" and all(_is_root_page(bound) for _, bound in found)):
            raise NotFound("There is no such path; GET /api/docs lists what there is.")
        for _, bound in sorted(found, key=lambda pair: pair[0]):
            if bound.row.method == method_of_row:
                return bound, _params(bound, segments)
        allowed = sorted({bound.row.method for _, bound in found})
        headers = {"Allow": ", ".join(allowed)}
        if any(bound.row.cors for _, bound in found):
            headers |= CORS_HEADERS  # pages of other origins can read this refusal too
        detail = f"{method} is not possible here; {', '.join(allowed)} is."
        hints = dict.fromkeys(bound.row.instead for _, bound in found if bound.row.instead)
        raise MethodNotAllowed(" ".join([detail, *hints]), headers=headers)

    def takes(self, raw_path: bytes) -> bool:
        """Tells whether the path belongs to a row of any method but for pages at the root, or to the API."""
        segments = raw_path[1:].split(b"/")
        if segments[0] == _API:
            return True
        found: list[tuple[int, BoundRoute]] = []
        _collect(self._root, segments, 0, found)
        return not all(_is_root_page(bound) for _, bound in found)

    @property
    def has_root_pages(self) -> bool:
        return bool(self._root.wildcards)


def _is_root_page(bound: BoundRoute) -> bool:
    return bound.row.path.startswith("/*")


def _collect(node: _Node, segments: Sequence[bytes], depth: int, found: list[tuple[int, BoundRoute]]) -> None:
    if depth == len(segments):
        found.extend(node.rows)
        return
    segment = segments[depth]
    # What takes everything at the root is pages; an unknown path of the API is none of them.
    if node.wildcards and (depth or segment != _API):
        rest = any(segments[depth:])
        found.extend(pair for pair in node.wildcards if rest or pair[1].row.raw_wildcard)
    if segment in node.literals:
        _collect(node.literals[segment], segments, depth + 1, found)
    if node.parameter is not None and segment:
        _collect(node.parameter, segments, depth + 1, found)


def _params(bound: BoundRoute, segments: Sequence[bytes]) -> Params:
    params = {}
    for position, segment in enumerate(bound.row.path[1:].split("/")):
        if segment.startswith(":"):
            params[segment[1:]] = _decoded(segments[position])
        elif segment.startswith("*"):
            rest = segments[position:]
            params[segment[1:]] = (
                unquote_to_bytes(b"/".join(rest)).decode("utf-8", "surrogateescape")
                if bound.row.raw_wildcard
                else "/".join(_decoded(part) for part in rest)
            )
    return params


def _decoded(segment: bytes) -> str:
    """Decodes a path segment; one that is no text names nothing."""
    try:
        text = unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        raise NotFound() from None
    if "\x00" in text:
        raise NotFound()
    return text
