"""The functions that plugins hand over: each can be called with what it will be called with."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kernel.faults import PluginFault
from kernel.registry import Declaration, LoadedPlugin


def check_functions(plugin: LoadedPlugin, declarations: Iterable[Declaration]) -> None:
    """Raises `PluginFault` for a function with other parameters than it is called with."""
    for bound in (*plugin.routes, *plugin.extension_routes):
        _check(f"row {bound.name}: the handler {bound.handler_name}", bound.handler, ("call",))
    for result in (one.result for one in declarations):
        for row in plugin.declared(result.type):
            for name, called_with in result.functions.items():
                if (function := getattr(row, name)) is not None:
                    label = f"{result.type.__name__} {getattr(row, 'name', '')}".strip()
                    _check(f"{label}: its {name}", function, called_with)
    for protocol, make in plugin.services.items():
        _check(f"the factory of the service {protocol.__name__}", make, ("host",))


def _check(label: str, function: Callable[..., Any], called_with: Sequence[str]) -> None:
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
