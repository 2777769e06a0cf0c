"""From roles to permissions, as the plugins of one server declare them."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from guildhall_sdk import InvalidRequest, Permission, PermissionDenied, Principal
from guildhall_sdk.principal import ORG_ROLES, OWNER, TEAM_ROLES, role_includes

_NONE: frozenset[str] = frozenset()
_CACHED = 4096
_OVER_TEAMS = "org:manage"


class DeclaredRoles:
    """Implements the SDK's `Roles`."""

    permissions: Mapping[str, Permission]

    def __init__(self, permissions: Sequence[Permission] = ()) -> None:
        self.declare(permissions)

    def declare(self, permissions: Sequence[Permission]) -> None:
        """Replaces what was declared before: during the boot a plugin may be withdrawn."""
        self.permissions = MappingProxyType({permission.name: permission for permission in permissions})
        self._every = frozenset(self.permissions)
        self._held = {role: _held(role, permissions) for role in (*TEAM_ROLES, *ORG_ROLES)}
        # A request needs what its caller's roles hold, and there are few combinations.
        self.effective = lru_cache(maxsize=_CACHED)(self._effective)

    def held_by(self, role: str) -> frozenset[str]:
        return self._held.get(role, _NONE)

    def check_names(self, names: Sequence[str], pointer: str) -> None:
        for position, name in enumerate(names):
            if name not in self._every:
                known = ", ".join(sorted(self._every))
                raise InvalidRequest.at(f"{pointer}/{position}", f"must be one of {known}")

    def check_grantable(self, by: Principal, role: str) -> None:
        missing = sorted(self.held_by(role) - by.permissions)
        if role == "worker" and not by.operator:
            missing = ["instance:manage"]
        if missing:
            raise PermissionDenied(missing[0], f"To grant the role {role} you need {missing[0]} yourself.")
        if role == OWNER and not (by.role == OWNER or by.operator or by.may(_OVER_TEAMS)):
            raise PermissionDenied(
                _OVER_TEAMS,
                "Only an owner of the team, or who manages the company, makes and unmakes owners.",
            )

    def _effective(
        self, role: str | None, org_role: str | None, operator: bool, scope: frozenset[str] | None
    ) -> frozenset[str]:
        """Returns what the roles give, cut down to the credential's scope: a scope never widens."""
        held = self._every if operator else self.held_by(role or "") | self.held_by(org_role or "")
        return held if scope is None else held & scope


def _held(role: str, permissions: Sequence[Permission]) -> frozenset[str]:
    return frozenset(
        permission.name
        for permission in permissions
        if any(role_includes(role, lowest) for lowest in permission.roles)
    )
