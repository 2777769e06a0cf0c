"""Preferences: what teams and companies decided about plugins."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.preferences import Preference
from guildhall_sdk.principal import Principal

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPreference(Generic[Value]):
    """A value and its last change; the version is 0 where there was none."""

    value: Value
    version: int = 0
    updated_at: int | None = None
    updated_by: str | None = None

    @property
    def etag(self) -> str:
        """The entity tag of this version."""
        return f'"{self.version}"'


class Preferences(Protocol):
    """Values by their declared `Preference`; any other raises `LookupError`.

    `team` and `company` are for a plugin's own work and ask nobody's permission. `read`, `write` and `reset`
    act for a caller, on their own team or company, and raise `PermissionDenied`.
    """

    async def team(self, reader: Reader, team_id: str, preference: Preference[Value]) -> Value:
        """Returns the value of a team, or the default."""

    async def company(self, reader: Reader, org_id: str, preference: Preference[Value]) -> Value:
        """Returns the value of a company, or the default."""

    async def read(
        self, reader: Reader, principal: Principal, preference: Preference[Value]
    ) -> StoredPreference[Value]:
        """Returns the value of the caller's own team or company, or the default, with its version."""

    async def write(
        self,
        writer: Writer,
        principal: Principal,
        preference: Preference[Value],
        value: Value,
        *,
        version: int | None = None,
    ) -> StoredPreference[Value]:
        """Checks the value against the schema, stores it and records that in the audit trail, not the value.

        With `version` it raises `PreconditionFailed` unless that is still the version; without, the last
        write wins. Raises `InvalidRequest`, and `TooLarge` beyond `MAX_PREFERENCE_BYTES`.
        """

    async def reset(
        self,
        writer: Writer,
        principal: Principal,
        preference: Preference[Value],
        *,
        version: int | None = None,
    ) -> StoredPreference[Value]:
        """Puts the value back to the default, as a change like any other."""
