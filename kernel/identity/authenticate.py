"""Who shows a token: what it looks like, whose it is, and when it was last used.

Callers are remembered for as long as nothing changes about who may do what. Whatever changes it moves one
version in the database, in its own transaction, and every request reads that version: so a right that is gone
is gone for the next request, in every process. See docs/decisions/known-callers.md.
"""

import asyncio
import contextlib
import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from contextvars import copy_context
from functools import lru_cache, partial
from math import inf
from pathlib import Path
from typing import Final

from guildhall_sdk import Clock, Credential, Forbidden, Principal, Problem, Reader, Row, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.principal import TokenKind
from guildhall_sdk.routes import Verified
from kernel.db.database import Database
from kernel.rbac import DeclaredRoles
from libs.coordination import GroupCommit
from libs.records import record_of

_PREFIXES: Final[dict[TokenKind, str]] = {"session": "ghs_", "api": "gha_", "worker": "ghw_"}
#: A token that begins so is ours, be it malformed or long ended: no plugin is asked about it.
OWN_PREFIXES = tuple(_PREFIXES.values())
_WELL_FORMED = re.compile(r"gh[saw]_[A-Za-z0-9_-]{43}")
_sql = load_queries(Path(__file__).with_name("queries.sql"))
WORKER = "worker"
NOTED_EVERY_MS = 5 * 60 * 1000
FLUSH_SECONDS = 60.0
MAX_HELD = 100_000
MAX_KNOWN = 4096
#: What moves no version, such as when a session was last used, is read again after so long.
MAX_AGE_MS = 60_000
PERSON_SUSPENDED = "Your account is suspended; ask who manages your company."


def new_token(kind: TokenKind) -> str:
    """Makes a token: a prefix that tells the kind, and 256 bits of chance."""
    return _PREFIXES[kind] + secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """Hashes a token by plain SHA-256: with 256 bits of chance that is enough, and an index may find it."""
    return hashlib.sha256(token.encode()).hexdigest()


async def principal_and_version(
    reader: Reader, token: str, now_ms: int, roles: DeclaredRoles
) -> tuple[Principal, str] | None:
    """Returns the caller of a token, and the version of access that they stand by, or None.

    None is for a token that is malformed, unknown, expired or revoked, or whose owner left the team. A worker
    is in no team, and one for every company in none of them. Raises `Forbidden` `person_suspended`.
    """
    if _WELL_FORMED.fullmatch(token) is None:
        return None
    kind = WORKER if token.startswith(_PREFIXES["worker"]) else ""
    return await _read_principal(reader, hash_of(token), kind, now_ms, roles)


async def _read_principal(
    reader: Reader, hashed: str, kind: str, now_ms: int, roles: DeclaredRoles
) -> tuple[Principal, str] | None:
    of_worker = kind == WORKER
    statement = _sql.worker_by_hash if of_worker else _sql.principal_by_hash
    row = await reader.one(statement, secret_hash=hashed, now=now_ms)
    if row is None:
        return None
    scope = roles.held_by(WORKER) if of_worker else parse_scope(row["scope"])
    credential = record_of(Credential, row, id=row["credential_id"], scope=scope)
    return principal_of_row(row, credential, roles), row["access_version"]


async def principal_with(
    reader: Reader, credential: Credential, user_id: str, team_id: str, roles: DeclaredRoles
) -> Principal | None:
    """Returns whom a credential that is kept elsewhere stands for, or None if they left the team.

    Raises `Forbidden` `person_suspended`.
    """
    row = await reader.one(_sql.principal_in_team, user_id=user_id, team_id=team_id)
    return None if row is None else principal_of_row(row, credential, roles)


