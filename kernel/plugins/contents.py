"""What a plugin brings, in words: for an operator to read, and to compare with what it brought before."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import Setting, Subscription
from kernel.declarations.settings import variable_of
from kernel.declarations.table import DECLARATIONS
from kernel.registry import BoundRoute, Declaration, LoadedPlugin, Registry

Names = Mapping[str, Sequence[str]]


def declared_names(plugin: LoadedPlugin, registry: Registry) -> dict[str, list[str]]:
    """Returns the names of what a plugin declares that no two plugins may share, by type."""
    found = {
        one.result.type.__name__: [one.name_of(row) for row in plugin.declared(one.result.type)]
        for one in (*DECLARATIONS, *registry.hookspecs.values())
        if one.result.name is not None
    }
    return {kind: sorted(names) for kind, names in found.items() if names}


def contents_of(plugin: LoadedPlugin, registry: Registry) -> dict[str, list[str]]:
    """Returns all that a plugin declares, by what one of it is called."""
    rows = (*plugin.routes, *plugin.extension_routes, *plugin.page_routes)
    found = {"route": [_route(bound) for bound in rows]}
    for one in (*DECLARATIONS, *registry.hookspecs.values()):
        found[one.result.label] = [_shown(row, plugin, one) for row in plugin.declared(one.result.type)]
    found["hook"] = [one.hook for one in plugin.hookspecs]
    found["service"] = [protocol.__name__ for protocol in plugin.services]
    if plugin.migrations is not None:
        found["migration"] = [path.name for path in plugin.migrations.glob("*.sql")]
    return {label: sorted(names) for label, names in found.items() if names}


def _route(bound: BoundRoute) -> str:
    return f"{bound.name} ({bound.row.permission or bound.row.auth.name.lower()})"


def _shown(row: Any, plugin: LoadedPlugin, declaration: Declaration) -> str:
    if isinstance(row, Setting):
        return variable_of(row, plugin.id)
    if isinstance(row, Subscription):
        return f"{row.name} ({row.event})"
    return declaration.name_of(row)
