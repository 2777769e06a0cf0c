"""The kinds of data that every server knows: the hook of each, its type, and what must be true of it.

Those of plugins are made of the classes that `declare_hooks` gives.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from guildhall_sdk import Command, Event, Factory, Feature, JobKind, Permission, Setting, Subscription
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.hooks import HookResult
from guildhall_sdk.routes import Adapter
from kernel.declarations.events import check_event, check_subscription
from kernel.declarations.job_kinds import check_job_kind
from kernel.declarations.names import check_adapter, check_engine, check_features
from kernel.declarations.permissions import check_named_permissions, check_permission
from kernel.declarations.routes import check_routes
from kernel.declarations.services import check_services
from kernel.declarations.settings import check_command, check_setting
from kernel.faults import PluginFault
from kernel.registry import KERNEL, Declaration, LoadedPlugin, Registry

_name = attrgetter("name")
_COMMAND = ("options", "host")


def _kind(
    hook: str,
    kind: type[Any],
    label: str,
    check: Callable[[Any, LoadedPlugin, Registry], None] | None = None,
    name: Callable[[Any], str] | None = None,
    /,
    **functions: Sequence[str],
) -> Declaration:
    result = HookResult(type=kind, label=label, name=name, functions=functions)
    return Declaration(hook=hook, result=result, check=check)


DECLARATIONS: Sequence[Declaration] = (
    _kind("declare_settings", Setting, "setting", check_setting, None, parse=("text",), check=("value",)),
    _kind(
        "declare_commands",
        Command,
        "command",
        check_command,
        _name,
        run=_COMMAND,
        opened=_COMMAND,
        standalone=_COMMAND,
    ),
    _kind("declare_permissions", Permission, "permission", check_permission, _name),
    _kind("declare_features", Feature, "feature", None, _name),
    _kind(
        "declare_job_kinds",
        JobKind,
        "job kind",
        check_job_kind,
        _name,
        handler=("job",),
        worker=("job",),
        validator=("result",),
        ended=("host", "writer", "job"),
        ended_together=("host", "writer", "jobs"),
    ),
    _kind("declare_events", Event, "event", check_event, _name),
    _kind("declare_subscriptions", Subscription, "subscription", check_subscription, handler=("call",)),
    _kind("declare_engines", DatabaseEngine, "database engine", check_engine, _name),
    _kind(
        "declare_adapters",
        Adapter,
        "adapter",
        check_adapter,
        attrgetter("prefix"),
        protocol=("host",),
        app=("host",),
    ),
    _kind("declare_factories", Factory, "factory", make=("client", "canary")),
)


def check_plugin(plugin: LoadedPlugin, registry: Registry, hookspecs: Iterable[Declaration]) -> None:
    """Raises `PluginFault`, naming what is wrong, when the plugin cannot stand beside the rest."""
    declarations = (*DECLARATIONS, *hookspecs)
    check_routes(plugin, registry)
    check_features(plugin, registry)
    for declaration in declarations:
        if rows := plugin.declared(declaration.result.type):
            _check_rows(declaration, rows, plugin, registry)
    check_services(plugin, registry)
    if plugin.source != "builtin":  # what ships is tested, and names what comes later
        _check_functions(plugin, declarations)
        check_named_permissions(plugin, registry, declarations)


def _check_rows(
    declaration: Declaration, rows: Sequence[Any], plugin: LoadedPlugin, registry: Registry
) -> None:
    """Checks each row, and that no two have one name; a row of a plugin's hook has its place told."""
    if declaration.owner == KERNEL:
        _check_names(declaration, rows, registry)
    for position, row in enumerate(rows):
        try:
            if declaration.check is not None:
                declaration.check(row, plugin, registry)
        except PluginFault as fault:
            if declaration.owner == KERNEL:
                raise
            raise PluginFault(f"{declaration.hook}[{position}]: {fault}") from fault
    if declaration.owner != KERNEL:  # such a row has a name for certain once it is right
        _check_names(declaration, rows, registry)


def _check_names(declaration: Declaration, rows: Sequence[Any], registry: Registry) -> None:
    if declaration.result.name is None:
        return
    others = registry.owned(declaration.result.type)
    owners = {declaration.name_of(row): f", by {owner} too" for owner, row in others}
    for name in map(declaration.name_of, rows):
        if name in owners:
            raise PluginFault(f"the {declaration.result.label} {name} is declared twice{owners[name]}")
        owners[name] = ""


def _check_functions(plugin: LoadedPlugin, declarations: Iterable[Declaration]) -> None:
    """Raises `PluginFault` for a function with other parameters than it is called with."""
    for bound in (*plugin.routes, *plugin.extension_routes):
        _check_function(f"row {bound.name}: the handler {bound.handler_name}", bound.handler, ("call",))
    for result in (one.result for one in declarations):
        for row in plugin.declared(result.type):
            for name, called_with in result.functions.items():
                if (function := getattr(row, name)) is not None:
                    label = f"{result.type.__name__} {getattr(row, 'name', '')}".strip()
                    _check_function(f"{label}: its {name}", function, called_with)
    for protocol, make in plugin.services.items():
        _check_function(f"the factory of the service {protocol.__name__}", make, ("host",))


def _check_function(label: str, function: Callable[..., Any], called_with: Sequence[str]) -> None:
    if not callable(function):
        raise PluginFault(f"{label} must be a function")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C, and does not tell
    try:
        signature.bind(*called_with)
    except TypeError as error:
        raise PluginFault(f"{label} is called with ({', '.join(called_with)}): {error}") from None
