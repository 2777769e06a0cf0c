"""The repository: files and documents by key, with versions, grants and what was made from what."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.repo.blob_lifecycle import REFERENCES
from builtin_plugins.repo.documents import SAMPLES
from builtin_plugins.repo.finding import may_hear, sql
from builtin_plugins.repo.grants import SHARED
from builtin_plugins.repo.handlers import HANDLERS
from builtin_plugins.repo.jobs import JOB_KINDS, TOOLS
from builtin_plugins.repo.lifecycle import OLD_VERSIONS
from builtin_plugins.repo.reading import check_sandbox
from builtin_plugins.repo.removing import CONTENT
from builtin_plugins.repo.routes import FACTORIES, ROUTES
from builtin_plugins.repo.service import StoredRepository
from builtin_plugins.repo.texts import SETTINGS, SOURCES
from guildhall_sdk import (
    Call,
    Event,
    Factory,
    Host,
    JobKind,
    Metric,
    Migrations,
    Permission,
    Plugin,
    Reply,
    Route,
    SearchSource,
    Setting,
    Tool,
    hookimpl,
)
from guildhall_sdk.blobs import BlobReferences
from guildhall_sdk.commands import HealthCheck
from guildhall_sdk.factories import Samples
from guildhall_sdk.hooks import declares
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import TeamContent
from guildhall_sdk.retention import RetainedByTeams
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import VersionsInUse
from guildhall_sdk.subscriptions import OBJECT_DELETED, OBJECT_MOVED, OBJECT_WRITTEN

PLUGIN = Plugin(
    id="repo",
    name="Repository",
    version="0.1.0",
    description="Files and text documents by key, with versions, grants and provenance.",
    requires=("admin", "blobs", "quotas"),
    essential=True,
)


PERMISSIONS = (
    Permission(name="files:read", description="Read documents and files", roles=["viewer"]),
    Permission(name="files:write", description="Write documents and files", roles=["member"]),
    Permission(name="files:delete", description="Delete documents and files", roles=["admin"]),
    Permission(name="files:manage", description="Share documents and files of others", roles=["admin"]),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (SHARED,)


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Repository: StoredRepository}


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return TOOLS


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return JOB_KINDS


@hookimpl
def declare_checks() -> Sequence[HealthCheck]:
    return (HealthCheck(name="sandbox", order=80, run=check_sandbox),)


@hookimpl
def declare_events() -> Sequence[Event]:
    return tuple(
        replace(event, readable=may_hear) for event in (OBJECT_WRITTEN, OBJECT_MOVED, OBJECT_DELETED)
    )


@hookimpl
def declare_search_sources() -> Sequence[SearchSource]:
    return SOURCES


@hookimpl
def declare_blob_references() -> Sequence[BlobReferences]:
    return (REFERENCES,)


class TeamRetentionHooks(Protocol):
    """The hook of the plugin `repo` for what teams keep by rules of their own."""

    @declares(RetainedByTeams, label="retained by teams", name="name", functions={"describe": ("host", "at")})
    def declare_retained_by_teams(self) -> Sequence[RetainedByTeams]:
        """Declares what each team keeps by rules of its own, for `guildhall retention` to list."""


class LifecycleHooks(Protocol):
    """The hook of the plugin `repo` for versions that must stay."""

    @declares(VersionsInUse, label="versions in use", name="name")
    def declare_versions_in_use(self) -> Sequence[VersionsInUse]:
        """Declares queries for the versions of objects that rows of this plugin still need."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    # What is kept by teams' rules is collected by a plugin without which there is no server.
    return (LifecycleHooks, TeamRetentionHooks)


@hookimpl
def declare_retained_by_teams() -> Sequence[RetainedByTeams]:
    return (OLD_VERSIONS,)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (CONTENT,)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (Metric("guildhall_objects", "Objects", "gauge", measure=measured_by(sql.count_objects)),)


@hookimpl
def declare_samples() -> Sequence[Samples]:
    return SAMPLES


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
async def on_start(host: Host) -> None:
    repository = host.service(Repository)
    assert isinstance(repository, StoredRepository)
    repository.blobs.begin_upkeep()
    host.background("asking for unread texts", repository.unread.begin)
    host.background("throwing away old versions", repository.lifecycles.run_in_time)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "files",
            "/files",
            "nav.files",
            "folder-open",
            "work",
            order=20,
            permission="files:read",
            opens=("object",),
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="repo", folder=Path(__file__).with_name("texts")),)
