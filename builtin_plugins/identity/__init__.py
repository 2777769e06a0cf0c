"""Identity: signing in, two-factor, members, profile and API tokens."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, get_args

from builtin_plugins.identity import throttle
from builtin_plugins.identity.commands import COMMANDS
from builtin_plugins.identity.emails import CHANGED, StoredEmails
from builtin_plugins.identity.handlers import HANDLERS
from builtin_plugins.identity.handlers.members import ROLE_CHANGED
from builtin_plugins.identity.login import SETTINGS, OtherSignIns, SealedTickets
from builtin_plugins.identity.places import NEW_PLACE
from builtin_plugins.identity.routes import FACTORIES, ROUTES
from builtin_plugins.identity.schemas import password_fault
from guildhall_sdk import (
    Call,
    Command,
    Event,
    Factory,
    Host,
    Migrations,
    Permission,
    Plugin,
    Principal,
    Reader,
    Reply,
    Route,
    Setting,
    hookimpl,
)
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.principal import CredentialKind, TokenKind
from guildhall_sdk.services.identity import Credentials, SignIns, Tickets
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import JOINED, Emails, NotificationKind
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.subscriptions import MEMBER_JOINED, MEMBER_LEFT
from libs.names import identifier_fault

PLUGIN = Plugin(
    id="identity",
    name="Identity",
    version="0.1.0",
    description="Signing in, two-factor, members, profile and API tokens.",
    requires=("quotas",),
    essential=True,
)


PERMISSIONS = (
    Permission(
        name="members:manage", description="Add, change and remove members of the team", roles=["admin"]
    ),
)


#: The tokens, and what a job acts with.
_KERNELS = frozenset({*get_args(TokenKind), "job"})


def credential_kind_fault(kind: CredentialKind, declarer: Declarer) -> str | None:
    """Returns what is wrong with a kind of credential, or None."""
    if (fault := identifier_fault("kind of credential", kind.name)) is not None:
        return fault
    if kind.name in _KERNELS:
        return f"the kind of credential {kind.name} is the kernel's own"
    if not kind.description:
        return f"kind of credential {kind.name}: say in a line what it is, as its description"
    return None


class SignInHooks(Protocol):
    """The hook of the plugin `identity`."""

    @declares(CredentialKind, label="kind of credential", name="name")
    def declare_credential_kinds(self) -> Sequence[CredentialKind]:
        """Declares kinds of credentials that this plugin keeps or accepts, beside the kernel's tokens."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(SignInHooks, declare_credential_kinds=credential_kind_fault),)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (JOINED, ROLE_CHANGED, NEW_PLACE, CHANGED)


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        Tickets: lambda host: SealedTickets(),
        Emails: lambda host: StoredEmails(),
        SignIns: OtherSignIns,
    }


async def _by_members(host: Host, reader: Reader, principal: Principal, payload: Any) -> bool:
    return True  # every member sees who the others are


@hookimpl
def declare_events() -> Sequence[Event]:
    return tuple(replace(event, readable=_by_members) for event in (MEMBER_JOINED, MEMBER_LEFT))


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
async def on_start(host: Host) -> None:
    """Forgets what ended while nobody was looking."""
    async with host.data.write() as writer:
        await host.service(Credentials).sweep_expired(writer)
        await throttle.sweep(writer, host.clock.now_ms())


@hookimpl
async def decide_password(username: str, password: str) -> str | None:
    return password_fault(username, password)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen("members", "/members", "nav.members", "users", "team", order=10),
        Screen(
            "tokens", "/tokens", "nav.tokens", "key-round", "team", order=20, permission="settings:manage"
        ),
        Screen("account", "/account", "nav.account", "settings-2", "account", order=10),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="identity", folder=Path(__file__).with_name("texts")),)
