"""Every hook of Guildhall. The name of a hook begins with how it is called.

`declare_*` plain functions without arguments that return frozen data; called once, at boot. `on_*` async;
told in order, each with a timeout; a failure is logged and names the plugin. `decide_*` async; the first
answer that is not None wins; a failure denies.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from guildhall_sdk.blobs import BlobReferences, BlobStoreKind
    from guildhall_sdk.commands import Command
    from guildhall_sdk.context import Host
    from guildhall_sdk.contributions import Accepts
    from guildhall_sdk.data import Migrations
    from guildhall_sdk.dimensions import Dimension
    from guildhall_sdk.engines import DatabaseEngine
    from guildhall_sdk.factories import Factory
    from guildhall_sdk.features import Feature
    from guildhall_sdk.jobs import JobKind
    from guildhall_sdk.metrics import Metric
    from guildhall_sdk.mounts import Mount
    from guildhall_sdk.pages import Pages
    from guildhall_sdk.permissions import Permission
    from guildhall_sdk.plugin_data import PluginData
    from guildhall_sdk.preferences import Preference
    from guildhall_sdk.routes import ExtensionRoute, Route
    from guildhall_sdk.samples import Samples
    from guildhall_sdk.search import SearchSource
    from guildhall_sdk.settings import Setting
    from guildhall_sdk.sign_in import CredentialKind, SignIn, SignInRequest
    from guildhall_sdk.subscriptions import Event, Subscription
    from guildhall_sdk.tools import Tool, ToolSource

PROJECT = "guildhall"
hookimpl = pluggy.HookimplMarker(PROJECT)
hookspec = pluggy.HookspecMarker(PROJECT)


class Declarations:
    """The hooks that declare what a plugin brings. A fault in any of them keeps the whole plugin out."""

    @hookspec
    def declare_routes(self) -> "Sequence[Route]":  # type: ignore[empty-body]
        """Declares rows of the route table, at full paths, in the order they are matched."""

    @hookspec
    def declare_handlers(self) -> "Mapping[str, Any]":  # type: ignore[empty-body]
        """Declares the functions that rows name. Every row has a handler and every handler a row."""

    @hookspec
    def declare_extension_routes(self) -> "Sequence[ExtensionRoute]":  # type: ignore[empty-body]
        """Declares rows mounted under `/api/x/<plugin id>/`, matched after every core row."""

    @hookspec
    def declare_settings(self) -> "Sequence[Setting[Any]]":  # type: ignore[empty-body]
        """Declares the settings `SERVICE_<PLUGIN>_<NAME>` of this plugin; they are read before migration."""

    @hookspec
    def declare_preferences(self) -> "Sequence[Preference[Any]]":  # type: ignore[empty-body]
        """Declares what each team or company decides about this plugin, by the service `Preferences`."""

    @hookspec
    def declare_commands(self) -> "Sequence[Command]":  # type: ignore[empty-body]
        """Declares commands `guildhall <command>` for the operator; each runs in a process of its own."""

    @hookspec
    def declare_features(self) -> "Sequence[Feature]":  # type: ignore[empty-body]
        """Declares features that a team can turn off, and that rows may name."""

    @hookspec
    def declare_permissions(self) -> "Sequence[Permission]":  # type: ignore[empty-body]
        """Declares permissions for rows, tools and scopes, with the roles that hold them by default."""

    @hookspec
    def declare_credential_kinds(self) -> "Sequence[CredentialKind]":  # type: ignore[empty-body]
        """Declares kinds of credentials that this plugin keeps or accepts, beside the kernel's tokens."""

    @hookspec
    def declare_tools(self) -> "Sequence[Tool]":  # type: ignore[empty-body]
        """Declares tools for agents and workflows, in the one registry."""

    @hookspec
    def declare_tool_sources(self) -> "Sequence[ToolSource]":  # type: ignore[empty-body]
        """Declares sources of tools that come and go while the server runs."""

    @hookspec
    def declare_job_kinds(self) -> "Sequence[JobKind]":  # type: ignore[empty-body]
        """Declares kinds of jobs, run in the server or by pull workers."""

    @hookspec
    def declare_events(self) -> "Sequence[Event]":  # type: ignore[empty-body]
        """Declares events of this plugin that others may subscribe to."""

    @hookspec
    def declare_subscriptions(self) -> "Sequence[Subscription]":  # type: ignore[empty-body]
        """Declares subscriptions of this plugin to events, its own or another's."""

    @hookspec
    def declare_dimensions(self) -> "Sequence[Dimension]":  # type: ignore[empty-body]
        """Declares what is counted for each team and company, and can be limited."""

    @hookspec
    def declare_services(self) -> "Mapping[type[Any], Callable[[Host], Any]]":  # type: ignore[empty-body]
        """Declares protocols of `guildhall_sdk.services` that this plugin implements, each with a factory."""

    @hookspec
    def declare_engines(self) -> "Sequence[DatabaseEngine]":  # type: ignore[empty-body]
        """Declares database engines, of which the scheme of `SERVICE_DATABASE_URL` chooses one."""

    @hookspec
    def declare_blob_stores(self) -> "Sequence[BlobStoreKind]":  # type: ignore[empty-body]
        """Declares blob stores, of which `SERVICE_BLOB_STORE` names one."""

    @hookspec
    def declare_blob_references(self) -> "Sequence[BlobReferences]":  # type: ignore[empty-body]
        """Declares statements that list the blobs its rows refer to; `guildhall scrub` runs them."""

    @hookspec
    def declare_search_sources(self) -> "Sequence[SearchSource]":  # type: ignore[empty-body]
        """Declares types of things that search finds, each with who may read them."""

    @hookspec
    def declare_mounts(self) -> "Sequence[Mount]":  # type: ignore[empty-body]
        """Declares applications of another protocol beside the API."""

    @hookspec
    def declare_pages(self) -> "Sequence[Pages]":  # type: ignore[empty-body]
        """Declares folders of files, served behind the gates of a row; matched after every row."""

    @hookspec
    def declare_metrics(self) -> "Sequence[Metric]":  # type: ignore[empty-body]
        """Declares metrics of this plugin for the operator; each is measured when somebody looks."""

    @hookspec
    def declare_accepts(self) -> "Sequence[Accepts]":  # type: ignore[empty-body]
        """Declares types of data that other plugins may contribute to this one, and how they are checked."""

    @hookspec
    def declare_contributions(self) -> "Sequence[Any]":  # type: ignore[empty-body]
        """Declares frozen dataclasses for the plugins that accept their types, checked at admission."""

    @hookspec
    def declare_samples(self) -> "Sequence[Samples]":  # type: ignore[empty-body]
        """Declares sample content that a team can ask for."""

    @hookspec
    def declare_plugin_data(self) -> "Sequence[PluginData]":  # type: ignore[empty-body]
        """Declares what this plugin stores for others, to be shown and removed when one of them is purged."""

    @hookspec
    def declare_migrations(self) -> "Migrations":  # type: ignore[empty-body]
        """Declares the folder of schema changes; each is applied once, in order, before serving."""

    @hookspec
    def declare_factories(self) -> "Sequence[Factory]":  # type: ignore[empty-body]
        """Declares for each id in this plugin's paths how the conformance tests make one."""


class Lifecycle:
    """The hooks that run when the server starts and stops."""

    @hookspec
    async def on_start(self, host: "Host") -> None:
        """Runs after migration, before the first request. A failure puts the plugin in quarantine."""

    @hookspec
    async def on_stop(self, host: "Host") -> None:
        """Runs after the last request, job and background work, while database and services are there."""


class Decisions:
    """The hooks that decide whether something is allowed."""

    @hookspec
    async def decide_password(self, username: str, password: str) -> str | None:
        """Returns why this password may not be used, or None to leave it to the other plugins."""

    @hookspec
    async def decide_principal(self, request: "SignInRequest") -> "SignIn | None":
        """Returns who sends a request without a Guildhall token, or None to leave it to the other plugins."""


SPECIFICATIONS = (Declarations, Lifecycle, Decisions)
