"""OAuth: programs of others act for a person, as far as that person allows, until they are disconnected."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.oauth import grants
from builtin_plugins.oauth.clients import sql
from builtin_plugins.oauth.handlers import CONNECTED, HANDLERS
from builtin_plugins.oauth.routes import FACTORIES, ROUTES
from guildhall_sdk import (
    Actor,
    Call,
    EventCall,
    Factory,
    Migrations,
    Plugin,
    Reply,
    Route,
    Setting,
    Subscription,
    hookimpl,
)
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.subscriptions import MEMBER_LEFT

PLUGIN = Plugin(
    id="oauth",
    name="Connected apps",
    version="0.1.0",
    description="Lets apps of others act for a person, as far as that person allows (OAuth 2.1).",
    requires=("identity", "notifications"),
)


async def forget_leaver(call: EventCall) -> None:
    """Ends what somebody allowed in a team that they have left; the tokens went with the membership."""
    user_id, origin = call.payload.user_id, call.origin
    actor = Actor("system", org_id=origin.org_id, team_id=origin.team_id)
    credentials = call.host.service(Credentials)
    async with call.host.data.write(actor) as writer:
        for row in await writer.all(sql.ids_of_person, user_id=user_id, team_id=origin.team_id):
            await grants.lock(writer, row["id"])
            await grants.forget(writer, credentials, origin.team_id, origin.org_id, row["id"])


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_credential_kinds() -> Sequence[CredentialKind]:
    return (grants.KIND,)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (grants.ACCESS_TTL,)


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (CONNECTED,)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    doc = "Ends what somebody allowed in a team that they have left."
    return (Subscription(name="leavers", event=MEMBER_LEFT.name, handler=forget_leaver, doc=doc),)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen("consent", "/oauth/authorize", "oauth.consent_title", "plug", ""),
        Screen("connected-apps", "/account/apps", "oauth.title", "plug", "account", order=30),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="oauth", folder=Path(__file__).with_name("texts")),)
