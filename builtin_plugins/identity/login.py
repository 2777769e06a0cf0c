"""Signing in: looked up and checked cheaply, verified off the loop, decided in one write; and tickets."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from builtin_plugins.identity import second_factor, throttle
from builtin_plugins.identity.places import note_place
from builtin_plugins.identity.second_factor import FactorOwner, FactorProof
from builtin_plugins.identity.throttle import LoginAttempt, actor_near
from guildhall_sdk import (
    Actor,
    Call,
    Forbidden,
    Host,
    NotFound,
    Principal,
    Problem,
    Reader,
    Reply,
    Setting,
    Writer,
    rfc3339_or_none,
)
from guildhall_sdk.context import ServiceHost
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.services.identity import (
    Credentials,
    IssuedToken,
    NewToken,
    Passkeys,
    SignInOrigin,
    Ticket,
    Vault,
)
from guildhall_sdk.services.notifications import AccountLinks
from guildhall_sdk.services.sign_in import SignInWays
from guildhall_sdk.services.tenancy import Directory, Team, User
from guildhall_sdk.settings import seconds
from libs.names import username_key

SESSION_TTL = Setting(
    name="session_ttl",
    variable="SERVICE_SESSION_TTL",
    help="how long a session lasts, in seconds",
    default=12 * 3600,
    parse=seconds,
)

SETTINGS: Sequence[Setting[Any]] = (SESSION_TTL,)
WRONG_PASSKEY = "This answer of a passkey is wrong, too late or was used; try again."


class LoginClaim(NamedTuple):
    """The person that a username names, who may be nobody, and the hash to verify the password against."""

    attempt: LoginAttempt
    user: User | None
    password_hash: str | None


class LoginSession(NamedTuple):
    """The session that a login began: its token, and whose it is."""

    issued: IssuedToken
    user: User
    team: Team
    role: str


async def find_login(reader: Reader, host: Host, username: str, address: str) -> LoginClaim:
    """Finds the person of a username; raises `TooManyRequests` before anything costly is done."""
    attempt = LoginAttempt.of(host.service(Vault), username, address)
    await throttle.check(reader, attempt, host.clock.now_ms())
    directory = host.service(Directory)
    user = await directory.user_by_name(reader, username)
    stored = None if user is None else await directory.password_hash(reader, user.id)
    return LoginClaim(attempt, user, stored)


async def sign_in(
    call: Call, writer: Writer, claim: LoginClaim, *, password_right: bool, proof: FactorProof
) -> LoginSession | Problem:
    """Begins a session; what failed meanwhile counts: after the limit even the right password learns nothing.

    A refusal that counts is given back, to be raised after the write that keeps its count.
    """
    host, request_id, now = call.host, call.request_id, call.host.clock.now_ms()
    await throttle.hold(writer, claim.attempt)
    await throttle.check(writer, claim.attempt, now)
    user = await _current_user(writer, host, claim)
    if user is None or not password_right:
        return await _refuse(writer, host, claim, "password", request_id)
    if user.two_factor:
        if proof.missing:
            raise await _factor_required(writer, host, user)
        if not await second_factor.accepts(
            writer, host, FactorOwner(user.id, user.org_id, user.username), proof
        ):
            what = "totp" if proof.passkey is None else "passkey"
            return await _refuse(writer, host, claim, what, request_id)
    ways = host.find_service(SignInWays)
    if ways is not None:
        await ways.check_local(call, writer, user)
    await throttle.forgive(writer, claim.attempt)
    return await _begin(
        writer, host, user, call.body.get("team"), request_id=request_id, origin=throttle.origin_of(call)
    )


async def _factor_required(reader: Reader, host: Host, user: User) -> Unauthenticated:
    """Asks for the second factor; a person with passkeys can answer with one of these, too."""
    passkeys = host.find_service(Passkeys)
    options = None if passkeys is None else await passkeys.challenge(reader, user.id)
    if options is None:
        return Unauthenticated("Send the code of your authenticator as totp.", code="totp_required")
    detail = "Send the code of your authenticator as totp, or the answer of a passkey as passkey."
    return Unauthenticated(detail, code="totp_required", passkey=options)


async def _begin(
    writer: Writer,
    host: Host,
    user: User,
    wanted_team: str | None,
    *,
    request_id: str,
    origin: SignInOrigin | None,
    way: str | None = None,
) -> LoginSession:
    """Begins the session of somebody who is proved."""
    now = host.clock.now_ms()
    if user.suspended_at is not None:
        raise Forbidden("Your account is suspended; ask who manages your company.", code="person_suspended")
    team, role = await _choose_team(writer, host, user, wanted_team)
    issued = await host.service(Credentials).issue(
        writer,
        NewToken(
            kind="session",
            user_id=user.id,
            team_id=team.id,
            expires_at=now + host.setting(SESSION_TTL) * 1000,
            origin=origin,
        ),
    )
    if origin is not None:
        await note_place(writer, host, user, origin)
    actor = Actor(user.username, user.id, user.org_id, team.id, request_id)
    detail = None if way is None else {"way": way}
    writer.audit("login.succeeded", ("user", user.id), detail=detail, actor=actor)
    return LoginSession(issued, user, team, role)


def session_answer(session: LoginSession) -> Reply:
    body: dict[str, Any] = {
        "token": session.issued.token,
        "expires_at": rfc3339_or_none(session.issued.expires_at),
        "user": session.user.public(),
        "team": {**session.team.public(), "role": session.role},
    }
    return Reply(body, secret_id=session.issued.id)


async def sign_in_elsewhere(call: Call) -> Reply:
    """Begins a session by a way that takes a password; wrong ones count as those here do."""
    body, ways = call.body, call.host.find_service(SignInWays)
    if ways is None:
        raise NotFound("There is no such way to sign in.")
    attempt = LoginAttempt.of(call.service(Vault), f"{body['way']}\n{body['username']}", call.address)
    async with call.read() as reader:
        await throttle.check(reader, attempt, call.now_ms)
    proof = await ways.with_password(call, body["way"], body["username"], body["password"])
    async with call.write() as writer:
        if proof is None:
            await throttle.hold(writer, attempt)
            nobody = LoginClaim(attempt, None, None)
            outcome: Reply | Problem = await _refuse(writer, call.host, nobody, "password", call.request_id)
        else:
            await throttle.check(writer, attempt, call.now_ms)
            outcome = await ways.admit(call, writer, body["way"], proof)
            await throttle.forgive(writer, attempt)
    if isinstance(outcome, Problem):
        raise outcome
    return outcome


async def end_with_password(
    host: ServiceHost, writer: Writer, user_id: str, *, keep: str | None = None
) -> None:
    """Ends what the password before this one stood behind: sessions but that in `keep`, links, and apps."""
    await host.service(Credentials).end_sessions_of(writer, user_id, keep=keep)
    if (links := host.find_service(AccountLinks)) is not None:
        await links.end_all(writer, user_id)
    for kind in host.service(Plugins).declared(CredentialKind):
        if kind.end_all is not None:
            await kind.end_all(host, writer, user_id)


class OtherSignIns:
    """Implements the SDK's `SignIns`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def end_with_password(self, writer: Writer, user_id: str, *, keep: str | None = None) -> None:
        await end_with_password(self._host, writer, user_id, keep=keep)

    async def begin(
        self, call: Call, writer: Writer, user_id: str, *, team: str | None = None, way: str
    ) -> Reply:
        directory = call.service(Directory)
        user = await directory.user(writer, user_id)
        if user is not None:
            await throttle.hold_account(writer, username_key(user.username))
            user = await directory.user(writer, user_id)
        if user is None:
            raise NotFound
        await directory.settle(writer, user.id)
        origin = throttle.origin_of(call)
        begun = await _begin(
            writer, call.host, user, team, request_id=call.request_id, origin=origin, way=way
        )
        return session_answer(begun)


