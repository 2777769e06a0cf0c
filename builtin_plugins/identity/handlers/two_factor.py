"""Two-factor authentication of the caller, and its revocation by an operator.

A session may be somebody else's by now: what decides how a person signs in wants them once more.
"""

from dataclasses import dataclass

from builtin_plugins.identity import second_factor, throttle
from builtin_plugins.identity.login import WRONG_PASSKEY
from builtin_plugins.identity.second_factor import FactorOwner
from builtin_plugins.identity.throttle import LoginAttempt, actor_near, hold_account, hold_own_account
from guildhall_sdk import (
    Call,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    Reply,
    UserError,
    Writer,
    no_content,
)
from guildhall_sdk.services.identity import Credentials, Passkeys, Passwords, UseAnswer, Vault
from guildhall_sdk.services.tenancy import Directory
from libs.names import username_key


@dataclass(frozen=True, slots=True)
class Reauthentication:
    """The password that came along, verified off the loop; without one the session was fresh."""

    attempt: LoginAttempt | None = None
    stored: str | None = None
    right: bool = True

    async def holds(self, call: Call, writer: Writer) -> bool:
        """Tells whether it holds now that nobody can change it; a wrong password counts as a failed login."""
        if self.attempt is None:
            return True
        await throttle.hold(writer, self.attempt)
        await throttle.check(writer, self.attempt, call.now_ms)
        stored = await call.service(Directory).password_hash(writer, call.principal.user_id)
        if self.right and stored == self.stored:
            return True
        await throttle.record_failure(writer, self.attempt, call.now_ms)
        return False


async def reauthenticate(call: Call) -> Reauthentication:
    """Proves the caller by the `password` of the body, or else by a session that began a short while ago.

    Raises `Forbidden` `reauthentication_required`, and `TooManyRequests` while the brakes are on.
    """
    who, password = call.principal, call.body.get("password")
    if password is None:
        who.credential.check_fresh(call.now_ms)
        return Reauthentication()
    attempt = LoginAttempt.of(call.service(Vault), who.username, call.address)
    async with call.read() as reader:
        await throttle.check(reader, attempt, call.now_ms)
        stored = await call.service(Directory).password_hash(reader, who.user_id)
    right = await call.service(Passwords).verify(password, stored)
    return Reauthentication(attempt, stored, right)


def wrong_password() -> Forbidden:
    return Forbidden("The password is wrong.", code="wrong_password")


def wrong_passkey() -> Forbidden:
    return Forbidden(WRONG_PASSKEY, code="passkey_invalid")


async def verified_passkey(call: Call, user_id: str) -> UseAnswer:
    """Verifies the `passkey` of the body off the loop; what it returns uses the answer up."""
    passkeys = call.host.find_service(Passkeys)
    if passkeys is None:
        raise InvalidRequest.at("/passkey", "is not taken here: there are no passkeys on this instance")
    return await passkeys.verify(call, user_id, call.body["passkey"])


async def enable(call: Call) -> Reply:
    """Turns the factor on; with `confirm` it stays off until `confirm` has seen a code of it."""
    who, proof, enrolment = call.principal, await reauthenticate(call), None
    async with call.write() as writer:
        await hold_own_account(call, writer)
        if await proof.holds(call, writer):
            if call.body.get("confirm"):
                enrolment = await second_factor.begin(writer, call.host, _caller(call))
                writer.audit("two_factor.begun", ("user", who.user_id))
            else:
                enrolment = await second_factor.enable(writer, call.host, _caller(call))
                await _turned_on(call, writer)
    if enrolment is None:
        raise wrong_password()
    answer = {
        "secret": enrolment.secret,
        "otpauth_uri": enrolment.otpauth_uri,
        "recovery_codes": enrolment.recovery_codes,
    }
    return Reply(answer, secret_id=who.user_id)


