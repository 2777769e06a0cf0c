"""HTTP in and out: passkeys of the caller, and signing in with one."""

import json
from typing import Any

from builtin_plugins.passkeys import ceremony
from builtin_plugins.passkeys.ceremony import MAX_TRANSPORTS, REGISTER, SIGN_IN, PasskeyRefused
from builtin_plugins.passkeys.service import (
    MAX_PASSKEYS,
    Passkey,
    check_owner,
    find_by_answer,
    known_to_browser,
    sql,
    use_up,
)
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    Reply,
    Writer,
    created,
    cut_page,
    new_id,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.services.identity import Credentials, SignIns
from guildhall_sdk.services.notifications import Notice, NotificationKind, notify
from guildhall_sdk.services.sign_in import SignInWays
from guildhall_sdk.services.tenancy import Directory, User
from libs.names import account_lock, name_fault, username_key
from libs.records import record_of

NEW_KEY = NotificationKind(
    name="passkeys.added", title="passkeys.notice_added", text="passkeys.notice_added_text", mail="at_once"
)
_AFTER_ALL = "~"


async def registration_options(call: Call) -> Reply:
    """Begins a new passkey, for whoever has just proved who they are: it opens the account from then on."""
    who = call.principal
    who.credential.check_fresh(call.now_ms)
    async with call.read() as reader:
        known = await known_to_browser(reader, who.user_id)
    _check_room(len(known))
    options = ceremony.creation_options(
        call.host,
        ceremony.new_challenge(call.host, REGISTER, who.credential.id),
        user_id=who.user_id,
        username=who.username,
        display_name=who.display_name,
        known=known,
    )
    return Reply(options)


def _check_room(count: int) -> None:
    if count >= MAX_PASSKEYS:
        raise Conflict(f"You have {MAX_PASSKEYS} passkeys; remove one first.", code="too_many_passkeys")


async def register(call: Call) -> Reply:
    who, body = call.principal, call.body
    name = _name(body.get("name", "Passkey"))
    to = ceremony.answered(call.host, body["credential"], REGISTER, who.credential.id)
    key = await ceremony.verify_new_key(call.host, who.org_id, body["credential"], to)
    passkey_id = new_id("pk", call.now_ms)
    async with call.write() as writer:
        await _hold_own(call, writer)
        _check_room(len(await known_to_browser(writer, who.user_id)))
        if await writer.one(sql.spend, challenge=to.digest, until=to.until) is None:
            raise PasskeyRefused("This answer was used already; ask for new options.")
        made = await writer.one(
            sql.insert,
            id=passkey_id,
            user_id=who.user_id,
            org_id=who.org_id,
            credential_hash=ceremony.credential_hash(key.credential_id),
            credential_id=key.credential_id,
            public_key=key.public_key,
            sign_count=key.sign_count,
            transports=json.dumps(_transports(body["credential"])),
            verifies=int(key.verifies),
            synced=int(key.synced),
            name=name,
            now=call.now_ms,
        )
        if made is None:
            raise Conflict("This passkey is registered already; use another.", code="passkey_known")
        if key.verifies:
            await call.service(Directory).settle(writer, who.user_id)
        writer.audit("passkey.added", ("passkey", passkey_id), detail={"name": name})
        notice = Notice(
            kind=NEW_KEY,
            org_id=who.org_id,
            people=[who.user_id],
            params={"name": name},
            link="/account/passkeys",
        )
        await notify(call.host, writer, notice)
        rows = await writer.all(sql.of_person, **_own(call), before=_AFTER_ALL, limit=MAX_PASSKEYS)
    shown = next(row for row in rows if row["id"] == passkey_id)
    return created(record_of(Passkey, shown).public(), f"/api/passkeys/{passkey_id}")


def _name(name: str) -> str:
    if (fault := name_fault(name)) is not None:
        raise InvalidRequest.at("/name", fault)
    return name


def _transports(credential: Any) -> list[str]:
    given = credential["response"].get("transports")
    words = given[:MAX_TRANSPORTS] if isinstance(given, list) else []
    return [word for word in words if isinstance(word, str) and word.isascii() and 0 < len(word) <= 32]


def _own(call: Call) -> dict[str, str]:
    return {"user_id": call.principal.user_id, "org_id": call.principal.org_id}


async def _hold_own(call: Call, writer: Writer) -> None:
    """Locks how the caller signs in, and refuses a session that has ended meanwhile."""
    await writer.serialize(account_lock(username_key(call.principal.username)))
    if not await call.service(Credentials).alive(writer, call.principal.credential.id):
        raise Unauthenticated("This session has ended; sign in again.")