async def _current_user(writer: Writer, host: Host, claim: LoginClaim) -> User | None:
    """Returns the person as they are now, unless the password changed while it was being verified."""
    if claim.user is None:
        return None
    directory = host.service(Directory)
    if await directory.password_hash(writer, claim.user.id) != claim.password_hash:
        return None
    return await directory.user(writer, claim.user.id)


async def _refuse(writer: Writer, host: Host, claim: LoginClaim, what: str, request_id: str) -> Problem:
    await throttle.record_failure(writer, claim.attempt, host.clock.now_ms())
    detail = {"wrong": what, "address": claim.attempt.address}
    if claim.user is None:
        # What was typed may be a password in the wrong field: it is not repeated here.
        writer.audit("login.failed", detail=detail, actor=Actor("unknown", request_id=request_id))
    else:
        user = claim.user
        actor = await actor_near(
            writer, host, user, name=user.username, user_id=user.id, request_id=request_id
        )
        writer.audit("login.failed", ("user", user.id), detail=detail, actor=actor)
    if what == "passkey":
        return Unauthenticated(
            "This passkey's answer is wrong, too late or was used.", code="passkey_invalid"
        )
    if what == "totp":
        return Unauthenticated("The code is wrong or was used.", code="totp_invalid")
    return Unauthenticated("The username or the password is wrong.")


async def _choose_team(reader: Reader, host: Host, user: User, wanted: str | None) -> tuple[Team, str]:
    teams = await host.service(Directory).teams_of(reader, user.id)
    if not teams:
        raise Forbidden("You are in no team any more; ask an admin of your company.", code="no_team")
    return teams[0] if wanted is None else pick_team(teams, wanted)


def pick_team(teams: Sequence[tuple[Team, str]], wanted: str) -> tuple[Team, str]:
    """Returns the team of this id or slug among those the person is in."""
    for team, role in teams:
        if wanted in (team.id, team.slug):
            return team, role
    raise NotFound("You are in no such team.")


#: How long a ticket is good, unless the credential that asked for it ends before.
TICKET_MS = 10 * 60 * 1000
_MAX_CHARACTERS = 1024


class SealedTickets:
    """Implements the SDK's `Tickets`: what a ticket is for is sealed in it, and stored nowhere."""

    def issue(self, call: Call, purpose: str, subject: str = "") -> Ticket:
        caller, ends = call.principal, call.now_ms + TICKET_MS
        if caller.credential.expires_at is not None:
            ends = min(ends, caller.credential.expires_at)
        bound = [caller.credential.id, caller.user_id, caller.team_id, subject, ends]
        return Ticket(text=call.service(Vault).seal(purpose, json.dumps(bound)), expires_at=ends)

    async def holder(self, call: Call, purpose: str, text: str, subject: str = "") -> Principal | None:
        if len(text) > _MAX_CHARACTERS or not text.isascii():
            return None
        opened = call.service(Vault).unseal(purpose, text)
        if opened is None:
            return None
        credential_id, user_id, team_id, bound_subject, ends = json.loads(opened)
        if bound_subject != subject or call.now_ms >= ends:
            return None
        credentials = call.service(Credentials)
        async with call.read() as reader:
            if not await credentials.alive(reader, credential_id):
                return None
            return await credentials.acting(reader, user_id=user_id, team_id=team_id, scope=None)
