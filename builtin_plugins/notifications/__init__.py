"""Notifications: an inbox for everybody, what they choose to hear of and how, and a service for plugins."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, get_args

from builtin_plugins.notifications.handlers import HANDLERS
from builtin_plugins.notifications.routes import ROUTES
from builtin_plugins.notifications.service import (
    KEEP_DAYS,
    OLD_NOTIFICATIONS,
    PLUGIN_DATA,
    InboxFollowers,
    StoredNotifications,
)
from guildhall_sdk import Call, Host, Migrations, Plugin, Reply, Route, Setting, TooManyRequests, hookimpl
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.plugin import PluginData
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import (
    MailChoice,
    NotificationChannel,
    NotificationKind,
    Notifications,
)
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="notifications",
    name="Notifications",
    version="0.1.0",
    description="An inbox for everybody: what was shared, what ended, what is due, and who hears of it how.",
)


class NotificationHooks(Protocol):
    """The hooks of the plugin `notifications`."""

    @declares(NotificationKind, label="kind of notification", name="name")
    def declare_notification_kinds(self) -> Sequence[NotificationKind]:
        """Declares what people are told of by this plugin."""

    @declares(
        NotificationChannel,
        label="notification channel",
        name="name",
        functions={"deliver": ("host", "writer", "notified")},
    )
    def declare_notification_channels(self) -> Sequence[NotificationChannel]:
        """Declares another way to people than the inbox."""


def kind_fault(kind: NotificationKind, declarer: Declarer) -> str | None:
    """Returns what is wrong with a kind of notification, or None."""
    if not kind.name.startswith(f"{declarer.id}.") or len(kind.name) > 129:
        return f"the kind of notification {kind.name!r} must be named {declarer.id}.<word>"
    if kind.mail not in get_args(MailChoice):
        return f"{kind.name}: mail must be one of {', '.join(get_args(MailChoice))}"
    namespaces = {catalogs.namespace for catalogs in declarer.declared(MessageCatalogs)}
    for field, key in (("title", kind.title), ("text", kind.text)):
        if key.partition(".")[0] not in namespaces:
            return f"{kind.name}: its {field} must be a key of the plugin's own catalog, not {key!r}"
    return None


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(NotificationHooks, declare_notification_kinds=kind_fault),)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Notifications: StoredNotifications, InboxFollowers: _followers}


def _followers(host: Host) -> InboxFollowers:
    return InboxFollowers(host.news("inboxes"), partial(TooManyRequests, headers={"Retry-After": "5"}))


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (KEEP_DAYS,)


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (OLD_NOTIFICATIONS,)


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return PLUGIN_DATA


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (Screen("inbox", "/inbox", "notifications.inbox", "bell", "account", order=5),)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="notifications", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_start(host: Host) -> None:
    host.background("hearing of inboxes", host.service(InboxFollowers).listen)
