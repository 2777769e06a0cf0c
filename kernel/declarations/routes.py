"""What a row of the route table must be to stand beside the rows of others.

Of a row that other origins may call, browsers ask by OPTIONS before they send: such rows get a preflight.
"""

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from guildhall_sdk import Auth, Call, Feature, Reply, Route
from guildhall_sdk.routes import RESERVED_PREFIXES, BlueprintRoutes, prefix_of
from kernel.faults import PluginFault
from kernel.registry import BoundRoute, LoadedPlugin, Registry, page_depth

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_LITERAL = re.compile(r"[A-Za-z0-9._~-]+")
_PARAMETER = re.compile(r"[:*][a-z][a-z0-9_]*")

#: On every answer of a row that other origins may call, refusals too.
CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Accept-Ranges, Content-Disposition, Content-Range, ETag, Link, Location, Retry-After, X-Request-Id"
    ),
}
_ALLOWED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Range, X-Request-Id"
)
_REMEMBERED_SECONDS = 600


def check_routes(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault`, naming the row."""
    if plugin.unrouted:
        raise PluginFault(f"the handler {plugin.unrouted[0]} has no row")
    features = {feature.name for feature in [*registry.declared(Feature), *plugin.declared(Feature)]}
    for bound in (*plugin.routes, *plugin.extension_routes, *plugin.page_routes):
        _check_row(bound, features)
    for bound in plugin.routes:
        if re.match(r"/api/x/[^:*]", bound.row.path):
            raise PluginFault(f"row {bound.name}: /api/x/ is for rows whose path has no leading /")
    if plugin.source != "builtin":
        _check_prefixes(plugin, registry)
    _check_reachable(plugin, registry)


def _check_row(bound: BoundRoute, features: set[str]) -> None:
    row = bound.row
    if row.method not in METHODS:
        raise PluginFault(f"row {bound.name}: the method must be one of {', '.join(sorted(METHODS))}")
    if not row.doc:
        raise PluginFault(f"row {bound.name}: the doc line is missing")
    _check_path(bound)
    if row.feature is not None and row.feature not in features:
        raise PluginFault(f"row {bound.name}: nobody declares the feature {row.feature}")
    _check_access(bound)
    if row.limit < 0 or (row.limit and row.auth is not Auth.PUBLIC):
        raise PluginFault(f"row {bound.name}: the limit counts calls by address, on a row of the class P")
    if not inspect.iscoroutinefunction(bound.handler):
        raise PluginFault(f"row {bound.name}: the handler {bound.handler_name} must be async")


def _check_access(bound: BoundRoute) -> None:
    """Refuses a row for admins without a permission, and a public one that asks something of its caller."""
    row = bound.row
    if row.auth in (Auth.SUPERADMIN, Auth.ORG_ADMIN) and (row.permission is None or row.resource_decides):
        raise PluginFault(
            f"row {bound.name}: the class {row.auth.value} wants a permission that is not judged"
        )
    if row.auth in (Auth.PUBLIC, Auth.PROVISION) and (row.permission or row.feature or row.session_only):
        raise PluginFault(
            f"row {bound.name}: the class {row.auth.value} knows no caller, so it takes no permission, "
            "feature or session"
        )


def _check_path(bound: BoundRoute) -> None:
    path = bound.row.path
    segments = path.split("/")[1:]
    if not path.startswith("/") or (path != "/" and "" in segments):
        raise PluginFault(f"row {bound.name}: the path must start with / and have no empty segment")
    names = [segment[1:] for segment in segments if segment[:1] in (":", "*")]
    for position, segment in enumerate(segments):
        if segment and not (_LITERAL.fullmatch(segment) or _PARAMETER.fullmatch(segment)):
            raise PluginFault(f"row {bound.name}: {segment!r} is not a segment, :name or *name")
        if segment.startswith("*") and position != len(segments) - 1:
            raise PluginFault(f"row {bound.name}: {segment} takes the rest of the path and must stand last")
    if len(set(names)) != len(names):
        raise PluginFault(f"row {bound.name}: a parameter stands there twice")


def _check_prefixes(plugin: LoadedPlugin, registry: Registry) -> None:
    """Refuses rows below a word that another plugin uses, so that none is in the way of a later one."""
    taken = {prefix_of(bound.row.path): bound.plugin_id for bound in registry.routes()}
    for bound in plugin.routes:
        prefix = prefix_of(bound.row.path)
        instead = f"use a prefix of your own, such as /api/{plugin.id}, or paths without a leading /"
        if ":" in prefix or "*" in prefix:
            raise PluginFault(f"row {bound.name}: it would take the paths of others; {instead}")
        if prefix in taken:
            raise PluginFault(f"row {bound.name}: {taken[prefix]} has rows below {prefix}; {instead}")
        if prefix in RESERVED_PREFIXES:
            raise PluginFault(f"row {bound.name}: {prefix} belongs to Guildhall itself; {instead}")


def _check_reachable(plugin: LoadedPlugin, registry: Registry) -> None:
    """Refuses a row behind one that already takes everything it would match."""
    if not (plugin.routes or plugin.extension_routes or plugin.page_routes):
        return
    pages = [bound for one in registry.plugins for bound in one.page_routes]
    before = _Rows(bound for one in registry.plugins for bound in (*one.routes, *one.extension_routes))
    for bound in (*plugin.routes, *plugin.extension_routes):
        _check_not_hidden(bound, before.near(bound))
        before.add(bound)
    # Pages come behind all rows, and behind those of a longer path: of pages they hide their like alone.
    for bound in plugin.page_routes:
        like = [page for page in pages if page_depth(page) >= page_depth(bound)]
        _check_not_hidden(bound, [*before.near(bound), *like])
        pages.append(bound)


class _Rows:
    """Rows by what their paths begin with: of hundreds, a few could be in the way of another."""

    def __init__(self, rows: Iterable[BoundRoute]) -> None:
        self._by_beginning: dict[tuple[str, ...], list[BoundRoute]] = {}
        for bound in rows:
            self.add(bound)

    def add(self, bound: BoundRoute) -> None:
        self._by_beginning.setdefault(_beginning(bound.row.method, bound.row.path), []).append(bound)

    def near(self, bound: BoundRoute) -> list[BoundRoute]:
        """Returns the rows that begin alike or with a parameter; no others take what this one does."""
        beginnings = {(bound.row.method,), _beginning(bound.row.method, bound.row.path)}
        return [row for beginning in beginnings for row in self._by_beginning.get(beginning, ())]


@cache
def _beginning(method: str, path: str) -> tuple[str, ...]:
    """Returns the method and two segments, or the method alone where one of them may be anything."""
    first = path.split("/", 3)[1:3]
    if len(first) < 2 or any(segment.startswith((":", "*")) for segment in first):
        return (method,)
    return (method, *first)


def _check_not_hidden(bound: BoundRoute, before: Iterable[BoundRoute]) -> None:
    for earlier in before:
        if earlier.row.method == bound.row.method and _covers(earlier.row.path, bound.row.path):
            raise PluginFault(
                f"row {bound.name} can never be reached: {earlier.name} of {earlier.plugin_id} "
                "matches all it would"
            )


def _covers(earlier: str, later: str) -> bool:
    first, second = earlier.split("/")[1:], later.split("/")[1:]
    for position, segment in enumerate(first):
        if segment.startswith("*"):
            return len(second) > position
        if position >= len(second) or second[position].startswith("*"):
            return False
        if not segment.startswith(":") and segment != second[position]:
            return False
    return len(first) == len(second)


def rows_of(plugin_id: str, given: Route | BlueprintRoutes) -> Iterable[Route]:
    """Returns a row, or those that a blueprint stands for."""
    if isinstance(given, Route):
        return [given]
    # Quart takes its time to import, and few plugins bring a blueprint.
    from kernel.declarations.blueprints import blueprint_rows

    return list(blueprint_rows(plugin_id, given))


def bind(plugin_id: str, row: Route, handlers: Mapping[str, Any]) -> BoundRoute:
    """Returns a row with its handler, at its full path."""
    if not row.path.startswith("/"):
        row = _mounted(plugin_id, row)
    handler = handlers.get(row.handler) if isinstance(row.handler, str) else row.handler
    if handler is None:
        raise PluginFault(f"row {row.method} {row.path}: there is no handler named {row.handler}")
    if not callable(handler):
        raise PluginFault(f"row {row.method} {row.path}: the handler must be a function, or the name of one")
    return BoundRoute(plugin_id, row, handler)


def _mounted(plugin_id: str, row: Route) -> Route:
    """Returns a row whose path is relative at its full path, which is for people with a permission."""
    name = f"row {row.method} /api/x/{plugin_id}/{row.path}"
    if row.path.startswith("bundle/"):
        raise PluginFault(f"{name}: the path prefix bundle/ is reserved")
    if row.auth is not Auth.BEARER:
        raise PluginFault(f"{name}: a row below /api/x/ is for everybody with its permission: leave out auth")
    if row.permission is None:
        raise PluginFault(f"{name}: the permission is missing")
    return replace(row, path=f"/api/x/{plugin_id}/{row.path}")


def with_preflights(rows: Iterable[BoundRoute]) -> tuple[BoundRoute, ...]:
    """Returns the rows, and an OPTIONS row behind each path that has `cors` and none of its own."""
    given = tuple(rows)
    answered = {bound.row.path for bound in given if bound.row.method == "OPTIONS"}
    methods: dict[str, list[BoundRoute]] = {}
    for bound in given:
        if bound.row.cors and bound.row.path not in answered:
            methods.setdefault(bound.row.path, []).append(bound)
    return (*given, *(_preflight(path, bounds) for path, bounds in methods.items()))


def _preflight(path: str, bounds: list[BoundRoute]) -> BoundRoute:
    headers = {
        "Access-Control-Allow-Methods": ", ".join(bound.row.method for bound in bounds),
        "Access-Control-Allow-Headers": _ALLOWED_HEADERS,
        "Access-Control-Max-Age": str(_REMEMBERED_SECONDS),
    }

    async def answer(call: Call) -> Reply:
        return Reply(status=204, headers=headers)

    first = bounds[0]
    row = Route(
        "OPTIONS",
        path,
        "preflight",
        "What pages of other origins may send here",
        Auth.PUBLIC,
        query=None,
        status=204,
        raw_wildcard=first.row.raw_wildcard,
        cors=True,
    )
    return BoundRoute(first.plugin_id, row, answer)
