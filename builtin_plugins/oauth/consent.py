"""What a program asks for, and what a person allows it: judged when it is shown, and again when allowed."""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.oauth.clients import OAuthClient, find_client, sql
from builtin_plugins.oauth.redirects import OAuthRefused, answer_at, matches, place_of
from guildhall_sdk import Call, Conflict, Host, Principal, Reader, Writer, new_id
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.tenancy import Directory

CODE_MS = 2 * 60 * 1000
MAX_GRANTS = 100
_SWEPT_AT_ONCE = 100
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


def digest(secret: str) -> str:
    """Hashes a code or a token by plain SHA-256: with 256 bits of chance that is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


async def stamp_of(reader: Reader, host: Host, user_id: str) -> str | None:
    """Tells one password of a person from the next, without saying anything of either; None without one."""
    stored = await host.service(Directory).password_hash(reader, user_id)
    return None if stored is None else digest(stored)


def scopes_supported(host: Host) -> list[str]:
    """Returns what members of a team hold: what a program that names nothing else asks for."""
    return sorted(host.service(Roles).held_by("member"))


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that holds, and the part of it that this person could allow."""

    client: OAuthClient
    redirect_uri: str
    challenge: str
    state: str | None
    scope: Sequence[str]

    def public(self, host: Host, who: Principal) -> dict[str, Any]:
        permissions = host.service(Roles).permissions
        shown = [{"name": name, "description": permissions[name].description} for name in self.scope]
        return {
            "client": {"id": self.client.id, "name": self.client.name},
            "answers_to": place_of(self.redirect_uri),
            "permissions": shown,
            "team": {"id": who.team_id, "name": who.team_name},
        }

    def refused(self, host: Host, error: str) -> str:
        """Returns where the program is told that nothing was allowed."""
        answer = {"error": error, "state": self.state, "iss": host.settings.base_url}
        return answer_at(self.redirect_uri, answer)


async def read_request(reader: Reader, call: Call, given: Mapping[str, Any]) -> Asked:
    """Judges what a program asks for; raises `OAuthRefused`, which is shown and sent nowhere."""
    client = await find_client(reader, given["client_id"])
    if client is None:
        raise OAuthRefused("invalid_client", "No app is registered by this client_id; let it register again.")
    if not matches(client.redirect_uris, given["redirect_uri"]):
        raise OAuthRefused("invalid_request", "This redirect_uri is none that the app registered.")
    if given["response_type"] != "code":
        raise OAuthRefused("unsupported_response_type", "response_type must be code.")
    challenge = given.get("code_challenge", "")
    if given.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(challenge):
        raise OAuthRefused("invalid_request", "The app must send a code_challenge with the method S256.")
    check_resource(call.host, given.get("resource"))
    held = call.principal.permissions
    asked = (given.get("scope") or "").split() or scopes_supported(call.host)
    scope = [name for name in dict.fromkeys(asked) if name in held]
    if not scope:
        raise OAuthRefused("invalid_scope", "The app asks for nothing that you may do.")
    return Asked(client, given["redirect_uri"], challenge, given.get("state"), scope)


def check_resource(host: Host, resource: str | None) -> None:
    """Raises for a token that is to be good somewhere else than here."""
    base_url = host.settings.base_url
    if resource is not None and resource != base_url and not resource.startswith(f"{base_url}/"):
        raise OAuthRefused("invalid_target", "This resource is not of this server.")


async def allow(writer: Writer, call: Call, asked: Asked, chosen: Sequence[str] | None) -> str:
    """Allows it, and returns where the program is told the code, which is good once and for two minutes."""
    who, now = call.principal, call.now_ms
    scope = [name for name in asked.scope if chosen is None or name in chosen]
    if not scope:
        raise OAuthRefused("invalid_scope", "Nothing is chosen; allow something, or refuse.")
    await writer.serialize(f"oauth-person:{who.user_id}")
    await writer.run(sql.sweep_pending, now=now, limit=_SWEPT_AT_ONCE)
    if int(await writer.value(sql.count_grants, user_id=who.user_id, team_id=who.team_id)) >= MAX_GRANTS:
        raise Conflict(
            f"You have {MAX_GRANTS} connected apps; disconnect one first.", code="too_many_connected_apps"
        )
    if await writer.one(sql.use_client, id=asked.client.id, now=now) is None:
        raise OAuthRefused("invalid_client", "The app is not registered any more; let it register again.")
    code, grant_id = secrets.token_urlsafe(32), new_id("grant", now)
    await writer.run(
        sql.insert_grant,
        id=grant_id,
        org_id=who.org_id,
        team_id=who.team_id,
        user_id=who.user_id,
        client_id=asked.client.id,
        scope=json.dumps(scope),
        redirect_uri=asked.redirect_uri,
        challenge=asked.challenge,
        code_hash=digest(code),
        code_until=now + CODE_MS,
        stamp=await stamp_of(writer, call.host, who.user_id),
        now=now,
    )
    detail = {"client": asked.client.name, "client_id": asked.client.id, "scope": scope}
    writer.audit("app.connected", ("app", grant_id), detail=detail)
    answer = {"code": code, "state": asked.state, "iss": call.host.settings.base_url}
    return answer_at(asked.redirect_uri, answer)