async def list_passkeys(call: Call) -> Reply:
    before, limit = page_bounds(call.query)
    async with call.read() as reader:
        rows = await reader.all(sql.of_person, **_own(call), before=before or _AFTER_ALL, limit=limit)
    visible, cursor = cut_page(rows, limit, lambda row: str(row["id"]))
    return page([record_of(Passkey, row).public() for row in visible], cursor)


async def rename(call: Call) -> Reply:
    name = _name(call.body["name"])
    async with call.write() as writer:
        row = await writer.one(sql.rename, id=call.params["id"], name=name, **_own(call))
        if row is None:
            raise NotFound
        writer.audit("passkey.renamed", ("passkey", call.params["id"]), detail={"name": name})
    return Reply(record_of(Passkey, row).public())


async def remove(call: Call) -> Reply:
    """Removes a passkey; what was begun with it may be in other hands, so all other sessions end."""
    who = call.principal
    async with call.write() as writer:
        await _hold_own(call, writer)
        row = await writer.one(sql.remove, id=call.params["id"], **_own(call))
        if row is None:
            raise NotFound
        who.credential.check_fresh(call.now_ms)  # behind what nobody else shall learn
        if who.two_factor and await writer.value(sql.is_only_factor, id=call.params["id"], **_own(call)):
            raise Conflict(
                "This passkey is your second factor; add another, or turn two-factor off first.",
                code="last_passkey",
            )
        await call.service(Credentials).end_sessions_of(writer, who.user_id, keep=who.credential.id)
        writer.audit("passkey.removed", ("passkey", call.params["id"]), detail={"name": row["name"]})
    return no_content()


async def sign_in_options(call: Call) -> Reply:
    """Asks for any passkey of this site: the answer is the same whoever is named, so it tells nobody's."""
    return Reply(
        ceremony.request_options(call.host, ceremony.new_challenge(call.host, SIGN_IN, ""), verify=True)
    )


async def sign_in(call: Call) -> Reply:
    """Signs in with a passkey that asked for a PIN, a finger or a face: two factors in one."""
    credential, user = call.body["credential"], None
    try:
        async with call.read() as reader:
            passkey = await find_by_answer(reader, credential)
            user = None if passkey is None else await call.service(Directory).user(reader, passkey.user_id)
        to = ceremony.answered(call.host, credential, SIGN_IN, "")
        if passkey is None or user is None:
            raise PasskeyRefused("This passkey is not known here; sign in another way, or add it again.")
        check_owner(credential, passkey)
        assertion = await ceremony.verify_assertion(
            call.host, passkey.org_id, credential, to, passkey.public_key, must_verify=True
        )
    except PasskeyRefused as refusal:
        if user is not None:
            async with call.write() as writer:
                await _note_failure(call, writer, user, "passkey")
        raise Unauthenticated(refusal.detail, code="passkey_invalid") from None
    try:
        answer = await _begin(call, user, passkey, to, assertion)
    except Forbidden as refusal:  # suspended, in no team, or told to come in elsewhere
        async with call.write() as writer:
            await _note_failure(call, writer, user, refusal.code)
        raise
    if answer is None:
        raise Unauthenticated(
            "This answer was used already, or the passkey was copied; try again.", code="passkey_invalid"
        )
    return answer


async def _begin(
    call: Call, user: User, passkey: Passkey, to: ceremony.Answered, assertion: ceremony.Assertion
) -> Reply | None:
    """Begins the session of an answer that holds; None for one that was used, or came of a copy."""
    async with call.write() as writer:
        await writer.serialize(account_lock(username_key(user.username)))
        if await use_up(writer, call.host, passkey, to, assertion):
            ways = call.host.find_service(SignInWays)
            if ways is not None:
                await ways.check_local(call, writer, user)
            return await call.service(SignIns).begin(
                call, writer, user.id, team=call.body.get("team"), way="passkey"
            )
        await _note_failure(call, writer, user, "passkey")
    return None


async def _note_failure(call: Call, writer: Writer, user: User, wrong: str) -> None:
    """Leaves in the trail that somebody tried to come in as this person."""
    teams = await call.service(Directory).teams_of(writer, user.id)
    team_id = teams[0][0].id if teams else None
    actor = Actor(user.username, user.id, user.org_id, team_id, call.request_id)
    writer.audit(
        "login.failed", ("user", user.id), detail={"wrong": wrong, "address": call.address}, actor=actor
    )


HANDLERS = {
    "registration_options": registration_options,
    "register_passkey": register,
    "list_passkeys": list_passkeys,
    "rename_passkey": rename,
    "remove_passkey": remove,
    "passkey_sign_in_options": sign_in_options,
    "sign_in_with_passkey": sign_in,
}
