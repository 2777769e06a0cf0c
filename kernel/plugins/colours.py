"""The colour check: a hook does what its name promises, or its plugin stays out."""

import inspect
from collections.abc import Iterator
from typing import Any

import pluggy

from guildhall_sdk.hooks import PROJECT, SPECIFICATIONS
from kernel.faults import PluginFault

_SPECIFIED = {
    name: vars(space)[name] for space in SPECIFICATIONS for name in vars(space) if "_" in name[1:-1]
}
HOOKS = frozenset(name for name in _SPECIFIED if not name.startswith("_"))


def new_manager() -> pluggy.PluginManager:
    """One manager per app; nothing is global."""
    manager = pluggy.PluginManager(PROJECT)
    for space in SPECIFICATIONS:
        manager.add_hookspecs(space)
    return manager


def check_colours(plugin: Any) -> None:
    """Raises for an unknown hook, a wrong colour, a wrong argument or a wrapper."""
    for name, implementation, options in _implementations(plugin):
        if name not in HOOKS:
            raise PluginFault(f"there is no hook named {name}; known are {', '.join(sorted(HOOKS))}")
        if options.get("hookwrapper") or options.get("wrapper"):
            raise PluginFault(f"{name}: hooks cannot be wrapped")
        is_async = inspect.iscoroutinefunction(implementation)
        if name.startswith("declare_") and is_async:
            raise PluginFault(f"{name} must be a plain function, not async")
        if not name.startswith("declare_") and not is_async:
            raise PluginFault(f"{name} must be async")
        _check_arguments(name, implementation)


def _check_arguments(name: str, implementation: Any) -> None:
    allowed = set(inspect.signature(_SPECIFIED[name]).parameters) - {"self"}
    taken = set(inspect.signature(implementation).parameters)
    if extra := taken - allowed:
        takes = f"takes {', '.join(sorted(allowed))}" if allowed else "takes no arguments"
        raise PluginFault(f"{name} has an unknown argument {sorted(extra)[0]!r}; it {takes}")


def _implementations(plugin: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Marked functions, and unmarked ones that a reader would take for hooks."""
    for attribute in dir(plugin):
        member = getattr(plugin, attribute, None)
        options = getattr(member, f"{PROJECT}_impl", None)
        if options is not None:
            yield options.get("specname") or attribute, member, options
        elif attribute in HOOKS and callable(member):
            raise PluginFault(f"{attribute} lacks the @hookimpl mark")
