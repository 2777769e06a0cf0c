"""The addresses of people: given by who manages them, or their own, once a link came back from there."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.identity.throttle import sql
from guildhall_sdk import Host, InvalidRequest, Principal, Reader, Writer
from guildhall_sdk.services.notifications import (
    AccountLinks,
    Email,
    Letter,
    Mailer,
    Notice,
    NotificationKind,
    notify,
)
from guildhall_sdk.services.tenancy import User
from libs.names.emails import email_fault, email_key

CONFIRM_MS = 24 * 3600 * 1000
MAX_AT_ADDRESS = 5
CHANGED = NotificationKind(
    name="identity.email_changed",
    title="identity.notice_email",
    text="identity.notice_email_text",
    mail="never",
)


class OwnEmail(NamedTuple):
    """A person's address as they see it themselves."""

    address: str | None
    is_proven: bool
    pending: str | None


class StoredEmails:
    """Implements the SDK's `Emails`."""

    async def of(self, reader: Reader, user_id: str) -> Email | None:
        row = await reader.one(sql.email, user_id=user_id)
        return None if row is None or row["address"] is None else Email(row["address"], bool(row["proven"]))

    async def give(self, writer: Writer, org_id: str, user_id: str, address: str) -> None:
        await _put(writer, org_id, user_id, address, proven=True)

    async def people_at(self, reader: Reader, address: str, *, org_id: str | None = None) -> Sequence[str]:
        binds = {"key": email_key(address), "org_id": org_id, "limit": MAX_AT_ADDRESS}
        rows = await reader.all(sql.people_at, **binds)
        return [row["user_id"] for row in rows]


def check_email(body: Mapping[str, Any]) -> None:
    """Raises `InvalidRequest` for an address in a body that is none; null takes one away."""
    address = body.get("email")
    if address is not None and (fault := email_fault(address)) is not None:
        raise InvalidRequest.at("/email", fault)


async def own_email(reader: Reader, user_id: str, now_ms: int) -> OwnEmail:
    row = await reader.one(sql.email, user_id=user_id)
    if row is None:
        return OwnEmail(None, False, None)
    is_pending = row["pending"] is not None and row["pending_until"] > now_ms
    return OwnEmail(row["address"], bool(row["proven"]), row["pending"] if is_pending else None)


async def change(writer: Writer, host: Host, who: Principal, address: str | None) -> None:
    """Changes one's own address: at once where no mail can be sent, else when a link there was opened."""
    now = host.clock.now_ms()
    before = await own_email(writer, who.user_id, now)
    mailer = host.find_service(Mailer)
    if address is None or mailer is None or not mailer.is_set_up:
        if address != before.address:
            await _put(writer, who.org_id, who.user_id, address, proven=False)
            await _tell_the_old(writer, host, who, before)
        return
    if address == before.address and before.is_proven:
        return
    token = secrets.token_urlsafe(32)
    await writer.run(
        sql.ask_email,
        user_id=who.user_id,
        org_id=who.org_id,
        pending=address,
        token_hash=_hash_of(token),
        until=now + CONFIRM_MS,
    )
    letter = Letter(
        name="identity.confirm_email",
        words="identity.mail_confirm",
        to=address,
        locale=who.locale,
        org_id=who.org_id,
        user_id=who.user_id,
        params={"name": who.display_name},
        # Behind a `#`, which no browser sends: it is in no log or Referer.
        link=f"/account#confirm={token}",
        expires_at=now + CONFIRM_MS,
        urgent=True,
    )
    await mailer.send(writer, letter)


async def confirm(writer: Writer, host: Host, who: Principal, token: str) -> bool:
    """Puts the pending address in place, for its own person; returns False for any other token."""
    now = host.clock.now_ms()
    before = await own_email(writer, who.user_id, now)
    found = await writer.one(sql.confirm_email, user_id=who.user_id, token_hash=_hash_of(token), now=now)
    if found is not None:
        await _tell_the_old(writer, host, who, before)
    return found is not None


async def _tell_the_old(writer: Writer, host: Host, who: Principal, before: OwnEmail) -> None:
    """Says in the inbox that the address is another, and at the old one: somebody else may have done it."""
    notice = Notice(kind=CHANGED, org_id=who.org_id, people=[who.user_id], link="/account")
    await notify(host, writer, notice)
    mailer = host.find_service(Mailer)
    if before.address is None or not before.is_proven or mailer is None:
        return
    letter = Letter(
        name="identity.email_changed",
        words="identity.mail_changed",
        to=before.address,
        locale=who.locale,
        org_id=who.org_id,
        user_id=who.user_id,
        params={"name": who.display_name, "username": who.username},
        urgent=True,
    )
    await mailer.send(writer, letter)


async def _put(writer: Writer, org_id: str, user_id: str, address: str | None, *, proven: bool) -> None:
    key = None if address is None else email_key(address)
    binds = {"user_id": user_id, "org_id": org_id, "address": address, "key": key}
    await writer.run(sql.give_email, **binds, proven=int(proven))


def _hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def give_email(writer: Writer, host: Host, by: Principal, user: User, address: str) -> None:
    """Notes the address of somebody new, and mails them an invitation unless they were given a password."""
    await _put(writer, user.org_id, user.id, address, proven=True)
    links = host.find_service(AccountLinks)
    if links is not None and not user.has_password:
        await links.mail_invitation(writer, user, address, by)
