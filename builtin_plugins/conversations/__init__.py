"""Conversations with models, kept on the server: a tree of messages, answers as jobs, shared and searched."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.conversations.conversation import sql
from builtin_plugins.conversations.events import ConversationFollowers
from builtin_plugins.conversations.handlers import HANDLERS
from builtin_plugins.conversations.jobs import JOB
from builtin_plugins.conversations.routes import FACTORIES, ROUTES
from builtin_plugins.conversations.service import KEEP_DAYS, OLD
from builtin_plugins.conversations.sharing import SHARED
from guildhall_sdk import (
    Call,
    Factory,
    Host,
    JobKind,
    Metric,
    Migrations,
    Plugin,
    Reply,
    Route,
    Setting,
    hookimpl,
)
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="conversations",
    name="Conversations",
    version="0.1.0",
    description="Conversations with models, kept on the server, shared and searched.",
    requires=("ai", "jobs", "repo", "retention", "search", "tools"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (KEEP_DAYS,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {ConversationFollowers: ConversationFollowers}


@hookimpl
async def on_start(host: Host) -> None:
    host.background("following conversations", host.service(ConversationFollowers).listen)


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (SHARED,)


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return (JOB,)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    measure = measured_by(sql.count_conversations)
    return (Metric("guildhall_conversations", "Conversations", "gauge", measure=measure),)


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (OLD,)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    move = moved_by(sql.move_conversations, sql.move_folders, sql.drop_double_grants, sql.move_grants)
    return (TeamContent(name="conversations", held=sql.held_by_team, move=move),)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen("chat", "/chat", "nav.chat", "bot", "ai", order=10, permission="chat:use", feature="chat"),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="conversations", folder=Path(__file__).with_name("texts")),)
