"""Explain: why a request is refused, gate by gate, and who can change that."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.explain.commands import COMMANDS
from builtin_plugins.explain.handlers import ROUTES
from builtin_plugins.explain.reasons import Reasons
from guildhall_sdk import Command, Host, Permission, Plugin, Route, hookimpl
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.server import RefusalReasons

PLUGIN = Plugin(
    id="explain",
    name="Explain",
    version="0.1.0",
    description="Why a request is refused: the gate, its rule, and who can lift it.",
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {RefusalReasons: lambda host: Reasons(host.service(Plugins).declared(Permission))}
