"""SCIM 2.0: a company's directory keeps its people and groups here, and whom it lets go is out at once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from builtin_plugins.scim import tokens
from builtin_plugins.scim.routes import FACTORIES, HANDLERS, ROUTES
from guildhall_sdk import Call, Factory, Host, Migrations, Plugin, Reply, Route, hookimpl
from guildhall_sdk.principal import CredentialKind, SignIn, SignInRequest
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="scim",
    name="SCIM",
    version="0.1.0",
    description="SCIM 2.0: a company's directory keeps its people and groups.",
    requires=("companies", "identity"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_credential_kinds() -> Sequence[CredentialKind]:
    return (tokens.KIND,)


@hookimpl
async def decide_principal(request: SignInRequest, host: Host) -> SignIn | None:
    return await tokens.sign_in(request, host)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    title = "scim.title"
    return (
        Screen(
            "directory",
            "/company/directory",
            title,
            "users",
            "company",
            order=45,
            permission=tokens.MANAGE,
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="scim", folder=Path(__file__).with_name("texts")),)
