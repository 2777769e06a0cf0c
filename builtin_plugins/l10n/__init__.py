"""Localization: the catalogs of all screens, the policy, and the manager in which they are translated."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.l10n.catalogs.files import contribution_fault
from builtin_plugins.l10n.catalogs.policy import PLUGIN_DATA
from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from builtin_plugins.l10n.drafts import JOB_KINDS
from builtin_plugins.l10n.handlers import HANDLERS
from builtin_plugins.l10n.routes import FACTORIES, ROUTES
from guildhall_sdk import Call, Factory, Host, JobKind, Migrations, Permission, Plugin, Reply, Route, hookimpl
from guildhall_sdk.hooks import checked, declares
from guildhall_sdk.plugin import PluginData
from guildhall_sdk.services.localization import Localization, MessageCatalogs
from guildhall_sdk.services.pages import Screen

PERMISSIONS = (
    Permission(
        name="localization:read", description="See translations and their coverage", roles=["translator"]
    ),
    Permission(name="localization:translate", description="Write translations", roles=["translator"]),
    Permission(name="localization:review", description="Approve or return translations", roles=["reviewer"]),
    Permission(
        name="localization:manage", description="Import, export and draft translations", roles=["localizer"]
    ),
)

PLUGIN = Plugin(
    id="l10n",
    name="Localization",
    version="0.1.0",
    description="Message catalogs in every language, translated, reviewed and exported here.",
    requires=("admin",),
    kept_folders=("locales",),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        ServedCatalogs: ServedCatalogs,
        Localization: lambda host: host.service(ServedCatalogs),
    }


class CatalogHooks(Protocol):
    """The hook of the plugin `l10n`."""

    @declares(MessageCatalogs, label="folder of catalogs", name="namespace", named_as_plugin=True)
    def declare_catalogs(self) -> Sequence[MessageCatalogs]:
        """Declares the folder with the texts of this plugin's screens, in every language it speaks."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(CatalogHooks, declare_catalogs=contribution_fault),)


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return JOB_KINDS


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return PLUGIN_DATA


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "localize",
            "/localize",
            "nav.localization",
            "languages",
            "localize",
            order=10,
            permission="localization:read",
        ),
    )
