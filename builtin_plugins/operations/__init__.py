"""Operations: whether the server can do its work, whose code holds it up, and what keeps it from starting."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from builtin_plugins.operations.commands import CHECKS, COMMANDS
from builtin_plugins.operations.loop_monitor import LoopMonitor
from builtin_plugins.operations.plugin_commands import PLUGIN_COMMANDS
from builtin_plugins.operations.plugin_states import StoredRecords
from builtin_plugins.operations.readiness import ServerReadiness
from builtin_plugins.operations.upgrade_commands import UPGRADE_COMMANDS
from builtin_plugins.operations.upgrades import FINISH_SECONDS, UpgradeWatch
from guildhall_sdk import Command, Host, Plugin, Setting, hookimpl
from guildhall_sdk.commands import HealthCheck
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.plugin import PluginData, PluginRecords
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


class OperationsHooks(Protocol):
    """The hook of the plugin `operations`."""

    @declares(HealthCheck, label="check", name="name", functions={"run": ("host",)})
    def declare_checks(self) -> Sequence[HealthCheck]:
        """Declares rows of `guildhall doctor`, which works beside a running server and where none starts."""


class PluginDataHooks(Protocol):
    """The hook of the plugin `operations` for what is stored for other plugins."""

    @declares(
        PluginData,
        label="plugin data",
        name="name",
        functions={"count": ("reader", "removed"), "remove": ("writer", "removed")},
    )
    def declare_plugin_data(self) -> Sequence[PluginData]:
        """Declares what this plugin stores for others, to be shown and removed when one of them is purged."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (OperationsHooks, checked(PluginDataHooks, declare_plugin_data=plugin_data_fault))


@hookimpl
def declare_commands() -> Sequence[Command]:
    return (*COMMANDS, *PLUGIN_COMMANDS, *UPGRADE_COMMANDS)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (FINISH_SECONDS,)


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
    host.background("finishing an upgrade", UpgradeWatch(host).run)


@hookimpl
async def on_stop(host: Host) -> None:
    await _readiness(host).stop()


def _readiness(host: Host) -> ServerReadiness:
    readiness = host.service(Readiness)
    assert isinstance(readiness, ServerReadiness)
    return readiness
