"""Signing in and out, and moving between teams."""

from typing import Any

from builtin_plugins.identity.handlers.two_factor import (
    Reauthentication,
    reauthenticate,
    verified_passkey,
    wrong_passkey,
    wrong_password,
)
from builtin_plugins.identity.login import (
    SESSION_TTL,
    LoginSession,
    find_login,
    pick_team,
    session_answer,
    sign_in,
    sign_in_elsewhere,
)
from builtin_plugins.identity.second_factor import FactorProof
from builtin_plugins.identity.throttle import hold_own_account, origin_of
from guildhall_sdk import (
    Call,
    Forbidden,
    NotFound,
    Problem,
    Reply,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.services.identity import Credentials, NewToken, Passkeys, Passwords, SessionRecord
from guildhall_sdk.services.sign_in import SignInWays
from guildhall_sdk.services.tenancy import Directory


async def login(call: Call) -> Reply:
    body = call.body
    if "way" in body:
        return await sign_in_elsewhere(call)
    async with call.read() as reader:
        claim = await find_login(reader, call.host, body["username"], call.address)
    password_right = await call.service(Passwords).verify(body["password"], claim.password_hash)
    passkey = None
    if "passkey" in body:
        user_id = "" if claim.user is None else claim.user.id
        passkey = await verified_passkey(call, user_id)
    async with call.write() as writer:
        proof = FactorProof(body.get("totp"), body.get("recovery_code"), passkey)
        outcome = await sign_in(call, writer, claim, password_right=password_right, proof=proof)
    if isinstance(outcome, Problem):
        raise outcome
    return session_answer(outcome)


async def confirm_session(call: Call) -> Reply:
    """Makes the session fresh by the password or a passkey; a wrong one counts as a failed login."""
    who, body = call.principal, call.body
    if not body:
        raise await _proof_required(call)
    passkey = await verified_passkey(call, who.user_id) if "passkey" in body else None
    proof = Reauthentication() if passkey else await reauthenticate(call)
    async with call.write() as writer:
        await hold_own_account(call, writer)
        is_proven = await proof.holds(call, writer) and (passkey is None or await passkey(writer))
        if is_proven:
            await call.service(Credentials).confirm_session(writer, who.credential.id)
            writer.audit("session.confirmed", ("session", who.credential.id))
    if not is_proven:
        raise wrong_password() if passkey is None else wrong_passkey()
    return no_content()


async def _proof_required(call: Call) -> Forbidden:
    """Says what is wanted; for a person with passkeys with the options to answer with one of these."""
    passkeys, options = call.host.find_service(Passkeys), None
    if passkeys is not None:
        async with call.read() as reader:
            options = await passkeys.challenge(reader, call.principal.user_id)
    if options is None:
        return Forbidden("Send your password.", code="reauthentication_required")
    detail = "Send your password, or the answer of a passkey."
    return Forbidden(detail, code="reauthentication_required", passkey=options)


async def logout(call: Call) -> Reply:
    session_id = call.principal.credential.id
    async with call.write() as writer:
        await call.service(Credentials).end_session(writer, session_id)
        writer.audit("session.ended", ("session", session_id))
    return no_content()


async def list_sessions(call: Call) -> Reply:
    before, limit = page_bounds(call.query)
    async with call.read() as reader:
        sessions = await call.service(Credentials).sessions_of(reader, call.principal.user_id, before, limit)
    visible, cursor = cut_page(sessions, limit, lambda session: session.id)
    return page([_session_json(session, call.principal.credential.id) for session in visible], cursor)


def _session_json(session: SessionRecord, current: str) -> dict[str, Any]:
    return {
        "id": session.id,
        "team_id": session.team_id,
        "created_at": rfc3339(session.created_at),
        "last_used_at": rfc3339_or_none(session.last_used_at),
        "expires_at": rfc3339_or_none(session.expires_at),
        "address": session.address,
        "agent": session.agent,
        "current": session.id == current,
    }


async def end_session(call: Call) -> Reply:
    session_id = call.params["id"]
    async with call.write() as writer:
        if not await call.service(Credentials).end_own_session(writer, call.principal.user_id, session_id):
            raise NotFound
        writer.audit("session.ended", ("session", session_id))
    return no_content()


async def switch_team(call: Call) -> Reply:
    """Makes a session in another team, which ends when this one would: this is not signing in again."""
    who, directory = call.principal, call.service(Directory)
    async with call.write() as writer:
        await hold_own_account(call, writer)
        team, role = pick_team(await directory.teams_of(writer, who.user_id), call.body["team"])
        latest = call.now_ms + call.setting(SESSION_TTL) * 1000
        issued = await call.service(Credentials).issue(
            writer,
            NewToken(
                kind="session",
                user_id=who.user_id,
                team_id=team.id,
                expires_at=who.credential.expires_at or latest,
                made_with=who.credential,
                began_at=who.credential.began_at,
                origin=origin_of(call),
            ),
        )
        ways = call.host.find_service(SignInWays)
        if ways is not None:
            await ways.carry(writer, who.credential.id, issued.id)
        user = await directory.user(writer, who.user_id)
        assert user is not None
        writer.audit("session.switched", ("team", team.id))
    return session_answer(LoginSession(issued, user, team, role))
