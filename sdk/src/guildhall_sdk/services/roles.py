"""The roles, and the permissions that each holds on this server."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from guildhall_sdk.permissions import Permission


class Roles(Protocol):
    """The permissions that plugins declare, and which of them each role holds."""

    @property
    def permissions(self) -> Mapping[str, Permission]:
        """Every permission by name, in the order of admission."""
        ...

    def held_by(self, role: str) -> frozenset[str]:
        """Returns the permissions of a role in a team or a company; none for an unknown role."""
        ...

    def check_names(self, names: Sequence[str], pointer: str) -> None:
        """Raises `InvalidRequest` at the first name below `pointer` that is no permission here."""
        ...
