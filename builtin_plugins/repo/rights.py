"""Who may do what with an object."""

from collections.abc import Mapping

from guildhall_sdk import NotFound, PermissionDenied, Principal

READ, WRITE, DELETE, MANAGE = "files:read", "files:write", "files:delete", "files:manage"
ALL = frozenset({READ, WRITE, DELETE, MANAGE})
CAPABILITIES: Mapping[str, frozenset[str]] = {
    "view": frozenset({READ}),
    "edit": frozenset({READ, WRITE}),
    "manage": ALL,
}
NONE: frozenset[str] = frozenset()


def rights_on(
    caller: Principal,
    *,
    team_id: str,
    owner_id: str,
    visibility: str,
    granted: frozenset[str],
    across_company: bool = False,
) -> frozenset[str]:
    """Returns the rights by ownership, live grants and role, never past the credential.

    What is private is the owner's alone.
    """
    here = team_id == caller.team_id
    rights: set[str] = set()
    if here and owner_id == caller.user_id:
        rights |= ALL
    if visibility != "private":
        for capability in granted:
            rights |= CAPABILITIES[capability]
    if here and visibility == "team":
        rights |= ALL & caller.permissions
    if across_company and visibility == "team" and caller.may("org:read"):
        rights.add(READ)
    return frozenset(right for right in rights if caller.scope_allows(right))


def require(right: str, rights: frozenset[str]) -> None:
    """Raises unless the right is held; a caller who cannot see the object is told that there is none."""
    if right not in rights:
        raise PermissionDenied(right) if READ in rights else NotFound()
