"""Operations: whether the server can do its work, whose code holds it up, and what keeps it from starting."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.operations.commands import CHECKS, COMMANDS
from builtin_plugins.operations.loop_monitor import LoopMonitor
from builtin_plugins.operations.plugin_commands import PLUGIN_COMMAND
from builtin_plugins.operations.plugin_states import StoredRecords
from builtin_plugins.operations.readiness import ServerReadiness
from guildhall_sdk import Command, Host, Plugin, hookimpl
from guildhall_sdk.commands import HealthCheck, OperationsHooks
from guildhall_sdk.hooks import Declarer, checked
from guildhall_sdk.plugin import PluginData, PluginDataHooks, PluginRecords
from guildhall_sdk.services.server import Readiness

PLUGIN = Plugin(
    id="operations",
    name="Operations",
    version="0.1.0",
    description="Watches the disk, the database and the event loop of the server.",
    essential=True,
)


def plugin_data_fault(data: PluginData, declarer: Declarer) -> str | None:
    """Returns what is wrong with plugin data, or None."""
    if not data.name or not data.name.isprintable():
        return "plugin data: its name must be one line of text, such as labels"
    for label, work in (("count", data.count), ("remove", data.remove)):
        if not inspect.iscoroutinefunction(work):
            return f"plugin data {data.name}: its {label} must be async"
    return None


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (OperationsHooks, checked(PluginDataHooks, declare_plugin_data=plugin_data_fault))


@hookimpl
def declare_commands() -> Sequence[Command]:
    return (*COMMANDS, PLUGIN_COMMAND)


@hookimpl
def declare_checks() -> Sequence[HealthCheck]:
    return CHECKS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {PluginRecords: StoredRecords, Readiness: ServerReadiness}


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
