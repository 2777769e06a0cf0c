"""Who the caller is, and what they may change about it."""

from functools import lru_cache

from builtin_plugins.identity import throttle
from builtin_plugins.identity.schemas import check_names
from builtin_plugins.identity.throttle import LoginAttempt, hold_own_account
from guildhall_sdk import Call, Forbidden, InvalidRequest, Reply
from guildhall_sdk.services.identity import Credentials, Passwords, Vault
from guildhall_sdk.services.tenancy import Directory
from libs.strict_json import encode_json


async def whoami(call: Call) -> Reply:
    return await call.remembered(_described)


async def _described(call: Call) -> Reply:
    who = call.principal
    async with call.read() as reader:
        teams = await call.service(Directory).teams_of(reader, who.user_id)
    scope = who.credential.scope
    body = {
        "user": {
            "id": who.user_id,
            "username": who.username,
            "display_name": who.display_name,
            "locale": who.locale,
            "two_factor": who.two_factor,
        },
        "team": {"id": who.team_id, "name": who.team_name, "role": who.role},
        "teams": [
            {"id": team.id, "slug": team.slug, "name": team.name, "role": role} for team, role in teams
        ],
        "operator": who.operator,
        "org": {
            "id": who.org_id,
            "slug": who.org_slug,
            "name": who.org_name,
            "suspended": who.org_suspended,
        },
        "org_role": who.org_role,
        "locale": who.locale,
        "permissions": _in_order(who.permissions),
        "credential": {"kind": who.credential.kind, "scope": None if scope is None else _in_order(scope)},
    }
    return Reply(body, content=encode_json(body))


@lru_cache(maxsize=1024)
def _in_order(permissions: frozenset[str]) -> list[str]:
    return sorted(permissions)


async def update_profile(call: Call) -> Reply:
    check_names(call.body, "display_name", "locale")
    async with call.write() as writer:
        user = await call.service(Directory).update_profile(
            writer,
            call.principal.user_id,
            display_name=call.body.get("display_name"),
            locale=call.body.get("locale"),
        )
        if call.body:
            writer.audit("profile.updated", ("user", user.id), detail={"fields": sorted(call.body)})
    return Reply(user.public())


async def change_password(call: Call) -> Reply:
    """Ends every other session. A wrong current password counts as a failed login does."""
    who, body = call.principal, call.body
    directory, passwords = call.service(Directory), call.service(Passwords)
    attempt = LoginAttempt.of(call.service(Vault), who.username, call.address)
    await passwords.check_policy(who.username, body["new_password"], pointer="/new_password")
    async with call.read() as reader:
        await throttle.check(reader, attempt, call.now_ms)
        stored = await directory.password_hash(reader, who.user_id)
    if stored is not None and "current_password" not in body:
        raise InvalidRequest.at("/current_password", "is missing; a password is set already")
    right = stored is None or await passwords.verify(body["current_password"], stored)
    fresh = await passwords.hash(body["new_password"]) if right else ""
    async with call.write() as writer:
        await hold_own_account(call, writer)
        await throttle.hold(writer, attempt)
        await throttle.check(writer, attempt, call.now_ms)
        right = right and await directory.password_hash(writer, who.user_id) == stored
        if right:
            await directory.set_password(writer, who.user_id, fresh)
            await call.service(Credentials).end_sessions_of(writer, who.user_id, keep=who.credential.id)
            writer.audit("password.changed", ("user", who.user_id))
        else:
            await throttle.record_failure(writer, attempt, call.now_ms)
        user = await directory.user(writer, who.user_id)
    if not right or user is None:
        raise Forbidden("The current password is wrong.", code="wrong_password")
    return Reply(user.public())
