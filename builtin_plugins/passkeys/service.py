"""Passkeys of people: made, used up once, counted; the second factor that identity asks for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.passkeys import ceremony
from builtin_plugins.passkeys.ceremony import MAX_CREDENTIAL_CHARACTERS, PROVE, Answered, PasskeyRefused
from guildhall_sdk import Call, Host, Reader, Row, Writer, load_queries, rfc3339, rfc3339_or_none
from guildhall_sdk.services.identity import UseAnswer
from libs.records import record_of

sql = load_queries(Path(__file__).with_name("queries.sql"))
MAX_PASSKEYS = 25
_SWEPT_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey as it is stored."""

    id: str
    user_id: str
    org_id: str
    credential_id: str
    public_key: str
    sign_count: int
    transports: str
    verifies: int
    synced: int
    name: str
    created_at: int
    last_used_at: int | None

    def public(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "signs_in": bool(self.verifies),
            "synced": bool(self.synced),
            "created_at": rfc3339(self.created_at),
            "last_used_at": rfc3339_or_none(self.last_used_at),
        }


async def find_by_answer(reader: Reader, credential: Mapping[str, Any]) -> Passkey | None:
    """Returns the passkey that an answer says it is of."""
    credential_id = credential.get("id")
    if not isinstance(credential_id, str) or len(credential_id) > MAX_CREDENTIAL_CHARACTERS:
        raise PasskeyRefused("Send the credential as the browser gives it, with its id.")
    row = await reader.one(sql.by_credential, credential_hash=ceremony.credential_hash(credential_id))
    return None if row is None else record_of(Passkey, row)


async def known_to_browser(reader: Reader, user_id: str) -> Sequence[dict[str, Any]]:
    """Returns a person's passkeys as WebAuthn describes them."""
    rows = await reader.all(sql.answering, user_id=user_id, limit=MAX_PASSKEYS)
    return [_described(row) for row in rows]


def _described(row: Row) -> dict[str, Any]:
    transports = json.loads(row["transports"])
    more = {"transports": transports} if transports else {}
    return {"type": "public-key", "id": row["credential_id"], **more}


def check_owner(credential: Mapping[str, Any], passkey: Passkey) -> None:
    """Raises where the authenticator says that its key is somebody else's."""
    handle = credential["response"].get("userHandle")
    if handle and ceremony.to_bytes(handle, "userHandle") != passkey.user_id.encode():
        raise PasskeyRefused("This passkey says that it is of somebody else.")


async def use_up(
    writer: Writer, host: Host, passkey: Passkey, to: Answered, assertion: ceremony.Assertion
) -> bool:
    """Takes an answer once, in a write that holds the person's account; False for a copy or a repeat."""
    now = host.clock.now_ms()
    await writer.run(sql.sweep_answers, now=now, limit=_SWEPT_AT_ONCE)
    if now >= to.until or await writer.one(sql.spend, challenge=to.digest, until=to.until) is None:
        return False
    binds = {"id": passkey.id, "user_id": passkey.user_id, "sign_count": assertion.sign_count, "now": now}
    return await writer.one(sql.use, **binds) is not None


class StoredPasskeys:
    """Implements the SDK's `Passkeys`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def challenge(self, reader: Reader, user_id: str) -> Mapping[str, Any] | None:
        allowed = await known_to_browser(reader, user_id)
        if not allowed:
            return None
        challenge = ceremony.new_challenge(self._host, PROVE, user_id)
        return ceremony.request_options(self._host, challenge, verify=False, allowed=allowed)

    async def verify(self, call: Call, user_id: str, answer: Mapping[str, Any]) -> UseAnswer:
        try:
            async with call.read() as reader:
                passkey = await find_by_answer(reader, answer)
            if passkey is None or passkey.user_id != user_id:
                return _refused
            to = ceremony.answered(self._host, answer, PROVE, user_id)
            check_owner(answer, passkey)
            assertion = await ceremony.verify_assertion(
                self._host, passkey.org_id, answer, to, passkey.public_key, must_verify=False
            )
        except PasskeyRefused:
            return _refused

        async def use(writer: Writer) -> bool:
            return await use_up(writer, self._host, passkey, to, assertion)

        return use


async def _refused(writer: Writer) -> bool:
    return False
