"""The kinds of data that plugins declare: the hook of each, its type, and what must be true of its rows.

Every server knows some; those that plugins bring are made of the classes that `declare_hooks` gives.
"""

import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any, get_args, get_type_hints

from guildhall_sdk import Command, Event, Factory, Feature, JobKind, Permission, Setting, Subscription
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.errors import Problem
from guildhall_sdk.hooks import PROJECT, SPECIFICATIONS, Check, HookResult
from guildhall_sdk.routes import Adapter
from kernel.declarations import kinds
from kernel.declarations.permissions import check_named_permissions, check_permission
from kernel.declarations.routes import check_routes
from kernel.declarations.settings import check_command, check_setting, variable_of
from kernel.faults import PluginFault, require
from kernel.registry import KERNEL, Declaration, LoadedPlugin, Registry
from libs.plugin_hooks import arguments_of, call_fault, specified_in

#: The hooks that the server specifies itself.
KERNEL_HOOKS = frozenset(name for space in SPECIFICATIONS for name in specified_in(space, PROJECT))

#: The fields of rows that hold a function, each with what it is called with.
_FUNCTIONS: Mapping[type[Any], Mapping[str, Sequence[str]]] = {
    Setting: {"parse": ("text",), "check": ("value",)},
    Command: dict.fromkeys(("run", "opened", "standalone"), ("options", "host")),
    JobKind: {
        "handler": ("job",),
        "worker": ("job",),
        "validator": ("result",),
        "ended": ("host", "writer", "job"),
        "ended_together": ("host", "writer", "jobs"),
    },
    Subscription: {"handler": ("call",)},
    Adapter: {"protocol": ("host",), "app": ("host",)},
    Factory: {"make": ("client", "canary")},
}

#: How rows are listed that no name of their own tells apart.
_LISTED: Mapping[type[Any], Callable[[Any, str], str]] = {
    Setting: variable_of,
    Subscription: lambda row, plugin_id: f"{row.name} ({row.event})",
}

DECLARATIONS: Sequence[Declaration] = [
    Declaration(
        hook=hook,
        result=HookResult(type=kind, label=label, name=name, functions=_FUNCTIONS.get(kind, {})),
        check=check,
        list_as=_LISTED.get(kind),
    )
    for hook, kind, label, name, check in (
        ("declare_settings", Setting, "setting", None, check_setting),
        ("declare_commands", Command, "command", "name", check_command),
        ("declare_permissions", Permission, "permission", "name", check_permission),
        ("declare_features", Feature, "feature", "name", None),
        ("declare_job_kinds", JobKind, "job kind", "name", kinds.check_job_kind),
        ("declare_events", Event, "event", "name", kinds.check_event),
        ("declare_subscriptions", Subscription, "subscription", None, kinds.check_subscription),
        ("declare_engines", DatabaseEngine, "database engine", "name", kinds.check_engine),
        ("declare_adapters", Adapter, "adapter", "prefix", kinds.check_adapter),
        ("declare_factories", Factory, "factory", None, None),
    )
]


def hookspecs_of(
    owner: str, classes: Sequence[Any], known: Mapping[str, Declaration]
) -> dict[str, Declaration]:
    """Reads what `declare_hooks` gives; raises `PluginFault`. `known` are the hooks of other plugins."""
    found: dict[str, Declaration] = {}
    for hooks in classes:
        label = getattr(hooks, "__name__", type(hooks).__name__)
        is_class = isinstance(hooks, type)
        specified = specified_in(hooks, PROJECT) if is_class else {}
        wrong = f"{label} is no class of hooks; make each by hookspec or declares of guildhall_sdk.hooks"
        require("declare_hooks", {wrong: specified or (is_class and hasattr(hooks, "row_makers"))})
        for name, hook in specified.items():
            made = _declaration(owner, name, hook, {**known, **found})
            check = _checked_by(owner, made.result, getattr(hooks, "checks", {}).get(name))
            found[name] = replace(made, check=check, proof=getattr(hooks, "proofs", {}).get(name))
    return found


