"""Operations: whether the server can do its work, whose code holds it up, and what keeps it from starting."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.operations.commands import CHECKS, COMMANDS
from builtin_plugins.operations.loop_monitor import LoopMonitor
from builtin_plugins.operations.plugin_commands import PLUGIN_COMMAND
from builtin_plugins.operations.readiness import ServerReadiness
from guildhall_sdk import Command, Host, Plugin, hookimpl
from guildhall_sdk.commands import HealthCheck, OperationsHooks
from guildhall_sdk.services.server import Readiness

PLUGIN = Plugin(
    id="operations",
    name="Operations",
    version="0.1.0",
    description="Watches the disk, the database and the event loop of the server.",
    essential=True,
)


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (OperationsHooks,)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return (*COMMANDS, PLUGIN_COMMAND)


@hookimpl
def declare_checks() -> Sequence[HealthCheck]:
    return CHECKS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Readiness: ServerReadiness}


@hookimpl
async def on_start(host: Host) -> None:
    host.background("watching disk and database", _readiness(host).watch)
    host.background("watching the event loop", LoopMonitor(host).run)


@hookimpl
async def on_stop(host: Host) -> None:
    await _readiness(host).stop()


def _readiness(host: Host) -> ServerReadiness:
    readiness = host.service(Readiness)
    assert isinstance(readiness, ServerReadiness)
    return readiness
