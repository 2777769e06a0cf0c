"""Hooks that plugins bring for others: what must be true of one, and of the rows that it collects."""

import inspect
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

from guildhall_sdk import Problem
from guildhall_sdk.hooks import PROJECT, SPECIFICATIONS, Check, HookResult
from kernel.faults import PluginFault
from kernel.registry import Declaration, LoadedPlugin, Registry


def specified_in(hooks: type[Any]) -> dict[str, Any]:
    """Returns the hooks that a class specifies, by name."""
    found = {name: getattr(hooks, name) for name in dir(hooks) if not name.startswith("_")}
    return {name: hook for name, hook in found.items() if getattr(hook, f"{PROJECT}_spec", None) is not None}


def arguments_of(hook: Any) -> frozenset[str]:
    return frozenset(inspect.signature(hook).parameters) - {"self"}


#: The hooks that the server specifies itself, with the arguments of each.
KERNEL_HOOKS: Mapping[str, frozenset[str]] = {
    name: arguments_of(hook) for space in SPECIFICATIONS for name, hook in specified_in(space).items()
}


def hookspecs_of(
    owner: str, classes: Sequence[Any], known: Mapping[str, Declaration]
) -> dict[str, Declaration]:
    """Reads what `declare_hooks` gives; raises `PluginFault`. `known` are the hooks of other plugins."""
    found: dict[str, Declaration] = {}
    for hooks in classes:
        if not isinstance(hooks, type) or not specified_in(hooks):
            label = getattr(hooks, "__name__", type(hooks).__name__)
            raise PluginFault(
                f"declare_hooks: {label} is no class of hooks; make each by guildhall_sdk.hooks.declares"
            )
        for one in _declarations(owner, hooks):
            _check_free(one, {**known, **found})
            found[one.hook] = one
    return found


def _declarations(owner: str, hooks: type[Any]) -> Iterator[Declaration]:
    checks: Mapping[str, Check] = getattr(hooks, "checks", {})
    for name, hook in specified_in(hooks).items():
        result = getattr(hook, "result", None)
        if not name.startswith("declare_") or arguments_of(hook):
            raise PluginFault(f"declare_hooks: {name} must be named declare_<what> and take no arguments")
        if not isinstance(result, HookResult):
            raise PluginFault(
                f"declare_hooks: {name}: say by guildhall_sdk.hooks.declares which rows it returns"
            )
        kind = result.type
        if not (isinstance(kind, type) and is_dataclass(kind) and kind.__dataclass_params__.frozen):  # type: ignore[attr-defined]
            label = getattr(kind, "__qualname__", repr(kind))
            raise PluginFault(f"declare_hooks: {name}: {label} must be a frozen dataclass")
        yield Declaration(
            hook=name, result=result, owner=owner, check=_checked_by(owner, result, checks.get(name))
        )


def _check_free(one: Declaration, known: Mapping[str, Declaration]) -> None:
    if one.hook in KERNEL_HOOKS:
        raise PluginFault(f"declare_hooks: {one.hook} is the server's own hook: give it another name")
    if one.hook in known:
        raise PluginFault(f"declare_hooks: {one.hook} is a hook of {known[one.hook].owner} already")
    for other in known.values():
        if other.result.type is one.result.type:
            raise PluginFault(
                f"declare_hooks: {one.hook}: rows of {one.result.type.__qualname__} are declared by "
                f"{other.hook} of {other.owner} already"
            )


def _checked_by(owner: str, result: HookResult, check: Check | None) -> Any:
    """Returns the check of a row by the plugin that owns the hook, whose failure is told as one."""

    def check_row(row: Any, plugin: LoadedPlugin, registry: Registry) -> None:
        try:
            problem = None if check is None else check(row, plugin.declarer)
            name = None if result.name is None else str(result.name(row))
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
