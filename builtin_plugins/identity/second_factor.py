"""TOTP and recovery codes: a second proof, each of which works once."""

import hashlib
import hmac
import secrets
from typing import NamedTuple

from builtin_plugins.identity.throttle import sql
from guildhall_sdk import Conflict, Host, Reader, Writer
from guildhall_sdk.services.identity import UseAnswer, Vault
from guildhall_sdk.services.tenancy import Directory

ISSUER = "Guildhall"
STEP_MS = 30_000
DIGITS = 6
CODES = 10
CONFIRM_WITHIN_MS = 15 * 60 * 1000
_VAULT_KIND = "totp"
_CODE_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_CODE_LENGTH = 16  # of 5 bits each: 80 bits


class FactorOwner(NamedTuple):
    """Whose factor it is."""

    user_id: str
    org_id: str
    username: str


class FactorProof(NamedTuple):
    """The proof of a second factor that a login brings; any one is enough.

    `passkey` uses up an answer that was verified, and tells whether it holds.
    """

    totp: str | None
    recovery_code: str | None
    passkey: UseAnswer | None = None

    @property
    def missing(self) -> bool:
        return self.totp is None and self.recovery_code is None and self.passkey is None


class Enrolment(NamedTuple):
    """Shown once."""

    secret: str
    otpauth_uri: str
    recovery_codes: list[str]


async def enable(writer: Writer, host: Host, owner: FactorOwner) -> Enrolment:
    """Turns the factor on at once; raises `Conflict` `two_factor_on`, and of two at once one wins."""
    enrolment = await _enrol(writer, host, owner, None)
    await host.service(Directory).set_two_factor(writer, owner.user_id, True)
    return enrolment


async def enable_by_passkeys(writer: Writer, host: Host, owner: FactorOwner) -> list[str]:
    """Turns the factor on without an app: passkeys are it, and the recovery codes that this returns."""
    await _insert(writer, host, owner, None, by_passkeys=True)
    await host.service(Directory).set_two_factor(writer, owner.user_id, True)
    return await replace_recovery_codes(writer, owner)


async def begin(writer: Writer, host: Host, owner: FactorOwner) -> Enrolment:
    """Gives a seed and codes that count for nothing until `confirm`, in place of those begun before."""
    return await _enrol(writer, host, owner, host.clock.now_ms() + CONFIRM_WITHIN_MS)


async def confirm(writer: Writer, host: Host, owner: FactorOwner, code: str) -> bool:
    """Turns on what was begun; False for a wrong code, for what has lapsed and where nothing was begun."""
    whose, now = {"user_id": owner.user_id, "org_id": owner.org_id}, host.clock.now_ms()
    if await writer.one(sql.awaiting_confirmation, **whose, now=now) is None:
        return False
    if not await _use_totp(writer, host, owner, code):
        return False
    await writer.run(sql.confirm_two_factor, **whose, now=now)
    await host.service(Directory).set_two_factor(writer, owner.user_id, True)
    return True


async def _enrol(writer: Writer, host: Host, owner: FactorOwner, confirm_by: int | None) -> Enrolment:
    import pyotp  # at the first use: most servers start long before anyone enrols

    await _insert(writer, host, owner, confirm_by)
    secret = pyotp.random_base32()
    await host.service(Vault).put(writer, _VAULT_KIND, owner.org_id, owner.user_id, secret.encode())
    codes = await replace_recovery_codes(writer, owner)
    uri = pyotp.TOTP(secret).provisioning_uri(name=owner.username, issuer_name=ISSUER)
    return Enrolment(secret, uri, codes)


async def _insert(
    writer: Writer, host: Host, owner: FactorOwner, confirm_by: int | None, *, by_passkeys: bool = False
) -> None:
    await _clear_leftovers(writer, host, owner)
    binds = {"user_id": owner.user_id, "org_id": owner.org_id, "by_passkeys": int(by_passkeys)}
    now = host.clock.now_ms()
    if await writer.one(sql.insert_two_factor, now=now, confirm_by=confirm_by, **binds) is None:
        raise already_on()


