"""Callers by their tokens, remembered for as long as nothing changes about who may do what.

Whatever changes it moves one version in the database, in its own transaction. Every request reads that
version: so a right that is gone is gone for the next request, in every process. See
docs/decisions/known-callers.md.
"""

from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from guildhall_sdk import Clock, Principal, Reader, load_queries
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.routes import Verified
from kernel.db import Database
from kernel.identity.authenticate import hash_of, principal_and_version, principal_for
from kernel.rbac import DeclaredRoles
from libs.coordination import GroupCommit

_sql = load_queries(Path(__file__).with_name("queries.sql"))
MAX_KNOWN = 4096
#: What moves no version, such as when a session was last used, is read again after so long.
MAX_AGE_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A caller as read under a version of access, until they are to be read again or their token ends."""

    principal: Principal
    version: str
    since: int
    until: float
    remembered: dict[Callable[..., Any], Any] = field(default_factory=dict)

    def holds(self, version: str | None, now_ms: int) -> bool:
        return self.version == version and self.since <= now_ms < self.until


class KnownCallers:
    """Finds whose a token is. Tokens themselves are not remembered, but their hashes."""

    def __init__(self, data: Database, clock: Clock, roles: DeclaredRoles) -> None:
        self._data = data
        self._clock = clock
        self._roles = roles
        self._known: dict[str, _Known] = {}
        self._last_version: str | None = None
        # One read for all who wait at a moment, where it is a round trip; elsewhere nobody would.
        self._reads = GroupCommit(self._read_for_all, copy_context) if data.shared_by_processes else None

    async def verify(self, token: str, now_ms: int) -> Verified:
        """Returns the caller of a token; raises `Unauthenticated`, and `Forbidden` `person_suspended`."""
        known = self._known.get(hash_of(token))
        if known is None or not await self._still_holds(known, now_ms):
            known = await self._read(token, now_ms)
        return Verified(
            principal=known.principal,
            look_up=partial(self._look_up, token, known),
            remembered=known.remembered,
        )

    async def _still_holds(self, known: _Known, now_ms: int) -> bool:
        """Tells whether a caller is who they were; it reads nothing where the last version was another."""
        if not known.holds(self._last_version, now_ms):
            return False
        reading = self._read_version() if self._reads is None else self._reads.put(None)
        self._last_version = await reading
        return known.version == self._last_version

    async def _read_version(self) -> str | None:
        async with self._data.read() as reader:
            version: str | None = await reader.value(_sql.access_version)
            return version

    async def _read_for_all(self, waiting: Sequence[None]) -> Sequence[str | None]:
        return [await self._read_version()] * len(waiting)

    async def _read(self, token: str, now_ms: int) -> _Known:
        async with self._data.read() as reader:
            found = await principal_and_version(reader, token, now_ms, self._roles)
        if found is None:
            raise Unauthenticated("This token is unknown, expired or revoked; sign in again.")
        principal, self._last_version = found
        end = principal.credential.expires_at
        known = _Known(
            principal=principal,
            version=self._last_version,
            since=now_ms,
            until=min(now_ms + MAX_AGE_MS, inf if end is None else end),
        )
        if len(self._known) >= MAX_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[hash_of(token)] = known
        return known

    async def _look_up(self, token: str, known: _Known, reader: Reader) -> Principal | None:
        """Returns the caller as they are in the transaction of the reader; None where the token ended."""
        now_ms = self._clock.now_ms()
        if known.holds(await reader.value(_sql.access_version), now_ms):
            return known.principal
        return await principal_for(reader, token, now_ms, self._roles)