def _declaration(owner: str, name: str, hook: Any, known: Mapping[str, Declaration]) -> Declaration:
    is_plain = name.startswith("declare_") and not arguments_of(hook)
    require("declare_hooks", {f"{name} must be named declare_<what> and take no arguments": is_plain})
    result = getattr(hook, "result", None) or _annotated(name, hook)
    kind = result.type
    label = getattr(kind, "__qualname__", repr(kind))
    is_frozen = is_dataclass(kind) and isinstance(kind, type) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    first = known.get(name)
    same = next((one for one in known.values() if one.result.type is kind), None)
    declared = same and f"{same.hook} of {same.owner}"
    rules = {
        f"{name}: {label} must be a frozen dataclass": is_frozen,
        f"{name} is the server's own hook: give it another name": name not in KERNEL_HOOKS,
        f"{name} is a hook of {first and first.owner} already": first is None,
        f"{name}: rows of {label} are declared by {declared} already": same is None,
    }
    require("declare_hooks", rules)
    return Declaration(hook=name, result=result, owner=owner)


def _annotated(name: str, hook: Any) -> HookResult:
    """Reads which rows a hook returns from its return annotation, such as `Sequence[Recipe]`."""
    try:
        kinds = get_args(get_type_hints(hook).get("return"))
    except NameError as error:
        raise PluginFault(f"declare_hooks: {name}: {error}") from error
    if len(kinds) != 1:
        raise PluginFault(f"declare_hooks: {name}: annotate which rows it returns, as in -> Sequence[Recipe]")
    label = re.sub(r"(?<!^)(?=[A-Z])", " ", getattr(kinds[0], "__name__", repr(kinds[0]))).lower()
    return HookResult(kinds[0], label=label)


def _checked_by(owner: str, result: HookResult, check: Check | None) -> Any:
    """Returns the check of a row by the plugin that owns the hook, whose failure is told as one."""

    def check_row(row: Any, plugin: LoadedPlugin, registry: Registry) -> None:
        try:
            problem = None if check is None else check(row, plugin.declarer)
            name = result.name_of(row)
        except Problem as refusal:
            places = "; ".join(f"{error['pointer']} {error['message']}" for error in refusal.errors)
            problem, name = places or refusal.detail, None
        except (Exception, SystemExit) as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            at = f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}"
            message = f"{type(error).__name__}: {error} ({at})"
            raise PluginFault(f"the check of {owner} failed on it: {message}") from error
        if problem is not None:
            raise PluginFault(f"{owner} refuses this {result.label}: {problem}")
        if result.named_as_plugin and name != plugin.id:
            raise PluginFault(f"the {result.label} must be named as its plugin, not {name}")

    return check_row


def check_plugin(plugin: LoadedPlugin, registry: Registry, hookspecs: Iterable[Declaration]) -> None:
    """Raises `PluginFault`, naming what is wrong, when the plugin cannot stand beside the rest."""
    declarations = (*DECLARATIONS, *hookspecs)
    check_routes(plugin, registry)
    kinds.check_features(plugin, registry)
    for declaration in declarations:
        if rows := plugin.declared(declaration.result.type):
            _check_rows(declaration, rows, plugin, registry)
    kinds.check_services(plugin, registry)
    if plugin.source != "builtin":  # what ships is tested, and names what comes later
        _check_functions(plugin, declarations)
        check_named_permissions(plugin, registry, declarations)


def _check_rows(
    declaration: Declaration, rows: Sequence[Any], plugin: LoadedPlugin, registry: Registry
) -> None:
    """Checks each row, and that no two have one name; a row of a plugin's hook has its place told."""
    is_own = declaration.owner == KERNEL
    if is_own:
        _check_names(declaration, rows, registry)
    for position, row in enumerate(rows):
        try:
            if declaration.check is not None:
                declaration.check(row, plugin, registry)
        except PluginFault as fault:
            place = "" if is_own else f"{declaration.hook}[{position}]: "
            raise PluginFault(f"{place}{fault}") from fault
    if not is_own:  # such a row has a name for certain once it is right
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
    for label, function, called_with in _functions(plugin, declarations):
        if function is not None and (fault := call_fault(function, called_with)) is not None:
            raise PluginFault(f"{label} {fault}")


def _functions(
    plugin: LoadedPlugin, declarations: Iterable[Declaration]
) -> Iterator[tuple[str, Any, Sequence[str]]]:
    for bound in plugin.routes:
        yield f"row {bound.name}: the handler {bound.handler_name}", bound.handler, ("call",)
    for result in (one.result for one in declarations):
        for row in plugin.declared(result.type):
            label = f"{result.type.__name__} {getattr(row, 'name', '')}".strip()
            for name, called_with in result.functions.items():
                yield f"{label}: its {name}", getattr(row, name), called_with
    for protocol, make in plugin.services.items():
        yield f"the factory of the service {protocol.__name__}", make, ("host",)
