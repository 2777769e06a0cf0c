"""What a plugin brings, in words: for an operator to read, and to compare with what it brought before."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import Accepts, Setting, Subscription
from kernel.declarations.settings import variable_of
from kernel.declarations.table import DECLARATIONS
from kernel.registry import CONTRIBUTION, BoundRoute, LoadedPlugin, Registry

Names = Mapping[str, Sequence[str]]


def declared_names(plugin: LoadedPlugin, registry: Registry) -> dict[str, list[str]]:
    """Returns the names of what a plugin declares and contributes that no two plugins may share, by type."""
    found = {
        one.type.__name__: [one.name(row) for row in plugin.declared(one.type)]
        for one in DECLARATIONS
        if one.name is not None
    }
    for accepts in registry.declared(Accepts):
        if accepts.name is not None:
            rows = [row for row in plugin.declared(CONTRIBUTION) if type(row) is accepts.type]
            found[accepts.type.__name__] = [str(accepts.name(row)) for row in rows]
    return {kind: sorted(names) for kind, names in found.items() if names}


def contents_of(plugin: LoadedPlugin, registry: Registry) -> dict[str, list[str]]:
    """Returns all that a plugin declares, by what one of it is called."""
    rows = (*plugin.routes, *plugin.extension_routes, *plugin.page_routes)
    found = {"route": [_route(bound) for bound in rows]}
    for one in DECLARATIONS:
        if one.type is not CONTRIBUTION:
            named = one.name or _name_of
            found[one.label] = [_shown(row, plugin, named) for row in plugin.declared(one.type)]
    accepted = {one.type: one for one in registry.declared(Accepts)}
    for row in plugin.declared(CONTRIBUTION):
        accepts = accepted.get(type(row))
        label = type(row).__name__ if accepts is None else accepts.label
        name = _name_of if accepts is None or accepts.name is None else accepts.name
        found.setdefault(label, []).append(str(name(row)))
    found["service"] = [protocol.__name__ for protocol in plugin.services]
    if plugin.migrations is not None:
        found["migration"] = [path.name for path in plugin.migrations.glob("*.sql")]
    return {label: sorted(names) for label, names in found.items() if names}


def _route(bound: BoundRoute) -> str:
    return f"{bound.name} ({bound.row.permission or bound.row.auth.name.lower()})"


def _shown(row: Any, plugin: LoadedPlugin, name: Any) -> str:
    if isinstance(row, Setting):
        return variable_of(row, plugin.id)
    if isinstance(row, Subscription):
        return f"{row.name} ({row.event})"
    return str(name(row))


def _name_of(row: Any) -> str:
    kind = getattr(row, "type", None)
    found = getattr(row, "name", None) or getattr(row, "at", None) or getattr(kind, "__name__", kind)
    return str(found or type(row).__name__)
