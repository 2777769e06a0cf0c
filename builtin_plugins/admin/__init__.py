"""The instance and the team from the inside: health, status, metrics, features, tools."""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.admin import bundles, handlers, metrics, plugin_metrics, status
from builtin_plugins.admin.metrics import METRICS
from builtin_plugins.admin.routes import FACTORIES, ROUTES, SAMPLE_ROUTES
from guildhall_sdk import Factory, Metric, Permission, Plugin, Route, hookimpl
from guildhall_sdk.factories import Samples
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from libs.names import identifier_fault

PLUGIN = Plugin(
    id="admin",
    name="Administration",
    version="0.1.0",
    description="Health, status, metrics, features, tools, plugins and samples.",
    essential=True,
)


PERMISSIONS = (
    Permission(
        name="settings:manage", description="Manage the team's settings, tokens and tools", roles=["admin"]
    ),
    Permission(name="instance:manage", description="Operate the instance"),
)


def samples_fault(samples: Samples, declarer: Declarer) -> str | None:
    """Returns what is wrong with sample content, or None."""
    if (fault := identifier_fault("sample content", samples.name)) is not None:
        return fault
    if not inspect.iscoroutinefunction(samples.seed):
        return f"sample content {samples.name}: its seed must be async"
    return None


class SampleHooks(Protocol):
    """The hook of the plugin `admin` for sample content."""

    @declares(
        Samples,
        label="sample content",
        name="name",
        functions={"seed": ("host", "writer", "principal", "now_ms")},
    )
    def declare_samples(self) -> Sequence[Samples]:
        """Declares sample content that a team can ask for."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(SampleHooks, declare_samples=samples_fault),)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*ROUTES, *status.ROUTES, *metrics.ROUTES, *SAMPLE_ROUTES, *bundles.ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Any]:
    own = {row.handler: getattr(handlers, row.handler) for row in (*ROUTES, *SAMPLE_ROUTES)}
    return {**own, **status.HANDLERS, **metrics.HANDLERS, **bundles.HANDLERS}


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (*METRICS, *plugin_metrics.METRICS)


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return (*FACTORIES, *bundles.FACTORIES)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "features",
            "/features",
            "nav.features",
            "toggle-right",
            "team",
            order=40,
            permission="settings:manage",
        ),
        Screen("team", "/team", "nav.settings", "settings", "team", order=90, permission="settings:manage"),
        Screen(
            "instance",
            "/instance",
            "nav.group_instance",
            "server",
            "instance",
            order=0,
            permission="instance:manage",
        ),
        Screen(
            "status",
            "/instance/status",
            "nav.status",
            "activity",
            "instance",
            order=10,
            permission="instance:manage",
        ),
        Screen(
            "plugins",
            "/instance/plugins",
            "nav.plugins",
            "blocks",
            "instance",
            order=50,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="admin", folder=Path(__file__).with_name("texts")),)