def already_on() -> Conflict:
    return Conflict("Two-factor authentication is on already; turn it off first.", code="two_factor_on")


async def _clear_leftovers(writer: Writer, host: Host, owner: FactorOwner) -> None:
    """Deletes what was begun and not confirmed, and what was turned off from the command line."""
    user = await host.service(Directory).user(writer, owner.user_id)
    if user is not None and not user.two_factor:
        await disable(writer, host, owner)


async def disable(writer: Writer, host: Host, owner: FactorOwner) -> bool:
    """Forgets seed and codes, of a factor that was only begun too; False when it was off already."""
    row = await writer.one(sql.delete_two_factor, user_id=owner.user_id, org_id=owner.org_id)
    if row is None:
        return False
    await host.service(Vault).delete(writer, _VAULT_KIND, owner.org_id, owner.user_id)
    await host.service(Directory).set_two_factor(writer, owner.user_id, False)
    await writer.run(sql.delete_recovery_codes, user_id=owner.user_id, org_id=owner.org_id)
    return row["confirm_by"] is None


async def accepts(writer: Writer, host: Host, owner: FactorOwner, proof: FactorProof) -> bool:
    """Tells whether either proof holds; the one that does is used up in the same write."""
    if proof.totp is not None and await _use_totp(writer, host, owner, proof.totp):
        return True
    if proof.passkey is not None and await proof.passkey(writer):
        return True
    return proof.recovery_code is not None and await _spend_code(writer, owner, proof.recovery_code)


async def _use_totp(writer: Writer, host: Host, owner: FactorOwner, code: str) -> bool:
    secret = await host.service(Vault).get(writer, _VAULT_KIND, owner.org_id, owner.user_id)
    step = None if secret is None else matching_step(secret.decode(), code, host.clock.now_ms())
    if step is None:
        return False
    used = await writer.one(sql.use_step, user_id=owner.user_id, org_id=owner.org_id, step=step)
    return used is not None


def matching_step(secret: str, code: str, now_ms: int) -> int | None:
    """Returns the step, of this one and its two neighbours, whose code this is."""
    if len(code) != DIGITS or not (code.isascii() and code.isdigit()):
        return None
    import pyotp

    totp, now = pyotp.TOTP(secret), now_ms // STEP_MS
    steps = [step for step in (now - 1, now, now + 1) if hmac.compare_digest(totp.generate_otp(step), code)]
    return max(steps, default=None)


async def replace_recovery_codes(writer: Writer, owner: FactorOwner) -> list[str]:
    """Makes a fresh set of codes; the outstanding ones stop working."""
    await writer.run(sql.delete_recovery_codes, user_id=owner.user_id, org_id=owner.org_id)
    codes = [_new_code() for _ in range(CODES)]
    for code in codes:
        await writer.run(
            sql.insert_recovery_code,
            user_id=owner.user_id,
            org_id=owner.org_id,
            code_hash=_code_hash(code),
        )
    return codes


async def unspent_codes(reader: Reader, owner: FactorOwner) -> int:
    return int(await reader.value(sql.count_recovery_codes, user_id=owner.user_id, org_id=owner.org_id))


async def _spend_code(writer: Writer, owner: FactorOwner, code: str) -> bool:
    row = await writer.one(
        sql.spend_recovery_code,
        user_id=owner.user_id,
        org_id=owner.org_id,
        code_hash=_code_hash(code),
    )
    return row is not None


def _new_code() -> str:
    letters = "".join(secrets.choice(_CODE_ALPHABET) for _ in range(_CODE_LENGTH))
    return "-".join(letters[at : at + 4] for at in range(0, _CODE_LENGTH, 4))


def _code_hash(code: str) -> str:
    """Hashes the code as read aloud: hyphens, spaces and capitals do not count."""
    plain = code.replace("-", "").replace(" ", "").lower()
    return hashlib.sha256(plain.encode()).hexdigest()
