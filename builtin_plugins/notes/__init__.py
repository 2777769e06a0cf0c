"""Notes: written, kept to oneself, shown to the team or shared by name."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from builtin_plugins.notes.bin import DELETED_NOTES, KEEP_DELETED_DAYS
from builtin_plugins.notes.handlers import HANDLERS
from builtin_plugins.notes.note import SHARED, SOURCES, sql
from builtin_plugins.notes.readable import ReadableNotes
from builtin_plugins.notes.routes import FACTORIES, ROUTES
from builtin_plugins.notes.samples import SAMPLES
from builtin_plugins.notes.service import may_hear
from builtin_plugins.notes.tools import TOOLS
from guildhall_sdk import (
    Call,
    Event,
    Factory,
    Host,
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
from guildhall_sdk.factories import Samples
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.search import Notes
from guildhall_sdk.subscriptions import NOTE_CHANGED

PLUGIN = Plugin(
    id="notes",
    name="Notes",
    version="0.1.0",
    description="Notes with visibility, sharing, versions, tags and a bin.",
    requires=("admin", "quotas", "retention", "search"),
)


PERMISSIONS = (
    Permission(name="notes:read", description="Read notes", roles=["viewer"]),
    Permission(name="notes:write", description="Write notes", roles=["member"]),
    Permission(name="notes:delete", description="Delete notes", roles=["admin"]),
    Permission(name="notes:manage", description="Share notes of others", roles=["admin"]),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return TOOLS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Notes: ReadableNotes}


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_events() -> Sequence[Event]:
    return (replace(NOTE_CHANGED, readable=may_hear),)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (KEEP_DELETED_DAYS,)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (Metric("guildhall_notes", "Notes", "gauge", measure=measured_by(sql.count_notes)),)


@hookimpl
def declare_samples() -> Sequence[Samples]:
    return SAMPLES


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (DELETED_NOTES,)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (TeamContent(name="notes", held=sql.held_by_team, move=moved_by(sql.move_to_team, sql.move_bin)),)


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (SHARED,)


@hookimpl
def declare_search_sources() -> Sequence[SearchSource]:
    return SOURCES


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
            "notes",
            "/notes",
            "nav.notes",
            "notebook-pen",
            "work",
            order=10,
            permission="notes:read",
            opens=("note",),
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="notes", folder=Path(__file__).with_name("texts")),)
