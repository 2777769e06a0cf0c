"""Who the caller is, and what they may change about it."""

from functools import lru_cache
from typing import Any

from builtin_plugins.identity import emails, throttle
from builtin_plugins.identity.emails import OwnEmail
from builtin_plugins.identity.handlers.two_factor import reauthenticate, wrong_password
from builtin_plugins.identity.schemas import check_names
from builtin_plugins.identity.throttle import LoginAttempt, hold_own_account
from guildhall_sdk import Call, Forbidden, InvalidRequest, Reply, UserError, Writer
from guildhall_sdk.services.identity import Passwords, SignIns, Vault
from guildhall_sdk.services.notifications import Mailer
from guildhall_sdk.services.tenancy import Directory, User
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


async def read_profile(call: Call) -> Reply:
    who = call.principal
    async with call.read() as reader:
        user = await call.service(Directory).user(reader, who.user_id)
        assert user is not None
        return Reply(_profile(user, await emails.own_email(reader, who.user_id, call.now_ms)))


def _profile(user: User, email: OwnEmail) -> dict[str, Any]:
    return {
        **user.public(),
        "email": email.address,
        "email_proven": email.is_proven,
        "email_pending": email.pending,
    }


async def update_profile(call: Call) -> Reply:
    """Changes the fields; an address to which mail is sent is changed as how one signs in is."""
    body = call.body
    check_names(body, "display_name", "locale")
    emails.check_email(body)
    mailer = call.host.find_service(Mailer)
    proof = None
    if "email" in body and mailer is not None and mailer.is_set_up:
        proof = await reauthenticate(call)
    async with call.write() as writer:
        if "email" in body:
            await hold_own_account(call, writer)
        is_proven = proof is None or await proof.holds(call, writer)
        if is_proven:
            profile = await _changed_profile(call, writer)
    if not is_proven:
        raise wrong_password()
    return Reply(profile)


async def _changed_profile(call: Call, writer: Writer) -> dict[str, Any]:
    who, body = call.principal, call.body
    if "email" in body:
        await emails.change(writer, call.host, who, body["email"])
    fields = sorted(set(body) - {"password"})
    user = await call.service(Directory).update_profile(
        writer, who.user_id, display_name=body.get("display_name"), locale=body.get("locale")
    )
    if fields:
        writer.audit("profile.updated", ("user", user.id), detail={"fields": fields})
    if "email" not in body:
        return user.public()
    return _profile(user, await emails.own_email(writer, who.user_id, call.now_ms))


async def confirm_email(call: Call) -> Reply:
    """Puts the address in place to which a link was mailed; it is for the person who asked for it alone."""
    who = call.principal
    async with call.write() as writer:
        await hold_own_account(call, writer)
        if not await emails.confirm(writer, call.host, who, call.body["token"]):
            raise UserError(
                "This link is unknown, used or older than a day; change your address again for a new one.",
                code="email_token_invalid",
            )
        writer.audit("email.confirmed", ("user", who.user_id))
        email = await emails.own_email(writer, who.user_id, call.now_ms)
    return Reply({"email": email.address})


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
            await call.service(SignIns).end_with_password(writer, who.user_id, keep=who.credential.id)
            writer.audit("password.changed", ("user", who.user_id))
        else:
            await throttle.record_failure(writer, attempt, call.now_ms)
        user = await directory.user(writer, who.user_id)
    if not right or user is None:
        raise Forbidden("The current password is wrong.", code="wrong_password")
    return Reply(user.public())
