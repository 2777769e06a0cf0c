"""From roles to permissions."""

from functools import lru_cache

from guildhall_sdk.permissions import ORG_ROLES, PERMISSIONS, TEAM_ROLES

_NONE: frozenset[str] = frozenset()
_EVERY = frozenset(PERMISSIONS)


@lru_cache(maxsize=4096)
def effective_permissions(
    role: str | None, org_role: str | None, operator: bool, scope: frozenset[str] | None
) -> frozenset[str]:
    """What the roles give now, cut down to the credential's scope: a scope never widens."""
    held = _EVERY if operator else TEAM_ROLES.get(role or "", _NONE) | ORG_ROLES.get(org_role or "", _NONE)
    return held if scope is None else held & scope
