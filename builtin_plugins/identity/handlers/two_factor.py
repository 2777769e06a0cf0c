"""Two-factor authentication of the caller, and its revocation by an operator.

A session may be somebody else's by now: what decides how a person signs in wants them once more.
"""

from dataclasses import dataclass

from builtin_plugins.identity import second_factor, throttle
from builtin_plugins.identity.second_factor import FactorOwner
from builtin_plugins.identity.throttle import LoginAttempt, actor_near, hold_account, hold_own_account
from guildhall_sdk import Conflict, Forbidden, NotFound, Reply, RequestContext, UserError, Writer, no_content
from guildhall_sdk.names import username_key
from guildhall_sdk.services import Credentials, Directory, Passwords, Vault

FRESH_MS = 15 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Reauthentication:
    """The password that came along, verified off the loop; without one the session was fresh."""

    attempt: LoginAttempt | None = None
    stored: str | None = None
    right: bool = True

    async def holds(self, ctx: RequestContext, writer: Writer) -> bool:
        """Tells whether it holds now that nobody can change it; a wrong password counts as a failed login."""
        if self.attempt is None:
            return True
        await throttle.hold(writer, self.attempt)
        await throttle.check(writer, self.attempt, ctx.now_ms)
        stored = await ctx.service(Directory).password_hash(writer, ctx.principal.user_id)
        if self.right and stored == self.stored:
            return True
        await throttle.record_failure(writer, self.attempt, ctx.now_ms)
        return False


async def reauthenticate(ctx: RequestContext) -> Reauthentication:
    """Proves the caller by the `password` of the body, or else by a session that began a short while ago.

    Raises `Forbidden` `reauthentication_required`, and `TooManyRequests` while the brakes are on.
    """
    who, password = ctx.principal, ctx.body.get("password")
    if password is None:
        began = who.credential.began_at
        if began is None or not 0 <= ctx.now_ms - began < FRESH_MS:
            raise Forbidden(
                "You signed in more than 15 minutes ago; send your password, or sign in again.",
                code="reauthentication_required",
            )
        return Reauthentication()
    attempt = LoginAttempt.of(ctx.service(Vault), who.username, ctx.address)
    async with ctx.read() as reader:
        await throttle.check(reader, attempt, ctx.now_ms)
        stored = await ctx.service(Directory).password_hash(reader, who.user_id)
    right = await ctx.service(Passwords).verify(password, stored)
    return Reauthentication(attempt, stored, right)


def wrong_password() -> Forbidden:
    return Forbidden("The password is wrong.", code="wrong_password")


async def enable(ctx: RequestContext) -> Reply:
    """Turns the factor on; with `confirm` it stays off until `confirm` has seen a code of it."""
    who, proof, enrolment = ctx.principal, await reauthenticate(ctx), None
    async with ctx.write() as writer:
        await hold_own_account(ctx, writer)
        if await proof.holds(ctx, writer):
            if ctx.body.get("confirm"):
                enrolment = await second_factor.begin(writer, ctx.host, _caller(ctx))
                writer.audit("two_factor.begun", ("user", who.user_id))
            else:
                enrolment = await second_factor.enable(writer, ctx.host, _caller(ctx))
                await _turned_on(ctx, writer)
    if enrolment is None:
        raise wrong_password()
    answer = {
        "secret": enrolment.secret,
        "otpauth_uri": enrolment.otpauth_uri,
        "recovery_codes": enrolment.recovery_codes,
    }
    return Reply(answer, secret_id=who.user_id)


async def confirm(ctx: RequestContext) -> Reply:
    who, directory = ctx.principal, ctx.service(Directory)
    async with ctx.write() as writer:
        await hold_own_account(ctx, writer)
        user = await directory.user(writer, who.user_id)
        if user is not None and user.two_factor:
            raise second_factor.already_on()
        if not await second_factor.confirm(writer, ctx.host, _caller(ctx), ctx.body["code"]):
            raise UserError(
                "The code is wrong, or it is more than 15 minutes since you began; "
                "send the code that your authenticator shows now, or begin again.",
                code="totp_invalid",
            )
        await _turned_on(ctx, writer)
        user = await directory.user(writer, who.user_id)
        assert user is not None
    return Reply(user.public())


async def _turned_on(ctx: RequestContext, writer: Writer) -> None:
    who = ctx.principal
    await ctx.service(Credentials).end_sessions_of(writer, who.user_id, keep=who.credential.id)
    writer.audit("two_factor.enabled", ("user", who.user_id))


async def disable(ctx: RequestContext) -> Reply:
    who, proof = ctx.principal, await reauthenticate(ctx)
    async with ctx.write() as writer:
        await hold_own_account(ctx, writer)
        proven = await proof.holds(ctx, writer)
        if proven and await second_factor.disable(writer, ctx.host, _caller(ctx)):
            await ctx.service(Credentials).end_sessions_of(writer, who.user_id, keep=who.credential.id)
            writer.audit("two_factor.disabled", ("user", who.user_id))
    if not proven:
        raise wrong_password()
    return no_content()


async def replace_recovery_codes(ctx: RequestContext) -> Reply:
    who, proof, codes = ctx.principal, await reauthenticate(ctx), None
    async with ctx.write() as writer:
        await hold_own_account(ctx, writer)
        if await proof.holds(ctx, writer):
            user = await ctx.service(Directory).user(writer, who.user_id)
            if user is None or not user.two_factor:
                raise Conflict("Two-factor authentication is off; turn it on first.", code="two_factor_off")
            codes = await second_factor.replace_recovery_codes(writer, _caller(ctx))
            writer.audit("recovery_codes.replaced", ("user", who.user_id))
    if codes is None:
        raise wrong_password()
    return Reply({"recovery_codes": codes}, secret_id=who.user_id)


async def count_recovery_codes(ctx: RequestContext) -> Reply:
    if not ctx.principal.two_factor:
        return Reply({"unspent": 0})
    async with ctx.read() as reader:
        return Reply({"unspent": await second_factor.unspent_codes(reader, _caller(ctx))})


async def revoke(ctx: RequestContext) -> Reply:
    """Turns somebody's factor off for an operator; all their sessions end, and they enrol again."""
    who = ctx.principal
    async with ctx.read() as reader:
        user = await ctx.service(Directory).user(reader, ctx.params["id"])
    if user is None:
        raise NotFound
    async with ctx.write() as writer:
        await hold_account(writer, username_key(user.username))
        if await second_factor.disable(writer, ctx.host, FactorOwner(user.id, user.org_id, user.username)):
            await ctx.service(Credentials).end_sessions_of(writer, user.id)
            actor = await actor_near(
                writer, ctx.host, user, name=who.username, user_id=who.user_id, request_id=ctx.request_id
            )
            writer.audit("two_factor.revoked", ("user", user.id), actor=actor)
    return no_content()


def _caller(ctx: RequestContext) -> FactorOwner:
    who = ctx.principal
    return FactorOwner(who.user_id, who.org_id, who.username)
