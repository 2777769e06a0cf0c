"""From a bearer token to whom it stands for, as they are at this moment: one query."""

import json
from functools import lru_cache
from pathlib import Path

from guildhall_sdk import Credential, Principal, Reader, Row, load_queries
from kernel.identity.tokens import hash_of, is_well_formed, is_workers
from kernel.rbac import DeclaredRoles

_sql = load_queries(Path(__file__).with_name("queries.sql"))
_principal_by_hash = _sql.principal_by_hash
WORKER = "worker"


async def principal_for(reader: Reader, token: str, now_ms: int, roles: DeclaredRoles) -> Principal | None:
    """None for a token that is malformed, unknown, expired or revoked, or whose owner left the team."""
    if not is_well_formed(token):
        return None
    if is_workers(token):
        return await _worker_for(reader, token, now_ms, roles)
    row = await reader.one(_principal_by_hash, secret_hash=hash_of(token), now=now_ms)
    if row is None:
        return None
    scope = parse_scope(row["scope"])
    credential = Credential(
        id=row["credential_id"],
        kind=row["kind"],
        scope=scope,
        expires_at=row["expires_at"],
        began_at=row["began_at"],
        last_used_at=row["last_used_at"],
        made_with=row["made_with"],
        made_until=row["made_until"],
    )
    return _principal(row, credential, roles)


async def principal_with(
    reader: Reader, credential: Credential, user_id: str, team_id: str, roles: DeclaredRoles
) -> Principal | None:
    """Whom a credential that is kept elsewhere stands for; None for whoever is not in the team any more."""
    row = await reader.one(_sql.principal_in_team, user_id=user_id, team_id=team_id)
    return None if row is None else _principal(row, credential, roles)


def _principal(row: Row, credential: Credential, roles: DeclaredRoles) -> Principal:
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


async def _worker_for(reader: Reader, token: str, now_ms: int, roles: DeclaredRoles) -> Principal | None:
    """A worker is in no team; one for every company is in none of them either."""
    row = await reader.one(_sql.worker_by_hash, secret_hash=hash_of(token), now=now_ms)
    if row is None:
        return None
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
        credential=Credential(row["credential_id"], WORKER, held, None),
        permissions=held,
    )


@lru_cache(maxsize=4096)
def parse_scope(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))
