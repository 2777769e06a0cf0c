"""API tokens of the caller's team."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.identity.schemas import check_names
from guildhall_sdk import (
    Call,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Reply,
    Writer,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.principal import CredentialKind, Roles
from guildhall_sdk.services.identity import ApiToken, Credentials, NewToken

DEFAULT_TTL = 90 * 24 * 3600
API = "api"
MANAGE = "settings:manage"


async def issue_token(call: Call) -> Reply:
    who, body = call.principal, call.body
    _check_manager(who)
    if (kind := body.get("kind", API)) != API:
        return await _issue_other(call, kind)
    call.require(MANAGE)
    scope = sorted(set(body["scope"])) if "scope" in body else None
    check_names(body, "name")
    roles = call.service(Roles)
    roles.check_names(body.get("scope", ()), "/scope")
    _check_scope(who, scope, roles)
    wanted = _end(body.get("ttl", DEFAULT_TTL), call.now_ms)
    ends = who.credential.bound_end(wanted, asked="ttl" in body)
    async with call.write() as writer:
        issued = await call.service(Credentials).issue(
            writer,
            NewToken(
                kind="api",
                user_id=who.user_id,
                team_id=who.team_id,
                expires_at=ends,
                scope=scope,
                name=body.get("name"),
                made_with=who.credential,
            ),
        )
        expires_at = rfc3339_or_none(issued.expires_at)
        detail = {"name": body.get("name"), "scope": scope, "expires_at": expires_at}
        writer.audit("token.issued", ("token", issued.id), detail=detail)
    answer = {
        "id": issued.id,
        "token": issued.token,
        "name": body.get("name"),
        "scope": scope,
        "expires_at": expires_at,
    }
    return created(answer, f"/api/tokens/{issued.id}", secret_id=issued.id)


def _check_manager(who: Principal) -> None:
    """Refuses who manages neither the team nor the company; of these the kind of the token decides."""
    if not (who.may(MANAGE) or who.may("org:manage")):
        raise PermissionDenied(MANAGE)


async def _issue_other(call: Call, kind: str) -> Reply:
    """Has the plugin that declares the kind issue the token."""
    kinds = {one.name: one.issue for one in call.service(Plugins).declared(CredentialKind) if one.issue}
    issue = kinds.get(kind)
    if issue is None:
        raise InvalidRequest.at("/kind", f"is one of {', '.join([API, *sorted(kinds)])}")
    reply: Reply = await issue(call)
    return reply


def _check_scope(who: Principal, scope: Sequence[str] | None, roles: Roles) -> None:
    """Refuses a scope that is wider than that of the credential which asks for it."""
    own = who.credential.scope
    if own is not None and (beyond := set(roles.permissions if scope is None else scope) - own):
        missing = min(beyond)
        raise PermissionDenied(missing, f"A token within your own scope cannot hold {missing}; narrow it.")


def _end(ttl: int | str, now_ms: int) -> int | None:
    return None if ttl == "never" else now_ms + int(ttl) * 1000


async def list_tokens(call: Call) -> Reply:
    before, limit = page_bounds(call.query)
    async with call.read() as reader:
        tokens = await call.service(Credentials).api_tokens(reader, call.principal.team_id, before, limit)
        items: Sequence[dict[str, Any]] = [_public(token) for token in tokens]
        for kind in call.service(Plugins).declared(CredentialKind):
            if kind.listed is not None:
                items = await kind.listed(call, reader, items, before, limit)
    visible, cursor = cut_page(sorted(items, key=_id_of, reverse=True), limit, _id_of)
    return page(visible, cursor)


def _id_of(item: dict[str, Any]) -> str:
    return str(item["id"])


def _public(token: ApiToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "kind": API,
        "name": token.name,
        "scope": token.scope,
        "user": {"id": token.user_id, "username": token.username},
        "created_at": rfc3339(token.created_at),
        "expires_at": rfc3339_or_none(token.expires_at),
    }


async def revoke_token(call: Call) -> Reply:
    token_id = call.params["id"]
    async with call.write() as writer:
        if not await _revoke(call, writer, token_id):
            raise NotFound
        writer.audit("token.revoked", ("token", token_id))
    return no_content()


async def _revoke(call: Call, writer: Writer, token_id: str) -> bool:
    _check_manager(call.principal)
    for kind in call.service(Plugins).declared(CredentialKind):
        if kind.revoke is not None and await kind.revoke(call, writer, token_id):
            return True
    call.require(MANAGE)
    return await call.service(Credentials).revoke_api_token(writer, call.principal.team_id, token_id)
