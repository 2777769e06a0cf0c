"""Reading the audit trail; writing to it is `Writer.audit`."""

from collections.abc import Sequence
from typing import Any, Protocol

from guildhall_sdk.data import Reader


class AuditTrail(Protocol):
    """Events of the audit trail, newest first, as the API shows them."""

    async def of_team(
        self, reader: Reader, org_id: str, team_id: str, before: str | None, limit: int
    ) -> Sequence[dict[str, Any]]:
        """Returns the events of a team, those older than `before`."""
        ...

    async def of_org(
        self, reader: Reader, org_id: str, before: str | None, limit: int
    ) -> Sequence[dict[str, Any]]:
        """Returns the events of a company, those older than `before`."""
        ...

    async def count(self, reader: Reader) -> int:
        """Counts the events that the whole instance has recorded."""
        ...
