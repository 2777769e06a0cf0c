"""OpenID Connect: people of a company come in by its own sign-in server."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.oidc.flow import callback, end_by_provider, start
from builtin_plugins.oidc.kind import KIND
from builtin_plugins.oidc.provider import Providers
from guildhall_sdk import Auth, Body, Factory, Host, Plugin, Route, SampleClient, hookimpl
from guildhall_sdk.schema import shape
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.sign_in import SignInKind

PLUGIN = Plugin(
    id="oidc",
    name="OpenID Connect",
    version="0.1.0",
    description="Signing in by OpenID Connect, at a server that a company chooses.",
    requires=("sign-in", "outbound"),
)

ROUTES = (
    Route(
        "GET",
        "/api/auth/oidc/:id/start",
        start,
        "Begin to sign in at a company's sign-in server: sends the browser there.",
        auth=Auth.PUBLIC,
        status=303,
        limit=120,
    ),
    Route(
        "GET",
        "/api/auth/oidc/:id/callback",
        callback,
        "Come back from a company's sign-in server: sends the browser to /login, with #token= or #error=.",
        auth=Auth.PUBLIC,
        query=None,
        status=303,
        while_suspended=True,
        limit=120,
    ),
    Route(
        "POST",
        "/api/auth/oidc/:id/backchannel-logout",
        end_by_provider,
        "Take a logout token of a company's sign-in server, and end the sessions of whom it names.",
        auth=Auth.PUBLIC,
        body_kind=Body.WHOLE,
        reply=shape({}),
        while_suspended=True,
        limit=600,
    ),
)


async def make_way(client: SampleClient, canary: str) -> str:
    body = {
        "kind": "oidc",
        "label": canary,
        "issuer": "https://id.example.invalid",
        "client_id": "guildhall",
        "client_secret": "from the provider",
    }
    _, answer = await client.call("POST", "/api/org/sign-in", body)
    return str(answer["id"])


@hookimpl
def declare_sign_in_kinds() -> Sequence[SignInKind]:
    return (KIND,)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Providers: Providers}


@hookimpl
def declare_factories() -> Sequence[Factory]:
    # Whoever comes to sign in is a stranger yet: the address of a way is no secret of its company.
    return (Factory("/api/auth/oidc/:id", make_way, tenant=False),)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="oidc", folder=Path(__file__).with_name("texts")),)
