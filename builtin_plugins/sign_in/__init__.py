"""Signing in elsewhere: the ways that companies set up, who comes in by them, and as what."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.sign_in.routes import COMPANY, FACTORIES, INSTANCE, ROUTES
from builtin_plugins.sign_in.service import StoredWays
from guildhall_sdk import Factory, Host, Migrations, Plugin, Route, hookimpl
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.sign_in import SignInKind, SignInWays
from libs.names import identifier_fault

PLUGIN = Plugin(
    id="sign-in",
    name="Single sign-on",
    version="0.1.0",
    description="The ways to sign in that companies set up, who comes in by them, and as what.",
    requires=("companies", "identity"),
)


def kind_fault(kind: SignInKind, declarer: Declarer) -> str | None:
    """Returns what is wrong with a kind of way to sign in, or None."""
    if (fault := identifier_fault("kind of way to sign in", kind.name)) is not None:
        return fault
    strangers = {*kind.required, *kind.secrets, *kind.anchors} - set(kind.fields or ())
    if strangers:
        return f"way to sign in {kind.name}: {min(strangers)} is none of its fields"
    return None


class SignInWayHooks(Protocol):
    """The hook of the plugin `sign-in`."""

    @declares(SignInKind, label="kind of way to sign in", name="name")
    def declare_sign_in_kinds(self) -> Sequence[SignInKind]:
        """Declares kinds of ways to sign in, which companies set up, or which everybody is offered."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(SignInWayHooks, declare_sign_in_kinds=kind_fault),)


@hookimpl
def declare_sign_in_kinds() -> Sequence[SignInKind]:
    return (SignInKind(name="password"),)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {SignInWays: StoredWays}


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    title, icon = "signin.title", "log-in"
    domains, at = "signin.domains", "at-sign"
    company, instance = partial(_screen, "company", COMPANY), partial(_screen, "instance", INSTANCE)
    return (
        company("company-ways", "/company/sign-in", title, icon, order=40),
        company("company-domains", "/company/domains", domains, at, order=41),
        instance("instance-ways", "/instance/sign-in", title, icon, order=60),
        instance("instance-domains", "/instance/domains", domains, at, order=61),
    )


def _screen(
    group: str, permission: str, name: str, path: str, title: str, icon: str, *, order: int
) -> Screen:
    return Screen(name, path, title, icon, group, order=order, permission=permission)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="sign-in", folder=Path(__file__).with_name("texts")),)
