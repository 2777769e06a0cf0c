"""Mails to those who sign up: that it was received, and an invitation for who is accepted."""

import re
import secrets
from typing import Any

from builtin_plugins.beta.prospects.scoring import sql
from guildhall_sdk import Call, Host, Origin, Writer
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.notifications import AccountLinks, Emails, Letter, Mailer
from guildhall_sdk.services.tenancy import Directory, User
from guildhall_sdk.subscriptions import MEMBER_JOINED, Events, MemberJoined
from libs.names import username_fault
from libs.names.emails import email_fault

ROLE = "member"
_NOT_PLAIN = re.compile(r"[^a-z0-9._-]+")
_LONGEST = 40


async def mail_received(
    host: Host, writer: Writer, *, org_id: str, email_key: str | None, locale: str
) -> None:
    """Says that a sign-up came; to who signed up before, too: nobody learns which of them they are."""
    mailer = host.find_service(Mailer)
    if mailer is None or email_key is None or email_fault(email_key) is not None:
        return
    letter = Letter(
        name="beta.received", words="beta.mail_received", to=email_key, locale=locale, org_id=org_id
    )
    await mailer.send(writer, letter)


async def invite_accepted(call: Call, writer: Writer, prospect_id: str) -> None:
    """Makes an account for somebody who was accepted, and mails them the way in; once, and only by mail."""
    who, mailer = call.principal, call.host.find_service(Mailer)
    emails, links = call.host.find_service(Emails), call.host.find_service(AccountLinks)
    if mailer is None or not mailer.is_set_up or emails is None or links is None:
        return
    if not who.may("members:manage"):
        return
    call.service(Roles).check_grantable(who, ROLE)
    row = await writer.one(sql.to_invite, id=prospect_id, team_id=who.team_id)
    if row is None or email_fault(row["email_key"]) is not None:
        return
    await writer.serialize(f"beta-invitation:{row['email_key']}")
    if await emails.people_at(writer, row["email_key"]):
        return
    user = await _new_person(call, writer, row["email_key"], row["locale"])
    await emails.give(writer, who.org_id, user.id, row["email_key"])
    await links.mail_invitation(writer, user, row["email_key"], who)


async def _new_person(call: Call, writer: Writer, address: str, locale: str) -> User:
    who, directory = call.principal, call.service(Directory)
    username = await _free_name(writer, directory, address)
    user = await directory.create_user(writer, who.org_id, username, locale=locale)
    member = await directory.add_member(writer, who.team_id, user.id, ROLE)
    detail: dict[str, Any] = {"username": user.username, "role": member.role, "new": True}
    writer.audit("member.added", ("user", user.id), detail=detail)
    joined = MemberJoined(user_id=user.id, role=member.role)
    await call.service(Events).emit(writer, MEMBER_JOINED, joined, Origin.of(who))
    return user


async def _free_name(writer: Writer, directory: Directory, address: str) -> str:
    """Returns a username after an address that nobody has."""
    plain = _NOT_PLAIN.sub("-", address.partition("@")[0].lower()).strip("-._")[:_LONGEST]
    if username_fault(plain) is not None or await directory.user_by_name(writer, plain) is not None:
        return f"{plain or 'guest'}-{secrets.token_hex(4)}"
    return plain
