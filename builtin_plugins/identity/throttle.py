"""Failed logins, counted in the database for all processes, and the lock on how somebody signs in."""

import hashlib
import hmac
from pathlib import Path
from typing import NamedTuple

from guildhall_sdk import Actor, Call, Host, Reader, TooManyRequests, Writer, load_queries, new_id
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.services.identity import Credentials, SignInOrigin, Vault
from guildhall_sdk.services.tenancy import Directory, User
from libs.addresses import address_key
from libs.names import account_lock, username_key

sql = load_queries(Path(__file__).with_name("queries.sql"))

WINDOW_MS = 15 * 60 * 1000
PER_PAIR = 10
PER_ADDRESS = 50
PER_ACCOUNT = 100
_SWEPT_PER_FAILURE = 100


class LoginAttempt(NamedTuple):
    """A try to sign in: the account that it names, and the address that it comes from."""

    username_key: str
    account: str
    address: str

    @classmethod
    def of(cls, vault: Vault, username: str, address: str) -> "LoginAttempt":
        key = username_key(username)
        account = hmac.digest(vault.derive("identity.login-failures"), key.encode(), hashlib.sha256)
        return cls(key, account.hex(), address_key(address))


async def hold_account(writer: Writer, key: str) -> None:
    """Locks the account until the write ends: nobody else signs in as this person or changes how."""
    await writer.serialize(account_lock(key))


async def hold(writer: Writer, attempt: LoginAttempt) -> None:
    """Locks the counts; the account always comes first, so that no two wait for each other."""
    await hold_account(writer, attempt.username_key)
    await writer.serialize(f"login-address:{attempt.address}")


async def check(reader: Reader, attempt: LoginAttempt, now_ms: int) -> None:
    """Raises `TooManyRequests` while any of the three counts is full."""
    row = await reader.one(
        sql.nth_failures,
        account=attempt.account,
        address=attempt.address,
        floor=now_ms - WINDOW_MS,
        of_pair=PER_PAIR - 1,
        of_address=PER_ADDRESS - 1,
        of_account=PER_ACCOUNT - 1,
    )
    assert row is not None
    filled = [at for at in (row["of_pair"], row["of_address"], row["of_account"]) if at is not None]
    if filled:
        seconds = max(1, -(-(max(filled) + WINDOW_MS - now_ms) // 1000))
        raise TooManyRequests(
            f"Too many failed logins; try again in {seconds} s.", headers={"Retry-After": str(seconds)}
        )


async def record_failure(writer: Writer, attempt: LoginAttempt, now_ms: int) -> None:
    await sweep(writer, now_ms, _SWEPT_PER_FAILURE)
    await writer.run(
        sql.insert_failure,
        id=new_id("lf", now_ms),
        account=attempt.account,
        address=attempt.address,
        now=now_ms,
    )


async def forgive(writer: Writer, attempt: LoginAttempt) -> None:
    """Clears the count of this person from this address after a success, and neither of the wider ones."""
    await writer.run(sql.forgive_failures, account=attempt.account, address=attempt.address)


async def sweep(writer: Writer, now_ms: int, max_rows: int = 100_000) -> None:
    await writer.run(sql.sweep_failures, floor=now_ms - WINDOW_MS, max_rows=max_rows)


async def hold_own_account(call: Call, writer: Writer) -> None:
    """Locks the account for one change at a time, and refuses a session that another has just ended."""
    await hold_account(writer, username_key(call.principal.username))
    if not await call.service(Credentials).alive(writer, call.principal.credential.id):
        raise Unauthenticated("This session has ended; sign in again.")


def origin_of(call: Call) -> SignInOrigin:
    """Returns the caller's address and program."""
    return SignInOrigin.of(call.address, call.headers.get("user-agent", ""))


async def actor_near(
    reader: Reader, host: Host, subject: User, *, name: str, user_id: str, request_id: str
) -> Actor:
    """Returns the actor, recorded in the first team of the person concerned, who is looked after there."""
    teams = await host.service(Directory).teams_of(reader, subject.id)
    return Actor(name, user_id, subject.org_id, teams[0][0].id if teams else None, request_id)
