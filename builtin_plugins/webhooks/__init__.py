"""Webhooks: events that are sent to other services, and messages of these that start workflows."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from builtin_plugins.webhooks.handlers import HANDLERS
from builtin_plugins.webhooks.hearing import Hearing
from builtin_plugins.webhooks.hook import hook_sql
from builtin_plugins.webhooks.incoming import HOOKS_CONTENT, HooksIn
from builtin_plugins.webhooks.outgoing import CONTENT, Webhooks
from builtin_plugins.webhooks.receiving import Receiver
from builtin_plugins.webhooks.routes import FACTORIES, ROUTES
from builtin_plugins.webhooks.sending import Sender, send_waiting
from builtin_plugins.webhooks.telling import SUBSCRIPTIONS
from builtin_plugins.webhooks.waiting import Waiting, go_on_after, plan_lost
from builtin_plugins.webhooks.webhook import FEATURE, READ, SEND, STOPPED, sql
from guildhall_sdk import (
    Call,
    Factory,
    Host,
    JobKind,
    Migrations,
    Plugin,
    Reader,
    Reply,
    Route,
    Setting,
    Subscription,
    Writer,
    hookimpl,
)
from guildhall_sdk.plugin import TeamContent
from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="webhooks",
    name="Webhooks",
    version="0.1.0",
    description="Events that are sent to other services, and messages of these that start workflows.",
    requires=("workflows", "jobs", "outbound", "retention"),
)

KIND = JobKind(
    SEND,
    "Sends what waits for an address.",
    handler=send_waiting,
    public=False,
    feature=FEATURE,
    outlives_person=True,
    timeout_seconds=300,
    ended=go_on_after,
)
KEEP_DAYS = days_setting(
    "keep_deliveries_days",
    what="deliveries of webhooks, both ways,",
    default=30,
    variable="SERVICE_KEEP_WEBHOOK_DELIVERIES_DAYS",
)


async def _count(reader: Reader, before: int) -> int:
    sent = await reader.value(sql.count_finished, before=before)
    return int(sent + await reader.value(hook_sql.count_old, before=before))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    deleted = await writer.all(sql.delete_finished, before=before, limit=limit)
    if not deleted:
        deleted = await writer.all(hook_sql.delete_old, before=before, limit=limit)
    return len(deleted)


DELIVERIES = Retained(
    name="webhook_deliveries",
    title="deliveries of webhooks, both ways",
    keep_days=KEEP_DAYS,
    count=_count,
    delete_expired=_delete_old,
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
    outgoing = {Webhooks: Webhooks, Hearing: Hearing, Waiting: Waiting, Sender: Sender}
    return {**outgoing, HooksIn: HooksIn, Receiver: Receiver}


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return (KIND,)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return SUBSCRIPTIONS


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (STOPPED,)


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (DELIVERIES,)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (CONTENT, HOOKS_CONTENT)


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
            "webhooks",
            "/webhooks",
            "nav.webhooks",
            "webhook",
            "automate",
            order=40,
            permission=READ,
            feature=FEATURE,
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="webhooks", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_start(host: Host) -> None:
    hearing = host.service(Hearing)
    await hearing.look()
    host.background("following webhooks", hearing.follow)
    host.background("hearing of webhooks", hearing.listen)
    host.background("sending what webhooks lost", partial(plan_lost, host))
