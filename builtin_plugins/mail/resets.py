"""Forgotten passwords: asked for by anybody, looked up behind the answer, mailed to a proven address."""

import json
import logging
from collections.abc import Sequence

from builtin_plugins.mail.mailbox import sql
from guildhall_sdk import Host, Reader, Writer, new_id
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.notifications import AccountLinks, Emails
from guildhall_sdk.services.tenancy import Directory, User
from libs.names import account_lock, username_key

_log = logging.getLogger("guildhall.mail")
_PURPOSE = "mail.reset-request"
_AT_ONCE = 20
#: One that nobody could answer for so long is answered no more.
_TOO_OLD_MS = 30 * 60 * 1000


async def note_request(writer: Writer, host: Host, named: dict[str, str]) -> None:
    """Notes who is asked for; that takes as long for whom there is as for whom there is not."""
    now = host.clock.now_ms()
    sealed = host.service(Vault).seal(_PURPOSE, json.dumps(named))
    await writer.run(sql.ask_reset, id=new_id("mrr", now), sealed=sealed, now=now)


async def answer_requests(host: Host) -> None:
    """Mails a link to each person who was asked for; a request and its letters are one transaction."""
    while True:
        async with host.data.write() as writer:
            taken = await writer.all(sql.take_resets, limit=_AT_ONCE)
            for row in sorted(taken, key=lambda row: str(row["id"])):
                named = host.service(Vault).unseal(_PURPOSE, row["sealed"])
                if named is not None and host.clock.now_ms() - row["created_at"] < _TOO_OLD_MS:
                    await _try_to_answer(writer, host, row["id"], json.loads(named))
        if len(taken) < _AT_ONCE:
            return


async def _try_to_answer(writer: Writer, host: Host, request_id: str, named: dict[str, str]) -> None:
    """Answers a request; one that cannot be answered is dropped alone, so that it keeps no other waiting."""
    try:
        async with writer.savepoint():
            await _answer(writer, host, named)
    except Exception:
        _log.exception("mail.request_not_answered", extra={"fields": {"request": request_id}})


async def _answer(writer: Writer, host: Host, named: dict[str, str]) -> None:
    for user in await _named(writer, host, named):
        email = await host.service(Emails).of(writer, user.id)
        is_here = await writer.one(sql.is_member, user_id=user.id) is not None
        if email is None or not email.is_proven or not is_here or user.suspended_at is not None:
            continue
        await writer.serialize(account_lock(username_key(user.username)))
        await host.service(AccountLinks).mail_reset(writer, user, email.address)


async def _named(reader: Reader, host: Host, named: dict[str, str]) -> Sequence[User]:
    directory = host.service(Directory)
    if "username" in named:
        found = [await directory.user_by_name(reader, named["username"])]
    else:
        ids = await host.service(Emails).people_at(reader, named["email"])
        found = [await directory.user(reader, user_id) for user_id in ids]
    return [user for user in found if user is not None]
