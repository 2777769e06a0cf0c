"""Access keys: issued, looked up on every use, and gone with the membership they belong to."""

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from guildhall_sdk import (
    Conflict,
    Credential,
    Host,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    Writer,
    load_queries,
    new_id,
)
from guildhall_sdk.permissions import PERMISSIONS
from guildhall_sdk.services import Credentials, Vault

sql = load_queries(Path(__file__).with_name("keys.sql"))

MOST_KEYS = 100
_KIND = "s3_key"
_AFTER_EVERY_ID = "s3k_~"
_USE_NOTED_EVERY_MS = 5 * 60 * 1000
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a key is narrowed to: keys below a prefix, some permissions; None is no narrowing."""

    prefix: str = ""
    permissions: frozenset[str] | None = None

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Scope":
        given = told.get("permissions")
        return cls(told.get("prefix", ""), None if given is None else frozenset(given))

    def shown(self) -> dict[str, Any]:
        prefix = {"prefix": self.prefix} if self.prefix else {}
        return prefix if self.permissions is None else {**prefix, "permissions": sorted(self.permissions)}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who signed a request, in which bucket they act, and below which prefix."""

    principal: Principal
    bucket: str
    bucket_created_ms: int
    prefix: str

    def reaches(self, key: str) -> bool:
        return key.startswith(self.prefix)


@dataclass(frozen=True, slots=True)
class KeyInUse:
    caller: Caller
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """The secret is shown once."""

    id: str
    access_key_id: str
    secret: str = field(repr=False)


class AccessKeys:
    """Secrets stay unsealed in memory by the key's id, which is asked for in the database each time."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._secrets: dict[str, str] = {}
        self._noting: dict[str, asyncio.Task[None]] = {}

    async def in_use(self, access_key_id: str) -> KeyInUse | None:
        """None for a key that never was, was revoked, or whose owner left the team."""
        async with self._host.data.read() as reader:
            row = await reader.one(sql.key_in_use, access_key_id=access_key_id)
            if row is None:
                return None
            scope = parse_scope(row["scope"])
            principal = await self._host.service(Credentials).principal_of(
                reader,
                Credential(row["id"], "s3", scope.permissions, None),
                user_id=row["user_id"],
                team_id=row["team_id"],
            )
            secret = await self._secret(reader, row["org_id"], row["id"])
        if principal is None or secret is None:
            return None
        self._note_use(row["id"], row["last_used_at"])
        return KeyInUse(Caller(principal, row["bucket"], row["bucket_created_at"], scope.prefix), secret)

    async def issue(self, writer: Writer, who: Principal, scope: Scope) -> IssuedKey:
        """Raises `PermissionDenied` where a scoped credential asks for more than it has itself."""
        check_within(who, scope)
        await writer.serialize(f"s3_keys:{who.team_id}:{who.user_id}")
        if await writer.value(sql.count_keys_of, team_id=who.team_id, user_id=who.user_id) >= MOST_KEYS:
            raise Conflict(f"You have {MOST_KEYS} S3 keys; revoke one.", code="too_many_keys")
        now = self._host.clock.now_ms()
        issued = IssuedKey(new_id("s3k", now), _new_access_key_id(), secrets.token_urlsafe(30))
        row = await writer.one(
            sql.insert_key,
            id=issued.id,
            access_key_id=issued.access_key_id,
            org_id=who.org_id,
            team_id=who.team_id,
            user_id=who.user_id,
            scope=json.dumps(scope.shown()),
            now=now,
        )
        if row is None:
            raise NotFound
        await self._host.service(Vault).put(writer, _KIND, who.org_id, issued.id, issued.secret.encode())
        writer.audit("s3_key.issued", ("s3_key", issued.id), detail={"scope": scope.shown()})
        return issued

    async def revoke(self, writer: Writer, who: Principal, key_id: str) -> None:
        row = await writer.one(sql.delete_key, id=key_id, team_id=who.team_id, user_id=who.user_id)
        if row is None:
            raise NotFound
        await self._host.service(Vault).delete(writer, _KIND, row["org_id"], key_id)
        writer.audit("s3_key.revoked", ("s3_key", key_id))
        writer.after_commit(lambda: self._forget(key_id))

    async def page_of(
        self, reader: Reader, who: Principal, after: str | None, fetched: int
    ) -> Sequence[Mapping[str, Any]]:
        """Newest first."""
        return await reader.all(
            sql.keys_of,
            team_id=who.team_id,
            user_id=who.user_id,
            before=after or _AFTER_EVERY_ID,
            limit=fetched,
        )

    async def newest_of(self, reader: Reader, who: Principal) -> tuple[IssuedKey, Scope] | None:
        row = await reader.one(sql.newest_key, team_id=who.team_id, user_id=who.user_id)
        secret = None if row is None else await self._secret(reader, row["org_id"], row["id"])
        if row is None or secret is None:
            return None
        return IssuedKey(row["id"], row["access_key_id"], secret), parse_scope(row["scope"])

    async def bucket_of(self, reader: Reader, who: Principal) -> str:
        bucket = await reader.value(sql.bucket_of_team, team_id=who.team_id, org_id=who.org_id)
        if bucket is None:
            raise NotFound
        return str(bucket)

    async def settled(self) -> None:
        """Comes back when the uses that were seen are noted."""
        await asyncio.gather(*self._noting.values())

    async def _secret(self, reader: Reader, org_id: str, key_id: str) -> str | None:
        secret = self._secrets.get(key_id)
        if secret is None:
            sealed = await self._host.service(Vault).get(reader, _KIND, org_id, key_id)
            if sealed is None:
                return None
            secret = self._secrets[key_id] = sealed.decode()
        return secret

    def _forget(self, key_id: str) -> None:
        self._secrets.pop(key_id, None)

    def _note_use(self, key_id: str, last_used_at: int | None) -> None:
        """Beside the request, and not for each: a date, no more."""
        before = self._host.clock.now_ms() - _USE_NOTED_EVERY_MS
        if (last_used_at is None or last_used_at < before) and key_id not in self._noting:
            task = self._noting[key_id] = asyncio.create_task(self._write_use(key_id, before))
            task.add_done_callback(lambda _: self._noting.pop(key_id, None))

    async def _write_use(self, key_id: str, before: int) -> None:
        try:
            async with self._host.data.write() as writer:
                await writer.run(sql.note_use, id=key_id, now=self._host.clock.now_ms(), before=before)
        except (Problem, RuntimeError):
            return  # the server is busy or going down: the next use notes itself


def check_within(who: Principal, scope: Scope) -> None:
    """A scoped credential mints nothing wider than itself."""
    own = who.credential.scope
    asked = frozenset(PERMISSIONS) if scope.permissions is None else scope.permissions
    if own is not None and (beyond := asked - own):
        missing = min(beyond)
        raise PermissionDenied(missing, f"A key within your own scope cannot hold {missing}; narrow it.")


@lru_cache(maxsize=4096)
def parse_scope(text: str) -> Scope:
    return Scope.of(json.loads(text))


def _new_access_key_id() -> str:
    return "GH" + "".join(secrets.choice(_LETTERS) for _ in range(18))
