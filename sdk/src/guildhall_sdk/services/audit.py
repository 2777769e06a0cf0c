"""Reading the audit trail; writing to it is `Writer.audit`."""

from collections.abc import Sequence
from typing import Any, Protocol

from guildhall_sdk.data import Reader


class AuditTrail(Protocol):
    """Events newest first, as they are shown."""

    async def of_team(
        self, reader: Reader, org_id: str, team_id: str, before: str | None, limit: int
    ) -> Sequence[dict[str, Any]]: ...

    async def of_org(
        self, reader: Reader, org_id: str, before: str | None, limit: int
    ) -> Sequence[dict[str, Any]]: ...

    async def count(self, reader: Reader) -> int:
        """How many events the whole instance has recorded."""
        ...
