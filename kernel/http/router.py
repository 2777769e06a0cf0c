"""Finding the row for a method and a raw path, in declared order."""

from collections.abc import Mapping, Sequence

from guildhall_sdk import NotFound
from guildhall_sdk.errors import MethodNotAllowed
from kernel.declarations.routes import CORS_HEADERS
from kernel.registry import BoundRoute
from libs.routing import PathTree, path_params

_API = (b"/api", b"/api/")


class Router:
    """Literal paths by one look-up; the others by a walk over their segments."""

    def __init__(self, routes: Sequence[BoundRoute]) -> None:
        self._literal: dict[tuple[str, bytes], BoundRoute] = {}
        self._tree: PathTree[BoundRoute] = PathTree()
        self.has_root_pages = any(_is_root_page(bound) for bound in routes)
        for bound in routes:
            row = bound.row
            if "/:" not in row.path and "/*" not in row.path:
                self._literal[row.method, row.path.encode()] = bound
            self._tree.add(row.path, bound, empty_rest=row.raw_wildcard)

    def find(self, method: str, raw_path: bytes) -> tuple[BoundRoute, Mapping[str, str]]:
        """Returns the first row in declared order that takes both; HEAD goes where GET goes."""
        method_of_row = "GET" if method == "HEAD" else method
        exact = self._literal.get((method_of_row, raw_path))
        if exact is not None:
            return exact, {}
        found = self._rows_at(raw_path)
        if not found or (method_of_row != "GET" and all(map(_is_root_page, found))):
            raise NotFound("There is no such path; GET /api/docs lists what there is.")
        for bound in found:
            if bound.row.method == method_of_row:
                params = path_params(bound.row.path, raw_path, raw_rest=bound.row.raw_wildcard)
                if params is None:
                    raise NotFound()
                return bound, params
        raise _not_allowed(method, found)

    def takes(self, raw_path: bytes) -> bool:
        """Tells whether the path belongs to a row of any method but for pages at the root, or to the API."""
        return _is_of_api(raw_path) or not all(map(_is_root_page, self._rows_at(raw_path)))

    def _rows_at(self, raw_path: bytes) -> Sequence[BoundRoute]:
        """Returns the rows of all methods; an unknown path of the API is no page at the root."""
        found = self._tree.find(raw_path)
        return [bound for bound in found if not _is_root_page(bound)] if _is_of_api(raw_path) else found


def _is_of_api(raw_path: bytes) -> bool:
    return raw_path == _API[0] or raw_path.startswith(_API[1])


def _is_root_page(bound: BoundRoute) -> bool:
    return bound.row.path.startswith("/*")


def _not_allowed(method: str, found: Sequence[BoundRoute]) -> MethodNotAllowed:
    allowed = sorted({bound.row.method for bound in found})
    headers = {"Allow": ", ".join(allowed)}
    if any(bound.row.cors for bound in found):
        headers |= CORS_HEADERS  # pages of other origins can read this refusal too
    detail = f"{method} is not possible here; {', '.join(allowed)} is."
    hints = dict.fromkeys(bound.row.instead for bound in found if bound.row.instead)
    return MethodNotAllowed(" ".join([detail, *hints]), headers=headers)
