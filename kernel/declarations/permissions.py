"""What a permission must be for roles and scopes to hold it, and that what is asked for exists."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from guildhall_sdk import Permission
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES
from kernel.faults import PluginFault, require
from kernel.registry import Declaration, LoadedPlugin, Registry

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_LONGEST_TEXT = 200
#: Given by operators alone, for machines and for work on the whole instance: no stranger adds to them.
_RESERVED = frozenset({"worker", "translator", "reviewer", "localizer"})


def check_permission(permission: Permission, plugin: LoadedPlugin, registry: Registry) -> None:
    name, text, is_builtin = permission.name, permission.description, plugin.source == "builtin"
    if not isinstance(name, str):
        raise PluginFault(f"the name of a permission must be text, not {name!r}")
    subject, colon, verb = name.partition(":")
    own = _WORD.fullmatch(subject) if is_builtin else subject == plugin.id
    if not own or not (_WORD.fullmatch(verb) or (is_builtin and not colon)):
        form = "<word>:<verb>" if is_builtin else f"{plugin.id}:<verb>"
        raise PluginFault(f"the permission {name!r} must be named {form}, in small letters, digits, _ and -")
    # Who holds `files:*` must not come to hold more by a permission of another plugin.
    owners = [by for by, one in registry.owned(Permission) if one.name.partition(":")[0] == subject]
    is_list = isinstance(permission.roles, list | tuple | set | frozenset)
    is_line = isinstance(text, str) and text.strip() and text.isprintable() and len(text) <= _LONGEST_TEXT
    rules = {
        f"{subject}:* belongs to {next(iter(owners), None)}": is_builtin or not owners,
        "say in a line what it lets people do, as its description": is_line,
        "roles must be a list, such as ['member']": is_list,
    }
    require(f"permission {name}", rules)
    known = (*TEAM_ROLES, *ORG_ROLES)
    open_roles = [role for role in known if is_builtin or role not in _RESERVED]
    listed = ", ".join(open_roles)
    for role in permission.roles:
        rules = {
            f"there is no role {role!r}; known are {listed}": role in known,
            f"operators alone give the role {role}, so a plugin adds nothing to it; name {listed}": role
            in open_roles,
        }
        require(f"permission {name}", rules)


def check_named_permissions(
    plugin: LoadedPlugin, registry: Registry, declarations: Iterable[Declaration]
) -> None:
    """Raises `PluginFault` where a declaration asks for a permission that nobody declares."""
    declared = {one.name for one in (*registry.declared(Permission), *plugin.declared(Permission))}
    for place, name in _named(plugin, declarations):
        missing = f"there is no permission {name}; declare it, or require the plugin that does"
        require(place, {missing: name in declared})


def _named(plugin: LoadedPlugin, declarations: Iterable[Declaration]) -> Iterator[tuple[str, str]]:
    for bound in plugin.routes:
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
