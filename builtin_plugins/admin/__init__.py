"""The instance and the team from the inside: health, status, metrics, features, tools, audit."""

from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.admin import bundles, handlers, metrics, seeding, status
from builtin_plugins.admin.declared import plugin_data_fault, samples_fault
from builtin_plugins.admin.factories import FACTORIES
from builtin_plugins.admin.instance_metrics import METRICS
from builtin_plugins.admin.permissions import PERMISSIONS
from builtin_plugins.admin.routes import ROUTES
from guildhall_sdk import Factory, Metric, Permission, Plugin, Route, hookimpl
from guildhall_sdk.factories import SampleHooks
from guildhall_sdk.hooks import checked
from guildhall_sdk.plugin import PluginDataHooks

PLUGIN = Plugin(
    id="admin",
    name="Administration",
    version="0.1.0",
    description="Health, status, metrics, features, tools, plugins, samples and the audit trails.",
    essential=True,
)
_ROOMS: tuple[Any, ...] = (status, metrics, seeding, bundles)


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (
        checked(SampleHooks, declare_samples=samples_fault),
        checked(PluginDataHooks, declare_plugin_data=plugin_data_fault),
    )


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*ROUTES, *(row for room in _ROOMS for row in room.ROUTES))


@hookimpl
def declare_handlers() -> Mapping[str, Any]:
    own = {row.handler: getattr(handlers, row.handler) for row in ROUTES}
    return own | {name: handler for room in _ROOMS for name, handler in room.HANDLERS.items()}


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return METRICS


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return (*FACTORIES, *bundles.FACTORIES)
