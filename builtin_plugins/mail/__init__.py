"""Mail: letters by an SMTP server, where the operator names one; without it links are shown."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.mail.digests import CHANNEL
from builtin_plugins.mail.handlers import HANDLERS
from builtin_plugins.mail.mailbox import OLD_MAILS, StoredMailer, sql
from builtin_plugins.mail.routes import ROUTES
from builtin_plugins.mail.sending import MailSender
from builtin_plugins.mail.settings import MAIL_URL, SETTINGS
from guildhall_sdk import Call, Host, Metric, Migrations, Plugin, Reply, Route, Setting, hookimpl
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import Mailer, NotificationChannel
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="mail",
    name="Mail",
    version="0.1.0",
    description="Invitations, links for forgotten passwords and notifications by mail.",
    requires=("identity", "companies", "notifications"),
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
        StoredMailer: StoredMailer,
        Mailer: lambda host: host.service(StoredMailer),
        MailSender: MailSender,
    }


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_notification_channels() -> Sequence[NotificationChannel]:
    return (CHANNEL,)


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (OLD_MAILS,)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    waiting = measured_by(sql.count_waiting)
    return (Metric("guildhall_mails_waiting", "Mails that wait to be sent", "gauge", measure=waiting),)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "mails",
            "/instance/mails",
            "mail.title",
            "mail",
            "instance",
            order=70,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="mail", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_start(host: Host) -> None:
    if host.setting(MAIL_URL) is not None:
        sender = host.service(MailSender)
        host.background("hearing of mails", sender.listen)
        host.background("sending mails", sender.run)
