"""Access keys: issued, looked up on every use, and gone with the membership they belong to."""

import json
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import (
    Conflict,
    Credential,
    Forbidden,
    Host,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    Row,
    Writer,
    load_queries,
    new_id,
    rfc3339_or_none,
)
from guildhall_sdk.context import BackgroundWork
from guildhall_sdk.principal import CredentialKind, Roles
from guildhall_sdk.services.identity import Credentials, Vault

sql = load_queries(Path(__file__).with_name("keys.sql"))

ACCESS_KEY = CredentialKind(name="s3", description="An S3 access key")
MAX_KEYS = 100
# Of as many keys as this the secrets stay unsealed, of those that were used last.
MAX_SECRETS = 4096
# A date of use moves no version, and is looked at again after so long.
MAX_AGE_MS = 60_000
_KIND = "s3_key"
_AFTER_EVERY_ID = "s3k_~"
_USE_NOTED_EVERY_MS = 5 * 60 * 1000
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Scope(NamedTuple):
    """The limits of a key: keys below a prefix, some permissions; None is no narrowing."""

    prefix: str = ""
    permissions: frozenset[str] | None = None

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Scope":
        given = fields.get("permissions")
        return cls(fields.get("prefix", ""), None if given is None else frozenset(given))

    def to_json(self) -> dict[str, Any]:
        prefix = {"prefix": self.prefix} if self.prefix else {}
        return prefix if self.permissions is None else {**prefix, "permissions": sorted(self.permissions)}


class Caller(NamedTuple):
    """The signer of a request, the bucket they act in, and the prefix they are limited to."""

    principal: Principal
    bucket: str
    bucket_created_ms: int
    prefix: str


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A key as it was read under a version of access; it holds `until`, unless that version has moved."""

    id: str
    caller: Caller
    version: str
    until: float
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """The secret is shown once."""

    id: str
    access_key_id: str
    secret: str = field(repr=False)
    expires_at: int | None = None


class AccessKeys:
    """The keys used last stay in memory, their secrets unsealed.

    They hold for as long as nothing changes about who may do what.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._known: OrderedDict[str, KeyInUse] = OrderedDict()
        self._noting: dict[str, BackgroundWork] = {}

    @cached_property
    def _credentials(self) -> Credentials:
        return self._host.service(Credentials)

    async def in_use(self, access_key_id: str) -> KeyInUse | None:
        """Returns a key that holds, or None.

        None is for a key that never was, was revoked or has ended, or whose owner left the team.
        """
        now = self._host.clock.now_ms()
        known = self._known.get(access_key_id)
        async with self._host.data.read() as reader:
            version = None if known is None or now >= known.until else await reader.value(sql.access_version)
            if known is not None and known.version == version:
                self._known.move_to_end(access_key_id)
                return known
            found = await self._found(reader, access_key_id)
            if found is None:
                return None
            principal, row = found
            if known is not None and known.id == row["id"]:
                secret: str | None = known.secret
            else:
                secret = await self._unsealed(reader, row["org_id"], row["id"])
        if secret is None:
            return None
        self._note_use(row["id"], row["last_used_at"])
        caller = Caller(principal, row["bucket"], row["bucket_created_at"], parse_scope(row["scope"]).prefix)
        end = inf if row["expires_at"] is None else row["expires_at"]
        key = KeyInUse(row["id"], caller, row["access_version"], min(now + MAX_AGE_MS, end), secret)
        self._known[access_key_id] = key
        self._known.move_to_end(access_key_id)
        if len(self._known) > MAX_SECRETS:
            self._known.popitem(last=False)
        return key

    async def principal_of(self, reader: Reader, access_key_id: str) -> Principal | None:
        """Returns whom the key stands for at this moment, or None where it does not hold."""
        found = await self._found(reader, access_key_id)
        return None if found is None else found[0]

    async def _found(self, reader: Reader, access_key_id: str) -> tuple[Principal, Row] | None:
        now = self._host.clock.now_ms()
        return await self._credentials.principal_by(
            reader, sql.key_in_use, _credential_of, access_key_id=access_key_id, now=now
        )

    async def issue(
        self, writer: Writer, who: Principal, scope: Scope, expires_at: int | None = None
    ) -> IssuedKey:
        """Raises `PermissionDenied` where a scoped credential asks for more than it has itself."""
        check_within(who, scope, self._host.service(Roles))
        maker = await self._credentials.hold_maker(writer, who.credential)
        await writer.serialize(f"s3_keys:{who.team_id}:{who.user_id}")
        await self._forget_ended(writer, who)
        if await writer.value(sql.count_keys_of, team_id=who.team_id, user_id=who.user_id) >= MAX_KEYS:
            raise Conflict(f"You have {MAX_KEYS} S3 keys; revoke one.", code="too_many_keys")
        now = self._host.clock.now_ms()
        issued = IssuedKey(new_id("s3k", now), _new_access_key_id(), secrets.token_urlsafe(30), expires_at)
        row = await writer.one(
            sql.insert_key,
            id=issued.id,
            access_key_id=issued.access_key_id,
            org_id=who.org_id,
            team_id=who.team_id,
            user_id=who.user_id,
            scope=json.dumps(scope.to_json()),
            made_with=maker,
            now=now,
            expires_at=expires_at,
        )
        if row is None:
            raise NotFound
        await self._host.service(Vault).put(writer, _KIND, who.org_id, issued.id, issued.secret.encode())
        writer.audit("s3_key.issued", ("s3_key", issued.id), detail=_audit_detail(scope, expires_at))
        return issued

    async def _forget_ended(self, writer: Writer, who: Principal) -> None:
        ended = await writer.all(
            sql.delete_ended, team_id=who.team_id, user_id=who.user_id, now=self._host.clock.now_ms()
        )
        for row in ended:
            await self._host.service(Vault).delete(writer, _KIND, row["org_id"], row["id"])

    async def revoke(self, writer: Writer, who: Principal, key_id: str) -> None:
        """Raises `NotFound`; of a credential with a scope for what it did not issue, too."""
        row = await writer.one(
            sql.delete_key, id=key_id, team_id=who.team_id, user_id=who.user_id, maker=_only_of(who)
        )
        if row is None:
            raise NotFound
        await self._host.service(Vault).delete(writer, _KIND, row["org_id"], key_id)
        writer.audit("s3_key.revoked", ("s3_key", key_id))
        writer.after_commit(partial(self._forget, row["access_key_id"]))

    async def page_of(
        self, reader: Reader, who: Principal, after: str | None, fetched: int
    ) -> Sequence[Mapping[str, Any]]:
        """Returns keys, newest first; to a credential with a scope those that it issued itself."""
        return await reader.all(
            sql.keys_of,
            team_id=who.team_id,
            user_id=who.user_id,
            maker=_only_of(who),
            now=self._host.clock.now_ms(),
            before=after or _AFTER_EVERY_ID,
            limit=fetched,
        )

    async def newest_of(self, reader: Reader, who: Principal) -> tuple[IssuedKey, Scope] | None:
        """Returns the newest key of those that have not ended."""
        row = await reader.one(
            sql.newest_key, team_id=who.team_id, user_id=who.user_id, now=self._host.clock.now_ms()
        )
        secret = None if row is None else await self._unsealed(reader, row["org_id"], row["id"])
        if row is None or secret is None:
            return None
        key = IssuedKey(row["id"], row["access_key_id"], secret, row["expires_at"])
        return key, parse_scope(row["scope"])

    async def bucket_of(self, reader: Reader, who: Principal) -> str:
        bucket = await reader.value(sql.bucket_of_team, team_id=who.team_id, org_id=who.org_id)
        if bucket is None:
            raise NotFound
        return str(bucket)

    async def settled(self) -> None:
        """Comes back when the uses that were seen are noted."""
        for work in list(self._noting.values()):
            await work.wait()

    async def note_pending(self) -> None:
        """Notes the uses that were seen last, before the server is gone."""
        with suppress(Problem):  # but dates: who is busy now need not be made to wait
            for key_id in list(self._noting):
                await self._write_use(key_id)

    def _forget(self, access_key_id: str) -> None:
        self._known.pop(access_key_id, None)

    async def _unsealed(self, reader: Reader, org_id: str, key_id: str) -> str | None:
        sealed = await self._host.service(Vault).get(reader, _KIND, org_id, key_id)
        return None if sealed is None else sealed.decode()

    def _note_use(self, key_id: str, last_used_at: int | None) -> None:
        """Notes the date of use beside the request, and not for each."""
        before = self._host.clock.now_ms() - _USE_NOTED_EVERY_MS
        if (last_used_at is None or last_used_at < before) and key_id not in self._noting:
            self._noting[key_id] = self._host.background("noting uses", lambda: self._write_use(key_id))

    async def _write_use(self, key_id: str) -> None:
        now = self._host.clock.now_ms()
        async with self._host.data.write() as writer:
            await writer.run(sql.note_use, id=key_id, now=now, before=now - _USE_NOTED_EVERY_MS)
        self._noting.pop(key_id, None)