async def confirm(call: Call) -> Reply:
    who, directory = call.principal, call.service(Directory)
    async with call.write() as writer:
        await hold_own_account(call, writer)
        user = await directory.user(writer, who.user_id)
        if user is not None and user.two_factor:
            raise second_factor.already_on()
        if not await second_factor.confirm(writer, call.host, _caller(call), call.body["code"]):
            raise UserError(
                "The code is wrong, or it is more than 15 minutes since you began; "
                "send the code that your authenticator shows now, or begin again.",
                code="totp_invalid",
            )
        await _turned_on(call, writer)
        user = await directory.user(writer, who.user_id)
        assert user is not None
    return Reply(user.public())


async def enable_by_passkeys(call: Call) -> Reply:
    """Turns the factor on for who has a passkey, and no app on a phone: there is nothing to scan."""
    who, proof, codes = call.principal, await reauthenticate(call), None
    passkeys = call.host.find_service(Passkeys)
    async with call.write() as writer:
        await hold_own_account(call, writer)
        if await proof.holds(call, writer):
            if passkeys is None or await passkeys.challenge(writer, who.user_id) is None:
                raise Conflict("You have no passkey; add one first.", code="no_passkey")
            codes = await second_factor.enable_by_passkeys(writer, call.host, _caller(call))
            await _turned_on(call, writer)
    if codes is None:
        raise wrong_password()
    return Reply({"recovery_codes": codes}, secret_id=who.user_id)


async def _turned_on(call: Call, writer: Writer) -> None:
    who = call.principal
    await call.service(Credentials).end_sessions_of(writer, who.user_id, keep=who.credential.id)
    writer.audit("two_factor.enabled", ("user", who.user_id))


async def disable(call: Call) -> Reply:
    who, proof = call.principal, await reauthenticate(call)
    async with call.write() as writer:
        await hold_own_account(call, writer)
        proven = await proof.holds(call, writer)
        if proven and await second_factor.disable(writer, call.host, _caller(call)):
            await call.service(Credentials).end_sessions_of(writer, who.user_id, keep=who.credential.id)
            writer.audit("two_factor.disabled", ("user", who.user_id))
    if not proven:
        raise wrong_password()
    return no_content()


async def replace_recovery_codes(call: Call) -> Reply:
    who, proof, codes = call.principal, await reauthenticate(call), None
    async with call.write() as writer:
        await hold_own_account(call, writer)
        if await proof.holds(call, writer):
            user = await call.service(Directory).user(writer, who.user_id)
            if user is None or not user.two_factor:
                raise Conflict("Two-factor authentication is off; turn it on first.", code="two_factor_off")
            codes = await second_factor.replace_recovery_codes(writer, _caller(call))
            writer.audit("recovery_codes.replaced", ("user", who.user_id))
    if codes is None:
        raise wrong_password()
    return Reply({"recovery_codes": codes}, secret_id=who.user_id)


async def count_recovery_codes(call: Call) -> Reply:
    if not call.principal.two_factor:
        return Reply({"unspent": 0})
    async with call.read() as reader:
        return Reply({"unspent": await second_factor.unspent_codes(reader, _caller(call))})


async def revoke(call: Call) -> Reply:
    """Turns somebody's factor off for an operator; all their sessions end, and they enrol again."""
    who = call.principal
    async with call.read() as reader:
        user = await call.service(Directory).user(reader, call.params["id"])
    if user is None:
        raise NotFound
    async with call.write() as writer:
        await hold_account(writer, username_key(user.username))
        if await second_factor.disable(writer, call.host, FactorOwner(user.id, user.org_id, user.username)):
            await call.service(Credentials).end_sessions_of(writer, user.id)
            actor = await actor_near(
                writer, call.host, user, name=who.username, user_id=who.user_id, request_id=call.request_id
            )
            writer.audit("two_factor.revoked", ("user", user.id), actor=actor)
    return no_content()


def _caller(call: Call) -> FactorOwner:
    who = call.principal
    return FactorOwner(who.user_id, who.org_id, who.username)
