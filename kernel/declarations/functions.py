"""The functions that plugins hand over: each can be called with what it will be called with."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from guildhall_sdk import (
    Command,
    ExtensionRoute,
    Factory,
    JobKind,
    Metric,
    Mount,
    Samples,
    Setting,
    Subscription,
    Tool,
    ToolSource,
)
from guildhall_sdk.plugin_data import PluginData
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin

#: By type the fields that hold a function, and what it is called with.
_ARGUMENTS: Mapping[type[Any], Mapping[str, Sequence[str]]] = {
    Command: dict.fromkeys(("run", "opened", "standalone"), ("options", "host")),
    Factory: {"make": ("client", "canary")},
    JobKind: {
        "handler": ("job",),
        "worker": ("job",),
        "validator": ("result",),
        "ended": ("host", "writer", "job"),
        "ended_together": ("host", "writer", "jobs"),
    },
    Metric: {"measure": ("host", "reader")},
    Mount: {"app": ("host",)},
    PluginData: {"count": ("reader", "removed"), "remove": ("writer", "removed")},
    Samples: {"seed": ("host", "writer", "principal", "now_ms")},
    Setting: {"parse": ("text",), "check": ("value",)},
    Subscription: {"handler": ("call",)},
    Tool: {"handler": ("reader", "principal", "arguments"), "hosted": ("host", "principal", "arguments")},
    ToolSource: {"tools": ("host",)},
}


def check_functions(plugin: LoadedPlugin) -> None:
    """Raises `PluginFault` for a function with other parameters than it is called with."""
    for bound in plugin.routes:
        _check(f"row {bound.name}: the handler {bound.row.handler}", bound.handler, ("ctx",))
    for kind, arguments in _ARGUMENTS.items():
        for row in plugin.declared(kind):
            for name, called_with in arguments.items():
                if (function := getattr(row, name)) is not None:
                    label = f"{kind.__name__} {getattr(row, 'name', '')}".strip()
                    _check(f"{label}: its {name}", function, called_with)
    for protocol, make in plugin.services.items():
        _check(f"the factory of the service {protocol.__name__}", make, ("host",))


def check_extension_handlers(routes: Iterable[ExtensionRoute]) -> None:
    """Raises `PluginFault` for a handler that is not async, or takes other than the call."""
    for route in routes:
        label = f"extension row {route.method} {route.path}: the handler"
        if not inspect.iscoroutinefunction(route.handler):
            raise PluginFault(f"{label} must be async")
        _check(label, route.handler, ("call",))


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
