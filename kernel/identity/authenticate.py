"""Who shows a token: what it looks like, whose it is, and when it was last used."""

import contextlib
import hashlib
import json
import re
import secrets
from functools import lru_cache
from pathlib import Path
from typing import Final

from guildhall_sdk import Clock, Credential, Forbidden, Principal, Problem, Reader, Row, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.principal import TokenKind
from kernel.logs import get_logger
from kernel.rbac import DeclaredRoles
from libs.coordination import Loop

_log = get_logger("identity")
_PREFIXES: Final[dict[TokenKind, str]] = {"session": "ghs_", "api": "gha_", "worker": "ghw_"}
_WELL_FORMED = re.compile(r"gh[saw]_[A-Za-z0-9_-]{43}")
_sql = load_queries(Path(__file__).with_name("queries.sql"))
WORKER = "worker"
NOTED_EVERY_MS = 5 * 60 * 1000
FLUSH_SECONDS = 60.0
MAX_HELD = 100_000
PERSON_SUSPENDED = "Your account is suspended; ask who manages your company."


def new_token(kind: TokenKind) -> str:
    """Makes a token: a prefix that tells the kind, and 256 bits of chance."""
    return _PREFIXES[kind] + secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """Hashes a token by plain SHA-256: with 256 bits of chance that is enough, and an index may find it."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_own(token: str) -> bool:
    """Tells whether a token has our form: no plugin is asked about it, be it malformed or long ended."""
    return token.startswith(tuple(_PREFIXES.values()))


async def principal_for(reader: Reader, token: str, now_ms: int, roles: DeclaredRoles) -> Principal | None:
    """Returns the caller of a token, or None.

    None is for a token that is malformed, unknown, expired or revoked, or whose owner left the team. Raises
    `Forbidden` `person_suspended`.
    """
    found = await principal_and_version(reader, token, now_ms, roles)
    return None if found is None else found[0]


async def principal_and_version(
    reader: Reader, token: str, now_ms: int, roles: DeclaredRoles
) -> tuple[Principal, str] | None:
    """Returns the caller of a token as `principal_for` does, and the version of access that they stand by."""
    if _WELL_FORMED.fullmatch(token) is None:
        return None
    of_worker = token.startswith(_PREFIXES["worker"])
    statement = _sql.worker_by_hash if of_worker else _sql.principal_by_hash
    row = await reader.one(statement, secret_hash=hash_of(token), now=now_ms)
    if row is None:
        return None
    principal = _worker(row, roles) if of_worker else principal_from(row, _credential(row), roles)
    return principal, row["access_version"]


def _credential(row: Row) -> Credential:
    return Credential(
        id=row["credential_id"],
        kind=row["kind"],
        scope=parse_scope(row["scope"]),
        expires_at=row["expires_at"],
        began_at=row["began_at"],
        last_used_at=row["last_used_at"],
        made_with=row["made_with"],
        made_until=row["made_until"],
    )


async def principal_with(
    reader: Reader, credential: Credential, user_id: str, team_id: str, roles: DeclaredRoles
) -> Principal | None:
    """Returns whom a credential that is kept elsewhere stands for, or None if they left the team.

    Raises `Forbidden` `person_suspended`.
    """
    row = await reader.one(_sql.principal_in_team, user_id=user_id, team_id=team_id)
    return None if row is None else principal_from(row, credential, roles)


def principal_from(row: Row, credential: Credential, roles: DeclaredRoles) -> Principal:
    """Makes a principal of the columns of a membership; raises `Forbidden` `person_suspended`."""
    if row["person_suspended_at"] is not None:
        raise Forbidden(PERSON_SUSPENDED, code="person_suspended")
    operator = bool(row["operator"])
    return Principal(
        user_id=row["user_id"],
        username=row["username"],
        display_name=row["display_name"],
        locale=row["locale"],
        two_factor=bool(row["two_factor"]),
        operator=operator,
        team_id=row["team_id"],
        team_name=row["team_name"],
        role=row["role"],
        org_id=row["org_id"],
        org_slug=row["org_slug"],
        org_name=row["org_name"],
        org_role=row["org_role"],
        org_suspended=row["suspended_at"] is not None,
        credential=credential,
        permissions=roles.effective(row["role"], row["org_role"], operator, credential.scope),
        switches=row["switches"],
    )


def _worker(row: Row, roles: DeclaredRoles) -> Principal:
    """Returns a worker's principal, which is in no team; one for every company is in none of them."""
    held = roles.held_by(WORKER)
    return Principal(
        user_id=row["worker_id"],
        username=row["name"],
        display_name=row["name"],
        locale="en",
        two_factor=False,
        operator=False,
        team_id="",
        team_name="",
        role=WORKER,
        org_id=row["org_id"] or "",
        org_slug=row["org_slug"] or "",
        org_name=row["org_name"] or "",
        org_role=None,
        org_suspended=row["suspended_at"] is not None,
        credential=Credential(row["credential_id"], WORKER, held, row["expires_at"]),
        permissions=held,
    )


@lru_cache(maxsize=4096)
def parse_scope(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))


class SessionUses:
    """Collects uses and writes them together now and then: no request waits for it, or writes for it."""

    def __init__(self, data: Data, clock: Clock) -> None:
        self._data = data
        self._clock = clock
        self._used: set[str] = set()
        self._loop = Loop("session uses", self.flush, FLUSH_SECONDS, _log_unwritten)

    def start(self) -> None:
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
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


def _log_unwritten(error: Exception) -> None:
    _log.error("session.uses_not_written", exc=error)