def principal_of_row(row: Row, credential: Credential, roles: DeclaredRoles) -> Principal:
    """Returns whom a row describes; raises `Forbidden` `person_suspended`."""
    if row["person_suspended_at"] is not None:
        raise Forbidden(PERSON_SUSPENDED, code="person_suspended")
    return record_of(
        Principal,
        row,
        org_suspended=row["suspended_at"] is not None,
        credential=credential,
        permissions=roles.effective(row["role"], row["org_role"], bool(row["operator"]), credential.scope),
    )


@lru_cache(maxsize=4096)
def parse_scope(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))


class KnownCallers:
    """Finds whose a token is. Tokens themselves are not remembered, but their hashes."""

    def __init__(self, data: Database, clock: Clock, roles: DeclaredRoles, uses: "SessionUses") -> None:
        self._data = data
        self._uses = uses
        self._clock = clock
        self.roles = roles
        self._known: dict[str, Verified] = {}
        self._last_version: str | None = None
        # One read for all who wait at a moment, where it is a round trip; elsewhere nobody would.
        self._reads = GroupCommit(self._read_for_all, copy_context) if data.shared_by_processes else None

    def forget(self) -> None:
        """Forgets all callers: what roles give has changed, which moves no version."""
        self._known.clear()

    async def verify(self, token: str, now_ms: int) -> Verified:
        """Returns the caller of a token; raises `Unauthenticated`, and `Forbidden` `person_suspended`."""
        known = self._known.get(hash_of(token))
        # Nothing is read where the last version was another already.
        if known is not None and now_ms < known.until and known.version == self._last_version:
            reading = self._read_version() if self._reads is None else self._reads.put(None)
            self._last_version = await reading
            if known.version == self._last_version:
                return known
        return await self._read(token, now_ms)

    async def _read_version(self) -> str | None:
        rows = await self._data.read_rows(_sql.access_version)
        return rows[0]["version"] if rows else None

    async def _read_for_all(self, waiting: Sequence[None]) -> Sequence[str | None]:
        return [await self._read_version()] * len(waiting)

    async def _read(self, token: str, now_ms: int) -> Verified:
        async with self._data.read() as reader:
            found = await principal_and_version(reader, token, now_ms, self.roles)
        if found is None:
            raise Unauthenticated("This token is unknown, expired or revoked; sign in again.")
        principal, self._last_version = found
        self._uses.note(principal.credential, now_ms)
        hashed, end = hash_of(token), principal.credential.expires_at
        if len(self._known) >= MAX_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[hashed] = known = Verified(
            principal=principal,
            look_up=partial(self._look_up, hashed, principal.credential.kind),
            version=self._last_version,
            until=min(now_ms + MAX_AGE_MS, inf if end is None else end),
        )
        return known

    async def _look_up(self, hashed: str, kind: str, reader: Reader) -> Principal | None:
        """Returns the caller as they are in the transaction of the reader; None where the token ended."""
        found = await _read_principal(reader, hashed, kind, self._clock.now_ms(), self.roles)
        return None if found is None else found[0]


class SessionUses:
    """Collects uses and writes them together now and then: no request waits for it, or writes for it.

    A use is noted when its caller is read, which is once in `MAX_AGE_MS`.
    """

    def __init__(self, data: Data, clock: Clock) -> None:
        self._data = data
        self._clock = clock
        self._used: set[str] = set()

    async def run(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self.flush()

    def note(self, credential: Credential, now_ms: int) -> None:
        seen = credential.last_used_at
        if seen is None or seen >= now_ms - NOTED_EVERY_MS or len(self._used) >= MAX_HELD:
            return
        if credential.is_session:
            self._used.add(credential.id)

    async def flush(self) -> None:
        used, self._used = self._used, set()
        if not used:
            return
        # Busy: it is but a date, and the next use is recorded.
        with contextlib.suppress(Problem):
            async with self._data.write() as writer:
                noted = {"ids": json.dumps(sorted(used)), "now": self._clock.now_ms()}
                await writer.run(_sql.note_uses, **noted)
                await writer.run(_sql.note_people, **noted)
