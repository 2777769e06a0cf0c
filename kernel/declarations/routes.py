"""What a row of the route table must be to stand beside the rows of others.

Of a row that other origins may call, browsers ask by OPTIONS before they send: such rows get a preflight.
"""

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from guildhall_sdk import Auth, Call, Reply, Route
from guildhall_sdk.routes import RESERVED_PREFIXES
from kernel.faults import PluginFault, require
from kernel.registry import BoundRoute, LoadedPlugin, Registry
from libs.routing import NearPaths, covers, path_fault

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_ADMINS = (Auth.SUPERADMIN, Auth.ORG_ADMIN)

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
_PREFLIGHT_DOC = "What pages of other origins may send here"
_PREFLIGHT = Route(
    "OPTIONS", "/", "preflight", _PREFLIGHT_DOC, Auth.PUBLIC, query=None, status=204, cors=True
)


def check_routes(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault`, naming the row."""
    if plugin.unrouted:
        raise PluginFault(f"the handler {plugin.unrouted[0]} has no row")
    for bound in plugin.routes:
        _check_row(bound)
    if plugin.source != "builtin":
        _check_prefixes(plugin, registry)
    _check_reachable(plugin, registry)


def _check_row(bound: BoundRoute) -> None:
    row, fault = bound.row, path_fault(bound.row.path)
    is_admins, is_nobodys = row.auth in _ADMINS, row.auth in (Auth.PUBLIC, Auth.PROVISION)
    wants_caller = row.permission or row.feature or row.session_only
    rules = {
        f"the method must be one of {', '.join(sorted(METHODS))}": row.method in METHODS,
        "the doc line is missing": row.doc,
        str(fault): fault is None,
        f"the class {row.auth.value} wants a permission that is not judged": not is_admins
        or (row.permission is not None and not row.resource_decides),
        f"the class {row.auth.value} knows no caller, so it takes no permission, feature or session": not (
            is_nobodys and wants_caller
        ),
        "the limit counts calls by address, on a row of the class P": row.limit == 0
        or (row.limit > 0 and row.auth is Auth.PUBLIC),
        f"the handler {bound.handler_name} must be async": inspect.iscoroutinefunction(bound.handler),
    }
    require(f"row {bound.name}", rules)


def _check_prefixes(plugin: LoadedPlugin, registry: Registry) -> None:
    """Refuses rows below a word that another plugin uses, so that none is in the way of a later one."""
    taken = {_prefix_of(bound.row.path): bound.plugin_id for bound in registry.routes()}
    instead = f"use a prefix of your own, such as /api/{plugin.id}, or paths without a leading /"
    for bound in (one for one in plugin.routes if one.is_core):
        prefix = _prefix_of(bound.row.path)
        rules = {
            f"it would take the paths of others; {instead}": not {*":*"} & {*prefix},
            f"{taken.get(prefix)} has rows below {prefix}; {instead}": prefix not in taken,
            f"{prefix} belongs to Guildhall itself; {instead}": prefix not in RESERVED_PREFIXES,
        }
        require(f"row {bound.name}", rules)


def _prefix_of(path: str) -> str:
    """Returns the first word of a path, or the first two where the first is `api`."""
    return "/" + "/".join(path.split("/")[1 : 3 if path.startswith("/api/") else 2])


def _check_reachable(plugin: LoadedPlugin, registry: Registry) -> None:
    """Refuses a row behind one that already takes everything it would match."""
    before = NearPaths[BoundRoute]()
    for bound in registry.routes() if plugin.routes else ():
        before.add(bound.row.path, bound)
    for bound in plugin.routes:
        for earlier in before.near(bound.row.path):
            is_before = earlier.row.method == bound.row.method and earlier.place <= bound.place
            if is_before and covers(earlier.row.path, bound.row.path):
                raise PluginFault(
                    f"row {bound.name} can never be reached: {earlier.name} of {earlier.plugin_id} "
                    "matches all it would"
                )
        before.add(bound.row.path, bound)


def bind(plugin_id: str, row: Route, handlers: Mapping[str, Any]) -> BoundRoute:
    """Returns a row with its handler, at its full path; below `/api/x/` it needs a permission."""
    path = row.path if row.path.startswith("/") else f"/api/x/{plugin_id}/{row.path}"
    name = f"row {row.method} {path}"
    if path != row.path:
        rules = {
            "the path prefix bundle/ is reserved": not row.path.startswith("bundle/"),
            "a row below /api/x/ is for everybody with its permission: leave out auth": row.auth
            is Auth.BEARER,
            "the permission is missing": row.permission is not None,
        }
        require(name, rules)
        row = replace(row, path=path)
    elif re.match(r"/api/x/[^:*]", row.path):
        raise PluginFault(f"{name}: /api/x/ is for rows whose path has no leading /")
    handler: Any = handlers.get(row.handler) if isinstance(row.handler, str) else row.handler
    rules = {
        f"there is no handler named {row.handler}": handler is not None,
        "the handler must be a function, or the name of one": callable(handler),
    }
    require(name, rules)
    return BoundRoute(plugin_id, row, handler)


def with_preflights(given: Sequence[BoundRoute]) -> tuple[BoundRoute, ...]:
    """Returns the rows as they are matched, with an OPTIONS row for each path with `cors` that has none."""
    answered = {bound.row.path for bound in given if bound.row.method == "OPTIONS"}
    open_rows = [bound for bound in given if bound.row.cors and bound.row.path not in answered]
    paths = dict.fromkeys(bound.row.path for bound in open_rows)
    preflights = [_preflight([bound for bound in open_rows if bound.row.path == path]) for path in paths]
    return tuple(sorted([*given, *preflights], key=attrgetter("place")))


def _preflight(bounds: list[BoundRoute]) -> BoundRoute:
    headers = {
        "Access-Control-Allow-Methods": ", ".join(bound.row.method for bound in bounds),
        "Access-Control-Allow-Headers": _ALLOWED_HEADERS,
        "Access-Control-Max-Age": str(_REMEMBERED_SECONDS),
    }

    async def answer(call: Call) -> Reply:
        return Reply(status=204, headers=headers)

    first = bounds[0].row
    row = replace(_PREFLIGHT, path=first.path, raw_wildcard=first.raw_wildcard, last=first.last)
    return BoundRoute(bounds[0].plugin_id, row, answer)
