"""From a bearer token to the person it stands for, as they are at this moment: one query."""

import json
from functools import lru_cache
from pathlib import Path

from guildhall_sdk import Credential, Principal, Reader, load_queries
from kernel.identity.tokens import hash_of, is_well_formed
from kernel.rbac import effective_permissions

_principal_by_hash = load_queries(Path(__file__).with_name("queries.sql")).principal_by_hash


async def principal_for(reader: Reader, token: str, now_ms: int) -> Principal | None:
    """None for a token that is malformed, unknown, expired or revoked, or whose owner left the team."""
    if not is_well_formed(token):
        return None
    row = await reader.one(_principal_by_hash, secret_hash=hash_of(token), now=now_ms)
    if row is None:
        return None
    scope = parse_scope(row["scope"])
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
        credential=Credential(row["credential_id"], row["kind"], scope, row["expires_at"]),
        permissions=effective_permissions(row["role"], row["org_role"], operator, scope),
    )


@lru_cache(maxsize=4096)
def parse_scope(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))
