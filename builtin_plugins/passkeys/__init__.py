"""Passkeys: signing in without a password, and a second factor that no page can be fooled out of."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.passkeys.handlers import HANDLERS, NEW_KEY
from builtin_plugins.passkeys.routes import FACTORIES, ROUTES
from builtin_plugins.passkeys.service import StoredPasskeys, sql
from guildhall_sdk import (
    Actor,
    Call,
    EventCall,
    Factory,
    Host,
    Migrations,
    Plugin,
    Reply,
    Route,
    Subscription,
    hookimpl,
)
from guildhall_sdk.services.identity import Passkeys
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.subscriptions import MEMBER_LEFT

PLUGIN = Plugin(
    id="passkeys",
    name="Passkeys",
    version="0.1.0",
    description="Signing in with a passkey, in place of a password or as the second factor.",
    requires=("identity", "notifications"),
)


async def forget_removed(call: EventCall) -> None:
    """Deletes the passkeys of a person who was removed, as their password went: they are invited anew."""
    user_id, origin = call.payload.user_id, call.origin
    actor = Actor("system", org_id=origin.org_id, team_id=origin.team_id)
    async with call.host.data.write(actor) as writer:
        user = await call.host.service(Directory).user(writer, user_id)
        if user is not None and user.removed_at is not None:
            await writer.run(sql.remove_all, user_id=user_id, org_id=user.org_id)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Passkeys: StoredPasskeys}


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (NEW_KEY,)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    doc = "Deletes the passkeys of who was removed from the company."
    return (Subscription(name="removed-people", event=MEMBER_LEFT.name, handler=forget_removed, doc=doc),)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (Screen("passkeys", "/account/passkeys", "passkeys.title", "key-round", "account", order=20),)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="passkeys", folder=Path(__file__).with_name("texts")),)
