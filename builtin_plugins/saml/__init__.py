"""SAML 2.0: people of a company come in by its own sign-in server, with assertions that it signed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.saml.flow import MAX_FORM, acs, metadata, start
from builtin_plugins.saml.providers import KIND, Providers
from guildhall_sdk import Auth, Body, Factory, Host, Plugin, Route, SampleClient, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.sign_in import SignInKind

PLUGIN = Plugin(
    id="saml",
    name="SAML",
    version="0.1.0",
    description="Signing in by SAML 2.0, at a server that a company chooses.",
    requires=("sign-in", "outbound"),
)
_SAMPLE = (
    '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://id.example.invalid">'
    '<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
    '<md:KeyDescriptor><ds:X509Certificate xmlns:ds="http://www.w3.org/2000/09/xmldsig#">AAAA'
    "</ds:X509Certificate></md:KeyDescriptor>"
    '<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" '
    'Location="https://id.example.invalid/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>'
)

ROUTES = (
    Route(
        "GET",
        "/api/auth/saml/:id/metadata",
        metadata,
        "What a company's sign-in server needs to know of this one, as SAML metadata.",
        auth=Auth.PUBLIC,
        content_type="application/samlmetadata+xml",
        limit=120,
    ),
    Route(
        "GET",
        "/api/auth/saml/:id/start",
        start,
        "Begin to sign in at a company's sign-in server: sends the browser there.",
        auth=Auth.PUBLIC,
        status=303,
        limit=120,
    ),
    Route(
        "POST",
        "/api/auth/saml/:id/acs",
        acs,
        "Come back from a company's sign-in server: sends the browser to /login, with #token= or #error=.",
        auth=Auth.PUBLIC,
        body_kind=Body.WHOLE,
        max_body=MAX_FORM,
        status=303,
        while_suspended=True,
        limit=120,
    ),
)


async def make_way(client: SampleClient, canary: str) -> str:
    body = {"kind": "saml", "label": canary, "metadata": _SAMPLE}
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
    return (Factory("/api/auth/saml/:id", make_way, tenant=False),)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="saml", folder=Path(__file__).with_name("texts")),)
