"""Permissions, as plugins declare them, and the roles that can hold them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

#: In a team, as `POST /api/members` takes them.
TEAM_ROLES = ("viewer", "member", "admin", "owner", "translator", "reviewer", "localizer", "worker")
#: In a company, beside the role in a team.
ORG_ROLES = ("org_reader", "org_admin", "org_owner")

_EXTENDS: Mapping[str, str] = MappingProxyType(
    {
        "member": "viewer",
        "admin": "member",
        "owner": "admin",
        "translator": "viewer",
        "reviewer": "translator",
        "localizer": "reviewer",
        "org_admin": "org_reader",
        "org_owner": "org_admin",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A right that rows, tools and services ask for.

    `roles` are the lowest that hold it by default; each role that includes one of them holds it too, so
    that nobody lacks what somebody below them has. Operators hold every permission.
    """

    name: str
    description: str
    roles: Sequence[str] = ()


def role_includes(role: str, lower: str) -> bool:
    """Tells whether a role holds everything that another holds: `admin` includes `viewer`, and itself."""
    step: str | None = role
    while step is not None and step != lower:
        step = _EXTENDS.get(step)
    return step is not None
