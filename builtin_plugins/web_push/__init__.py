"""Web Push: notifications in the browser, also while no page of the console is open."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.web_push.devices import FACTORIES, ROUTES, sender_key
from builtin_plugins.web_push.encryption import SenderKey
from builtin_plugins.web_push.sending import CHANNEL, PushSender
from guildhall_sdk import Factory, Host, Migrations, Plugin, Route, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationChannel

PLUGIN = Plugin(
    id="web-push",
    name="Web Push",
    version="0.1.0",
    description="Notifications in the browser, also while no page of the console is open.",
    requires=("notifications", "outbound"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {SenderKey: sender_key, PushSender: PushSender}


@hookimpl
def declare_notification_channels() -> Sequence[NotificationChannel]:
    return (CHANNEL,)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="web-push", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_start(host: Host) -> None:
    sender = host.service(PushSender)
    host.background("hearing of pushes", sender.listen)
    host.background("sending pushes", sender.run)
