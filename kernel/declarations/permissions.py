"""What a permission must be for roles and scopes to hold it, and that what is asked for exists."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from guildhall_sdk import Permission
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES
from kernel.faults import PluginFault
from kernel.registry import Declaration, LoadedPlugin, Registry

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_LONGEST_TEXT = 200
#: Given by operators alone, for machines and for work on the whole instance: no stranger adds to them.
_RESERVED = frozenset({"worker", "translator", "reviewer", "localizer"})


def check_permission(permission: Permission, plugin: LoadedPlugin, registry: Registry) -> None:
    name = permission.name
    if not isinstance(name, str):
        raise PluginFault(f"the name of a permission must be text, not {name!r}")
    subject, colon, verb = name.partition(":")
    form = "<word>:<verb>" if plugin.source == "builtin" else f"{plugin.id}:<verb>"
    own = bool(_WORD.fullmatch(subject)) if plugin.source == "builtin" else subject == plugin.id
    if not own or not (_WORD.fullmatch(verb) or (plugin.source == "builtin" and not colon)):
        raise PluginFault(f"the permission {name!r} must be named {form}, in small letters, digits, _ and -")
    if plugin.source != "builtin":
        _check_prefix(permission, registry)
    text = permission.description
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > _LONGEST_TEXT:
        raise PluginFault(f"permission {name}: say in a line what it lets people do, as its description")
    if not isinstance(permission.roles, list | tuple | set | frozenset):
        raise PluginFault(f"permission {name}: roles must be a list, such as ['member']")
    _check_roles(permission, plugin)


def _check_prefix(permission: Permission, registry: Registry) -> None:
    """Refuses a prefix of another plugin: who holds `files:*` must not come to hold more by this one."""
    prefix = permission.name.partition(":")[0]
    for owner, other in registry.owned(Permission):
        if other.name.partition(":")[0] == prefix:
            raise PluginFault(f"permission {permission.name}: {prefix}:* belongs to {owner}")


def _check_roles(permission: Permission, plugin: LoadedPlugin) -> None:
    known = (*TEAM_ROLES, *ORG_ROLES)
    open_roles = [role for role in known if plugin.source == "builtin" or role not in _RESERVED]
    for role in permission.roles:
        if role not in known:
            raise PluginFault(
                f"permission {permission.name}: there is no role {role!r}; known are {', '.join(open_roles)}"
            )
        if role not in open_roles:
            raise PluginFault(
                f"permission {permission.name}: operators alone give the role {role}, so a plugin adds "
                f"nothing to it; name {', '.join(open_roles)}"
            )


def check_named_permissions(
    plugin: LoadedPlugin, registry: Registry, declarations: Iterable[Declaration]
) -> None:
    """Raises `PluginFault` where a declaration asks for a permission that nobody declares."""
    declared = {one.name for one in (*registry.declared(Permission), *plugin.declared(Permission))}
    for place, name in _named(plugin, declarations):
        if name not in declared:
            raise PluginFault(
                f"{place}: there is no permission {name}; declare it, or require the plugin that does"
            )


def _named(plugin: LoadedPlugin, declarations: Iterable[Declaration]) -> Iterator[tuple[str, str]]:
    for bound in (*plugin.routes, *plugin.extension_routes, *plugin.page_routes):
        if bound.row.permission is not None:
            yield f"row {bound.name}", bound.row.permission
    for declaration in declarations:
        rows = plugin.declared(declaration.result.type)
        for field in _permission_fields(declaration.result.type) if rows else ():
            for row in rows:
                if isinstance(permission := getattr(row, field), str):
                    yield f"{declaration.result.label} {declaration.name_of(row)}", permission


def _permission_fields(kind: type[Any]) -> Sequence[str]:
    """Returns the fields that name a permission: `permission`, `write_permission` and such."""
    found = fields(kind) if is_dataclass(kind) else ()
    return [one.name for one in found if one.name.endswith("permission")]
