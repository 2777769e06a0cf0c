"""The roles, the permissions that each holds on this server, and who may grant them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from guildhall_sdk.errors import PermissionDenied
from guildhall_sdk.permissions import Permission, role_includes
from guildhall_sdk.principal import Principal

OWNER = "owner"
_OVER_TEAMS = "org:manage"


class Roles(Protocol):
    """The permissions that plugins declare, and which of them each role holds."""

    @property
    def permissions(self) -> Mapping[str, Permission]:
        """Every permission by name, in the order of admission."""

    def held_by(self, role: str) -> frozenset[str]:
        """Returns the permissions of a role in a team or a company; none for an unknown role."""

    def check_names(self, names: Sequence[str], pointer: str) -> None:
        """Raises `InvalidRequest` at the first name below `pointer` that is no permission here."""


def check_grantable(roles: Roles, by: Principal, role: str) -> None:
    """Raises `PermissionDenied` unless the caller may grant the team role.

    A role may be granted by who holds all its permissions; `worker` by an operator alone. `owner` comes from
    an owner, an operator or who manages the company: an admin holds as much, and is less. The error names the
    first permission that is missing.
    """
    missing = sorted(roles.held_by(role) - by.permissions)
    if role == "worker" and not by.operator:
        missing = ["instance:manage"]
    if missing:
        raise PermissionDenied(missing[0], f"To grant the role {role} you need {missing[0]} yourself.")
    if role == OWNER:
        _check_over_owners(by)


def check_regradable(roles: Roles, by: Principal, user_id: str, before: str, after: str | None) -> None:
    """Raises `PermissionDenied` unless the caller may change a member's role, or end it with None.

    Nobody raises their own role. An owner's is changed by those who could grant it.
    """
    if before == OWNER and after != OWNER:
        check_grantable(roles, by, OWNER)
    if after is not None and user_id == by.user_id and is_demotion(after, before):
        raise PermissionDenied("members:manage", "Nobody raises their own role; ask a colleague.")


def is_demotion(before: str, after: str) -> bool:
    """Tells whether one role holds less than another; an owner stands above those who hold as much."""
    if before == OWNER or after == OWNER:
        return before != after and before == OWNER
    return not role_includes(after, before)


def _check_over_owners(by: Principal) -> None:
    if not (by.role == OWNER or by.operator or by.may(_OVER_TEAMS)):
        raise PermissionDenied(
            _OVER_TEAMS, "Only an owner of the team, or who manages the company, makes and unmakes owners."
        )
