"""The rows of OAuth, and a connected app for the conformance tests, made through the front door."""

import base64
import hashlib
from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qs, urlencode, urlsplit

from builtin_plugins.oauth.redirects import MAX_ADDRESSES, MAX_CHARACTERS, refusal
from guildhall_sdk import PAGE_QUERY, Auth, Body, Factory, Route, SampleClient
from guildhall_sdk.schema import (
    array,
    enum,
    integer,
    listing,
    nullable,
    obj,
    permissions,
    shape,
    string,
    time,
)

_ADDRESS = "https://app.example/callback"
_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
_MAX_FORM = 16 * 1024

REGISTRATION = shape(
    {
        "redirect_uris": array(string(max_length=MAX_CHARACTERS), minItems=1, maxItems=MAX_ADDRESSES),
        "client_name": string(max_length=128),
    },
    optional=("client_name",),
    additionalProperties=True,  # RFC 7591 has many more, and those that are not known are passed over
    examples=[{"redirect_uris": [_ADDRESS], "client_name": "My editor"}],
)
REGISTERED = shape(
    {
        "client_id": string(),
        "client_id_issued_at": integer(),
        "client_name": string(),
        "redirect_uris": array(string()),
        "token_endpoint_auth_method": enum("none"),
    }
)
SERVER = shape(
    {
        "issuer": string(),
        "authorization_endpoint": string(),
        "token_endpoint": string(),
        "registration_endpoint": string(),
        "revocation_endpoint": string(),
        "scopes_supported": array(string()),
        "code_challenge_methods_supported": array(string()),
    }
)
RESOURCE = shape(
    {"resource": string(), "authorization_servers": array(string()), "scopes_supported": array(string())}
)
TOKENS = shape(
    {
        "access_token": string(),
        "token_type": enum("Bearer"),
        "expires_in": integer(1),
        "refresh_token": string(),
        "scope": string(),
    }
)
_ASKED = {
    "client_id": string(max_length=64),
    "redirect_uri": string(max_length=MAX_CHARACTERS),
    "response_type": string(max_length=32),
    "code_challenge": string(max_length=128),
    "code_challenge_method": string(max_length=16),
    "scope": string(max_length=8192, description="Names of permissions; those of a member unless told"),
    "state": string(max_length=2048),
    "resource": string(max_length=1024),
}
_NEEDED = ("client_id", "redirect_uri", "response_type")
_EXAMPLE = {
    "client_id": "app_1",
    "redirect_uri": _ADDRESS,
    "response_type": "code",
    "code_challenge": _CHALLENGE,
    "code_challenge_method": "S256",
}
ASKED = obj(_ASKED, required=_NEEDED, example=_EXAMPLE)
DECISION = obj(
    {
        **_ASKED,
        "decision": enum("allow", "deny"),
        "permissions": permissions(description="Those of the asked ones that are allowed; all unless told"),
    },
    required=[*_NEEDED, "decision"],
    example={**_EXAMPLE, "decision": "allow"},
)
CONSENT = shape(
    {
        "client": shape({"id": string(), "name": string()}),
        "answers_to": nullable(string(description="The host that is told; null for one's own machine")),
        "permissions": array(shape({"name": string(), "description": string()})),
        "team": shape({"id": string(), "name": string()}),
    }
)
APP = shape(
    {
        "id": string(),
        "name": string(),
        "scope": array(string()),
        "user": shape({"id": string(), "username": string()}),
        "team": shape({"id": string(), "name": string()}),
        "created_at": time(),
        "last_used_at": nullable(time()),
    }
)
#: Of programs, which pages of other origins may be.
_open: Callable[..., Route] = partial(Route, auth=Auth.PUBLIC, cors=True, refusal=refusal)

ROUTES = (
    _open(
        "GET",
        "/.well-known/oauth-authorization-server",
        "describe_oauth_server",
        "Where programs ask to act for somebody, as RFC 8414 has it.",
        reply=SERVER,
    ),
    _open(
        "GET",
        "/.well-known/oauth-protected-resource",
        "describe_protected_api",
        "Who gives tokens for the API, as RFC 9728 has it.",
        reply=RESOURCE,
    ),
    _open(
        "GET",
        "/.well-known/oauth-protected-resource/api/mcp/server",
        "describe_protected_mcp",
        "Who gives tokens for the MCP server, as RFC 9728 has it.",
        reply=RESOURCE,
    ),
    _open(
        "POST",
        "/oauth/register",
        "register_app",
        "Register a program, as RFC 7591 has it; it keeps no secret, and is forgotten in a week unless "
        "somebody allows it something.",
        body=REGISTRATION,
        reply=REGISTERED,
        status=201,
        limit=30,
    ),
    _open(
        "POST",
        "/oauth/token",
        "give_tokens",
        "Tokens for a code or for a refresh token, each of which is good once; a form.",
        body_kind=Body.WHOLE,
        reply=TOKENS,
        max_body=_MAX_FORM,
        limit=300,
    ),
    _open(
        "POST",
        "/oauth/revoke",
        "revoke_tokens",
        "End all that came of a token, as RFC 7009 has it; a form.",
        body_kind=Body.WHOLE,
        reply=shape({}),
        max_body=_MAX_FORM,
        limit=300,
    ),
    Route(
        "POST",
        "/api/oauth/consent/check",
        "show_consent",
        "What a program asks for, in the words of the permissions that the caller could give it.",
        body=ASKED,
        reply=CONSENT,
        session_only=True,
        refusal=refusal,
    ),
    Route(
        "POST",
        "/api/oauth/consent",
        "decide_consent",
        "Allow or refuse what a program asks for, in the team of this session; gives the address to go to.",
        body=DECISION,
        reply=shape({"redirect_to": string()}),
        session_only=True,
        refusal=refusal,
    ),
    Route(
        "GET",
        "/api/connected-apps",
        "list_connected_apps",
        "The programs that the caller allowed something in this team; with everybody those of the whole "
        "team, for settings:manage, and with company those of all its teams, for org:manage.",
        query={
            **PAGE_QUERY,
            "everybody": enum("0", "1", default="0"),
            "company": enum("0", "1", default="0"),
        },
        reply=listing(APP),
    ),
    Route(
        "DELETE",
        "/api/connected-apps/:id",
        "disconnect_app",
        "End what a program was allowed, with all its tokens: one's own, with settings:manage the team's, or "
        "with company and org:manage another team's.",
        query={"company": enum("0", "1", default="0")},
        status=204,
        unscoped=True,
        while_suspended=True,
    ),
)


async def make_app(client: SampleClient, canary: str) -> str:
    _, registered = await client.call(
        "POST", "/oauth/register", {"redirect_uris": [_ADDRESS], "client_name": canary[:100]}
    )
    verifier = hashlib.sha256(canary.encode()).hexdigest()
    hashed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    asked = {
        "client_id": registered["client_id"],
        "redirect_uri": _ADDRESS,
        "response_type": "code",
        "code_challenge": hashed,
        "code_challenge_method": "S256",
        "decision": "allow",
    }
    _, decided = await client.call("POST", "/api/oauth/consent", asked)
    code = parse_qs(urlsplit(decided["redirect_to"]).query)["code"][0]
    form = {
        "grant_type": "authorization_code",
        "client_id": registered["client_id"],
        "code": code,
        "code_verifier": verifier,
        "redirect_uri": _ADDRESS,
    }
    await client.call("POST", "/oauth/token", urlencode(form).encode())
    _, listed = await client.call("GET", "/api/connected-apps")
    return str(listed["items"][0]["id"])


FACTORIES = (Factory("/api/connected-apps/:id", make_app),)
