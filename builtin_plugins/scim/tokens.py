"""Tokens of directories: good for SCIM of one company alone, and no longer than who made them stays."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    Reader,
    Reply,
    Row,
    Writer,
    created,
    cut_page,
    load_queries,
    new_id,
    no_content,
    page,
    page_bounds,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.principal import CredentialKind, SignIn, SignInRequest
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.sign_in import check_step_up

sql = load_queries(Path(__file__).with_name("queries.sql"))

MANAGE = "org:manage"
PREFIX = "/scim/v2"
_FORM = re.compile(r"gscim_[A-Za-z0-9_-]{43}")
_BEARER = "bearer "
_YEAR_SECONDS = 365 * 24 * 3600
_MAX_TOKENS = 20
_SHOWN_CHARACTERS = 10
# When it was used is known about as well as this: a directory that asks much writes little.
_USE_MS = 5 * 60 * 1000


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def issue(call: Call) -> Reply:
    """Issues a token; it acts for its maker, in the team that they act in now."""
    call.require(MANAGE)
    who, body = call.principal, call.body
    if "scope" in body:
        raise InvalidRequest.at("/scope", "is nothing that a token of a directory has; leave it out")
    ttl = body.get("ttl", _YEAR_SECONDS)
    wanted = None if ttl == "never" else call.now_ms + int(ttl) * 1000
    expires_at = who.credential.bound_end(wanted, asked="ttl" in body)
    token, token_id = f"gscim_{secrets.token_urlsafe(32)}", new_id("scimtok", call.now_ms)
    async with call.write() as writer:
        await check_step_up(call, writer)
        await writer.serialize(f"scim-tokens:{who.org_id}")
        if await writer.value(sql.count_tokens, org_id=who.org_id) >= _MAX_TOKENS:
            raise Conflict(
                f"A company has at most {_MAX_TOKENS} of these tokens; revoke one.", code="too_many"
            )
        await writer.run(
            sql.insert_token,
            id=token_id,
            org_id=who.org_id,
            team_id=who.team_id,
            user_id=who.user_id,
            token_hash=_hash(token),
            prefix=token[:_SHOWN_CHARACTERS],
            name=body.get("name"),
            made_with=await call.service(Credentials).hold_maker(writer, who.credential),
            now=call.now_ms,
            expires_at=expires_at,
        )
        detail = {"name": body.get("name"), "expires_at": rfc3339_or_none(expires_at)}
        writer.audit("scim_token.issued", ("scim_token", token_id), detail=detail)
    answer = {
        "id": token_id,
        "token": token,
        "kind": KIND.name,
        "name": body.get("name"),
        "scope": [MANAGE],
        "expires_at": rfc3339_or_none(expires_at),
        "url": call.host.settings.base_url + PREFIX,
    }
    return created(answer, f"/api/tokens/{token_id}", secret_id=token_id)


async def revoke(call: Call, writer: Writer, token_id: str) -> bool:
    """Revokes a token of the caller's company; nobody learns of it who may not."""
    who = call.principal
    if not who.may(MANAGE):
        return False
    if await writer.one(sql.delete_token, id=token_id, org_id=who.org_id) is None:
        return False
    writer.audit("scim_token.revoked", ("scim_token", token_id))
    return True


async def listed(
    call: Call, reader: Reader, items: Sequence[dict[str, Any]], before: str | None, limit: int
) -> Sequence[dict[str, Any]]:
    """Adds the company's tokens of directories, for who manages the company."""
    if not call.principal.may(MANAGE):
        return items
    rows = await reader.all(sql.tokens, org_id=call.principal.org_id, before=before, limit=limit)
    return [*items, *({**_public(row), "kind": KIND.name, "scope": [MANAGE]} for row in rows)]


KIND = CredentialKind(
    name="scim",
    description="A directory that keeps a company's people",
    issue=issue,
    revoke=revoke,
    listed=listed,
)


async def list_tokens(call: Call) -> Reply:
    before, limit = page_bounds(call.query)
    async with call.read() as reader:
        rows = await reader.all(sql.tokens, org_id=call.principal.org_id, before=before, limit=limit)
    shown, cursor = cut_page(rows, limit, lambda row: row["id"])
    return page([_public(row) for row in shown], cursor)


def _public(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["name"],
        "prefix": row["prefix"],
        "user": {"id": row["user_id"], "username": row["username"]},
        "created_at": rfc3339(row["created_at"]),
        "last_used_at": rfc3339_or_none(row["last_used_at"]),
        "expires_at": rfc3339_or_none(row["expires_at"]),
    }


async def delete_token(call: Call) -> Reply:
    async with call.write() as writer:
        if not await revoke(call, writer, call.params["id"]):
            raise NotFound
    return no_content()


async def sign_in(request: SignInRequest, host: Host) -> SignIn | None:
    """Returns who a directory acts for; its token opens nothing but SCIM."""
    given = request.headers.get("authorization", "")
    token = given[len(_BEARER) :].strip() if given.lower().startswith(_BEARER) else ""
    if not token.startswith("gscim_"):
        return None
    if not request.path.startswith(f"{PREFIX}/"):
        raise Unauthenticated("A directory's token opens /scim/v2 alone.")
    row = await _find(host, token)
    now = host.clock.now_ms()
    if row is None or (row["expires_at"] is not None and row["expires_at"] <= now):
        raise Unauthenticated("This token is unknown, expired or revoked; make another.")
    if row["last_used_at"] is None or now - row["last_used_at"] >= _USE_MS:
        actor = Actor("system", org_id=row["org_id"], team_id=row["team_id"])
        async with host.data.write(actor) as writer:
            await writer.run(sql.note_use, id=row["id"], org_id=row["org_id"], now=now)
    return SignIn(
        user_id=row["user_id"],
        team=row["team_id"],
        scope=[MANAGE],
        kind=KIND.name,
        expires_at=row["expires_at"],
    )


async def _find(host: Host, token: str) -> Row | None:
    if _FORM.fullmatch(token) is None:
        return None
    async with host.data.read() as reader:
        return await reader.one(sql.token_by_hash, token_hash=_hash(token))
