"""A session may be somebody else's by now: what decides how a person signs in wants them once more."""

from dataclasses import dataclass

from builtin_plugins.identity import throttle
from builtin_plugins.identity.throttle import LoginAttempt
from guildhall_sdk import Call, Forbidden, Writer
from guildhall_sdk.services.identity import Passwords, Vault
from guildhall_sdk.services.tenancy import Directory

FRESH_MS = 15 * 60 * 1000


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
        began = who.credential.began_at
        if began is None or not 0 <= call.now_ms - began < FRESH_MS:
            raise Forbidden(
                "You signed in more than 15 minutes ago; send your password, or sign in again.",
                code="reauthentication_required",
            )
        return Reauthentication()
    attempt = LoginAttempt.of(call.service(Vault), who.username, call.address)
    async with call.read() as reader:
        await throttle.check(reader, attempt, call.now_ms)
        stored = await call.service(Directory).password_hash(reader, who.user_id)
    right = await call.service(Passwords).verify(password, stored)
    return Reauthentication(attempt, stored, right)


def wrong_password() -> Forbidden:
    return Forbidden("The password is wrong.", code="wrong_password")