def _credential_of(row: Row) -> Credential:
    return Credential(row["id"], ACCESS_KEY.name, parse_scope(row["scope"]).permissions, row["expires_at"])


def check_within(who: Principal, scope: Scope, roles: Roles) -> None:
    """Refuses a scope wider than the credential's own, and any to one that may do nothing."""
    own = who.credential.scope
    if own is not None and not own:
        raise Forbidden("A credential with an empty scope issues nothing.", code=PermissionDenied.code)
    requested = frozenset(roles.permissions) if scope.permissions is None else scope.permissions
    if own is not None and (beyond := requested - own):
        missing = min(beyond)
        raise PermissionDenied(missing, f"A key within your own scope cannot hold {missing}; narrow it.")


@lru_cache(maxsize=4096)
def parse_scope(text: str) -> Scope:
    return Scope.of(json.loads(text))


def _only_of(who: Principal) -> str | None:
    """Returns whose keys a caller handles: with a scope only those that the credential itself issued."""
    return None if who.credential.scope is None else who.credential.id


def _audit_detail(scope: Scope, expires_at: int | None) -> dict[str, Any]:
    """Returns the detail for the trail, which others read: a prefix would name what may be private."""
    permissions = None if scope.permissions is None else sorted(scope.permissions)
    ends = rfc3339_or_none(expires_at)
    return {"permissions": permissions, "prefixed": bool(scope.prefix), "expires_at": ends}


def _new_access_key_id() -> str:
    return "GH" + "".join(secrets.choice(_LETTERS) for _ in range(18))
