"""HTTP in and out: what programs call, and what people decide about them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from builtin_plugins.oauth import clients, grants
from builtin_plugins.oauth.clients import sql
from builtin_plugins.oauth.consent import allow, digest, read_request, scopes_supported
from builtin_plugins.oauth.grants import Grant
from builtin_plugins.oauth.redirects import OAuthRefused
from guildhall_sdk import Actor, Call, NotFound, Reply, cut_page, no_content, page, page_bounds
from guildhall_sdk.services.notifications import Notice, NotificationKind, notify
from libs.records import record_of

CONNECTED = NotificationKind(
    name="oauth.connected", title="oauth.notice_connected", text="oauth.notice_connected_text"
)
MANAGE = "settings:manage"
MANAGE_COMPANY = "org:manage"
MCP = "/api/mcp/server"
_AFTER_ALL = "~"
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_MAX_FIELDS = 20


async def describe_server(call: Call) -> Reply:
    """Returns the metadata of RFC 8414."""
    base_url = call.host.settings.base_url
    return Reply(
        {
            "issuer": base_url,
            "authorization_endpoint": f"{base_url}/oauth/authorize",
            "token_endpoint": f"{base_url}/oauth/token",
            "registration_endpoint": f"{base_url}/oauth/register",
            "revocation_endpoint": f"{base_url}/oauth/revoke",
            "scopes_supported": scopes_supported(call.host),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": True,
        }
    )


async def describe_api(call: Call) -> Reply:
    return _resource(call, "")


async def describe_mcp(call: Call) -> Reply:
    return _resource(call, MCP)


def _resource(call: Call, path: str) -> Reply:
    """Returns the metadata of RFC 9728 for what lies at a path and below it."""
    base_url = call.host.settings.base_url
    return Reply(
        {
            "resource": base_url + path,
            "authorization_servers": [base_url],
            "scopes_supported": scopes_supported(call.host),
            "bearer_methods_supported": ["header"],
            "resource_name": "Guildhall",
        }
    )


async def register(call: Call) -> Reply:
    name, uris = clients.described(call.body)
    async with call.write() as writer:
        made = await clients.register(writer, call, name, uris)
    return Reply(
        made, 201, headers={**_NO_STORE, "Location": f"/oauth/authorize?client_id={made['client_id']}"}
    )


def _form(call: Call) -> Mapping[str, str]:
    """Returns the fields of a form; one that comes twice is refused, as either could be meant."""
    try:
        text = call.body.decode("utf-8")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="strict")
    except ValueError:
        raise OAuthRefused("invalid_request", "Send a form, as application/x-www-form-urlencoded.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise OAuthRefused("invalid_request", "A field stands there twice.")
    if "client_secret" in fields or call.headers.get("authorization", "").lower().startswith("basic "):
        raise OAuthRefused("invalid_client", "Apps have no secret here; send client_id and code_verifier.")
    return fields


def _check_fields(fields: Mapping[str, str], *names: str) -> None:
    for name in names:
        if not fields.get(name):
            raise OAuthRefused("invalid_request", f"{name} is missing.")


async def give_tokens(call: Call) -> Reply:
    fields = _form(call)
    _check_fields(fields, "grant_type", "client_id")
    kind = fields["grant_type"]
    async with call.write() as writer:
        if kind == "authorization_code":
            _check_fields(fields, "code", "code_verifier")
            outcome = await grants.exchange(writer, call, fields)
        elif kind == "refresh_token":
            _check_fields(fields, "refresh_token")
            outcome = await grants.refresh(writer, call, fields)
        else:
            raise OAuthRefused(
                "unsupported_grant_type", "grant_type must be authorization_code or refresh_token."
            )
    if isinstance(outcome, OAuthRefused):
        raise outcome
    return Reply(outcome, headers=_NO_STORE, secret_id=digest(outcome["refresh_token"])[:16])


async def revoke(call: Call) -> Reply:
    """Ends the grant of either token, as RFC 7009 has it; what is unknown has ended already."""
    fields = _form(call)
    _check_fields(fields, "token")
    async with call.write() as writer:
        row = await writer.one(sql.tokens, hash=digest(fields["token"]))
        if row is not None:
            await grants.lock(writer, row["grant_id"])
            found = await writer.one(sql.by_id, id=row["grant_id"], org_id=row["org_id"])
            grant = await grants.find(writer, found)
            if grant is not None and fields.get("client_id", grant.client_id) == grant.client_id:
                await grants.end(writer, call, grant, "revoked_by_app")
    return Reply({}, headers=_NO_STORE)


async def show_request(call: Call) -> Reply:
    async with call.read() as reader:
        asked = await read_request(reader, call, call.body)
    return Reply(asked.public(call.host, call.principal))


async def decide(call: Call) -> Reply:
    """Allows or refuses what a program asks for, for the person and the team of this session."""
    body, who = call.body, call.principal
    async with call.write() as writer:
        asked = await read_request(writer, call, body)
        if body["decision"] == "deny":
            return Reply({"redirect_to": asked.refused(call.host, "access_denied")})
        address = await allow(writer, call, asked, body.get("permissions"))
        notice = Notice(
            kind=CONNECTED,
            org_id=who.org_id,
            people=[who.user_id],
            params={"name": asked.client.name, "team": who.team_name},
            link="/account/apps",
        )
        await notify(call.host, writer, notice)
    return Reply({"redirect_to": address}, secret_id=asked.client.id)


async def list_apps(call: Call) -> Reply:
    """Lists one's own in this team, or all of the team or of the company for who manages these."""
    who = call.principal
    before, limit = page_bounds(call.query)
    binds: dict[str, Any] = {"before": before or _AFTER_ALL, "limit": limit}
    if call.query["company"] == "1":
        call.require(MANAGE_COMPANY)
        statement, owned = sql.of_company, {"org_id": who.org_id}
    elif call.query["everybody"] == "1":
        call.require(MANAGE)
        statement, owned = sql.of_team, {"team_id": who.team_id}
    else:
        statement, owned = sql.of_person, {"team_id": who.team_id, "user_id": who.user_id}
    async with call.read() as reader:
        rows = await reader.all(statement, **owned, **binds)
    visible, cursor = cut_page(rows, limit, lambda row: str(row["id"]))
    return page([record_of(Grant, row).public() for row in visible], cursor)


async def disconnect(call: Call) -> Reply:
    """Ends what an app was allowed: one's own, or in the team or the company for who manages these."""
    who = call.principal
    async with call.write() as writer:
        await grants.lock(writer, call.params["id"])
        row = await writer.one(sql.by_id, id=call.params["id"], org_id=who.org_id)
        grant = await grants.find(writer, row)
        is_own = grant is not None and grant.user_id == who.user_id
        in_team = grant is not None and grant.team_id == who.team_id
        of_company = call.query["company"] == "1" and who.may(MANAGE_COMPANY)
        is_managed = of_company or (in_team and who.may(MANAGE))
        if grant is None or not grant.exchanged or not (is_own or is_managed):
            raise NotFound
        actor = Actor(who.username, who.user_id, who.org_id, grant.team_id, call.request_id)
        await grants.end(writer, call, grant, "disconnected" if is_own else "disconnected_by_admin", actor)
    return no_content()


HANDLERS = {
    "describe_oauth_server": describe_server,
    "describe_protected_api": describe_api,
    "describe_protected_mcp": describe_mcp,
    "register_app": register,
    "give_tokens": give_tokens,
    "revoke_tokens": revoke,
    "show_consent": show_request,
    "decide_consent": decide,
    "list_connected_apps": list_apps,
    "disconnect_app": disconnect,
}
