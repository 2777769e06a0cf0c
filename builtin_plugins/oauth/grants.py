"""Tokens of what was allowed: exchanged once, rotated, and all ended where one is used twice."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.oauth.clients import sql
from builtin_plugins.oauth.consent import check_resource, digest, stamp_of
from builtin_plugins.oauth.redirects import OAuthRefused
from guildhall_sdk import (
    Actor,
    Call,
    Host,
    NotFound,
    Reader,
    Row,
    Setting,
    Writer,
    new_id,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.plugin import Features
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.services.identity import Credentials, NewToken
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.settings import seconds
from libs.records import record_of

ACCESS_TTL = Setting(
    name="access_ttl",
    help="how long an access token of a connected app is good before it is refreshed, in seconds",
    default=3600,
    parse=seconds,
)
REFRESH_MS = 30 * 24 * 3600 * 1000
#: So many access tokens of one grant live at once; of so many pairs it is noticed that one was used before.
MAX_LIVE = 5
MAX_REMEMBERED = 100
_PREFIX = "ghr_"


@dataclass(frozen=True, slots=True)
class Grant:
    """What a person allowed a program in one team."""

    id: str
    org_id: str
    team_id: str
    user_id: str
    client_id: str
    scope: str
    redirect_uri: str
    challenge: str
    code_until: int
    exchanged: int
    created_at: int
    used_at: int | None
    client_name: str
    stamp: str | None
    username: str
    team_name: str

    def public(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.client_name,
            "scope": json.loads(self.scope),
            "user": {"id": self.user_id, "username": self.username},
            "team": {"id": self.team_id, "name": self.team_name},
            "created_at": rfc3339(self.created_at),
            "last_used_at": rfc3339_or_none(self.used_at),
        }

    def actor(self, request_id: str | None = None) -> Actor:
        return Actor(self.username, self.user_id, self.org_id, self.team_id, request_id)


def invalid_grant(detail: str) -> OAuthRefused:
    return OAuthRefused("invalid_grant", detail)


async def listed(
    call: Call, reader: Reader, items: Sequence[dict[str, Any]], before: str | None, limit: int
) -> Sequence[dict[str, Any]]:
    """Says of which of these tokens an app has them."""
    ids = json.dumps([item["id"] for item in items])
    rows = await reader.all(sql.of_apps, org_id=call.principal.org_id, ids=ids)
    theirs = {row["access_id"] for row in rows}
    return [{**item, "kind": KIND.name} if item["id"] in theirs else item for item in items]


async def end_all(host: Host, writer: Writer, user_id: str) -> None:
    """Ends what somebody allowed by the password that they had until now."""
    for row in await writer.all(sql.allowed_with_password, user_id=user_id):
        grant = record_of(Grant, row)
        await lock(writer, grant.id)
        await _end(writer, host, grant, "password_changed", grant.actor())


KIND = CredentialKind(
    name="oauth", description="An app that a person connected", listed=listed, end_all=end_all
)


async def lock(writer: Writer, grant_id: str) -> None:
    """Has one request at a time work on a grant."""
    await writer.serialize(f"oauth-grant:{grant_id}")


async def find(writer: Writer, row: Row | None) -> Grant | None:
    return None if row is None else record_of(Grant, row)


async def exchange(writer: Writer, call: Call, given: Mapping[str, str]) -> dict[str, Any] | OAuthRefused:
    """Gives tokens for a code; a refusal after which something ended is returned, to be raised behind it."""
    found = await find(writer, await writer.one(sql.by_code, code_hash=digest(given["code"])))
    if found is None:
        raise invalid_grant("This code is unknown or has lapsed; begin again.")
    await lock(writer, found.id)
    grant = await find(writer, await writer.one(sql.by_id, id=found.id, org_id=found.org_id))
    if grant is None:
        raise invalid_grant("This code is unknown or has lapsed; begin again.")
    if grant.exchanged:
        await end(writer, call, grant, "code_reused")
        return invalid_grant("This code was used before; all that came of it has ended. Begin again.")
    if grant.client_id != given["client_id"]:
        raise invalid_grant("This code was given to another app.")
    if grant.redirect_uri != given.get("redirect_uri"):
        raise invalid_grant("The redirect_uri is not the one that the code was asked for with.")
    if call.now_ms >= grant.code_until:
        raise invalid_grant("This code has lapsed; begin again.")
    if not _proves(given.get("code_verifier", ""), grant.challenge):
        raise invalid_grant("The code_verifier does not fit the code_challenge.")
    check_resource(call.host, given.get("resource"))
    await _check_standing(writer, call, grant)
    if await writer.one(sql.exchange, id=grant.id, org_id=grant.org_id, now=call.now_ms) is None:
        raise invalid_grant("This code was used before; begin again.")
    return await _issue(writer, call, grant, json.loads(grant.scope))


def _proves(verifier: str, challenge: str) -> bool:
    if not 43 <= len(verifier) <= 128 or not verifier.isascii():
        return False
    hashed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    return hmac.compare_digest(hashed, challenge)


async def refresh(writer: Writer, call: Call, given: Mapping[str, str]) -> dict[str, Any] | OAuthRefused:
    """Gives a new pair of tokens for the one that refreshes; one that was used before ends the grant."""
    hashed = digest(given["refresh_token"])
    row = await writer.one(sql.by_refresh_token, hash=hashed)
    if row is None:
        raise invalid_grant("This refresh token is unknown or was revoked; begin again.")
    await lock(writer, row["grant_id"])
    grant = await find(writer, await writer.one(sql.by_id, id=row["grant_id"], org_id=row["org_id"]))
    if grant is None:
        raise invalid_grant("What this refresh token stands for was revoked; begin again.")
    if grant.client_id != given["client_id"]:
        raise invalid_grant("This refresh token was given to another app.")
    if call.now_ms >= row["until"]:
        raise invalid_grant("This refresh token has lapsed; begin again.")
    scope = _narrowed(json.loads(grant.scope), given.get("scope"))
    check_resource(call.host, given.get("resource"))
    if await writer.one(sql.use_refresh_token, hash=hashed) is None:
        await end(writer, call, grant, "refresh_token_reused")
        return invalid_grant(
            "This refresh token was used before; all that came of it has ended. Begin again."
        )
    await _check_standing(writer, call, grant)
    if grant.stamp is not None and grant.stamp != await stamp_of(writer, call.host, grant.user_id):
        await end(writer, call, grant, "password_changed")
        return invalid_grant("The person has another password since; ask them to connect the app again.")
    credentials = call.service(Credentials)
    if await credentials.api_token(writer, grant.team_id, row["access_id"]) is None:
        await end(writer, call, grant, "access_token_revoked")
        return invalid_grant("The access token of this was revoked; begin again.")
    await writer.one(sql.note_use, id=grant.id, org_id=grant.org_id, now=call.now_ms)
    return await _issue(writer, call, grant, scope)


async def _check_standing(reader: Reader, call: Call, grant: Grant) -> None:
    """Raises while the person or the company is suspended: what they allowed waits for them as they do."""
    directory = call.service(Directory)
    user, org = await directory.user(reader, grant.user_id), await directory.org(reader, grant.org_id)
    if user is None or user.suspended_at is not None:
        raise invalid_grant("The account of the person is suspended; ask who manages their company.")
    if org is None or org.suspended_at is not None:
        raise invalid_grant("The company is suspended; ask who operates this server.")


def _narrowed(held: Sequence[str], asked: str | None) -> Sequence[str]:
    if asked is None:
        return held
    wanted = [*dict.fromkeys(asked.split())]
    if not wanted or not set(wanted) <= set(held):
        raise OAuthRefused("invalid_scope", "This asks for more than what was allowed.")
    return wanted


async def _issue(writer: Writer, call: Call, grant: Grant, scope: Sequence[str]) -> dict[str, Any]:
    now, credentials, lasts = call.now_ms, call.service(Credentials), call.setting(ACCESS_TTL)
    if not (await call.service(Features).of_team(writer, grant.team_id)).plugin("oauth"):
        raise invalid_grant("Connected apps are off for this team; ask who manages it.")
    try:
        access = await credentials.issue(
            writer,
            NewToken(
                kind="api",
                user_id=grant.user_id,
                team_id=grant.team_id,
                expires_at=now + lasts * 1000,
                scope=scope,
                name=grant.client_name,
            ),
        )
    except NotFound:
        raise invalid_grant("The person is not in the team any more.") from None
    token = _PREFIX + secrets.token_urlsafe(32)
    await writer.run(
        sql.insert_tokens,
        token_hash=digest(token),
        id=new_id("pair", now),
        grant_id=grant.id,
        org_id=grant.org_id,
        access_id=access.id,
        access_hash=digest(access.token),
        access_until=now + lasts * 1000,
        until=now + REFRESH_MS,
    )
    for pair in (await writer.all(sql.tokens_of_grant, grant_id=grant.id, limit=2 * MAX_LIVE))[MAX_LIVE:]:
        await credentials.revoke_api_token(writer, grant.team_id, pair["access_id"])
    await writer.run(sql.forget_tokens, grant_id=grant.id, kept=MAX_REMEMBERED)
    return {
        "access_token": access.token,
        "token_type": "Bearer",
        "expires_in": lasts,
        "refresh_token": token,
        "scope": " ".join(scope),
    }


async def end(writer: Writer, call: Call, grant: Grant, because: str, actor: Actor | None = None) -> None:
    """Ends a grant with all its tokens, and records why."""
    await _end(writer, call.host, grant, because, actor or grant.actor(call.request_id))


async def _end(writer: Writer, host: Host, grant: Grant, because: str, actor: Actor) -> None:
    await forget(writer, host.service(Credentials), grant.team_id, grant.org_id, grant.id)
    detail = {"client": grant.client_name, "client_id": grant.client_id, "because": because}
    writer.audit("app.disconnected", ("app", grant.id), detail=detail, actor=actor)


async def forget(writer: Writer, credentials: Credentials, team_id: str, org_id: str, grant_id: str) -> None:
    for pair in await writer.all(sql.tokens_of_grant, grant_id=grant_id, limit=2 * MAX_LIVE):
        await credentials.revoke_api_token(writer, team_id, pair["access_id"])
    await writer.run(sql.delete_tokens, grant_id=grant_id)
    await writer.one(sql.delete_grant, id=grant_id, org_id=org_id)
