"""Where people sign in from: a place that is new for somebody is told to them."""

import hashlib
import hmac

from builtin_plugins.identity.throttle import sql
from guildhall_sdk import Host, Writer
from guildhall_sdk.services.identity import SignInOrigin, Vault
from guildhall_sdk.services.notifications import Notice, NotificationKind, notify
from guildhall_sdk.services.tenancy import User
from libs.addresses import address_key

MAX_PLACES = 50
NEW_PLACE = NotificationKind(
    name="identity.new_place",
    title="identity.notice_place",
    text="identity.notice_place_text",
    mail="at_once",
)


async def note_place(writer: Writer, host: Host, user: User, origin: SignInOrigin) -> None:
    """Notes where somebody signed in from; the first place is nothing to tell, each other new one is."""
    now = host.clock.now_ms()
    place = f"{address_key(origin.address)}\n{origin.agent or ''}"
    key = host.service(Vault).derive("identity.login-places")
    hashed = hmac.digest(key, place.encode(), hashlib.sha256).hex()
    if await writer.one(sql.note_place, user_id=user.id, place=hashed, now=now) is None:
        return
    if int(await writer.value(sql.many_places, user_id=user.id)) == 1:
        return
    await writer.run(sql.drop_old_places, user_id=user.id, most=MAX_PLACES)
    notice = Notice(
        kind=NEW_PLACE,
        org_id=user.org_id,
        people=[user.id],
        params={"address": origin.address, "program": origin.agent or "?"},
        link="/account",
    )
    await notify(host, writer, notice)
