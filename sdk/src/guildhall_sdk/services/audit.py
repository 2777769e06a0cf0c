"""Reading the audit trail; writing to it is `Writer.audit`."""

from collections.abc import Sequence
from typing import Any, Protocol

from guildhall_sdk.data import Reader, Writer


class AuditTrail(Protocol):
    """Events of the audit trail, newest first, as the API shows them."""

    async def of_team(
        self, reader: Reader, org_id: str, team_id: str, before: str | None, limit: int
    ) -> Sequence[dict[str, Any]]:
        """Returns the events of a team, those older than `before`."""

    async def of_org(
        self, reader: Reader, org_id: str, before: str | None, limit: int
    ) -> Sequence[dict[str, Any]]:
        """Returns the events of a company, those older than `before`."""

    async def find(
        self,
        reader: Reader,
        org_id: str,
        team_id: str | None,
        before: str | None,
        limit: int,
        *,
        actor: str = "",
        action: str = "",
    ) -> tuple[Sequence[dict[str, Any]], str | None]:
        """Returns some of the events older than `before`, and before what to look on; None at the end.

        `actor` is a user's id; `action` is one, such as `token.issued`, or the noun of several: `token`. One
        call looks at a bounded number of events, so that it may find fewer than `limit`, and none.
        """

    async def count(self, reader: Reader) -> int:
        """Counts the events that the whole instance has recorded and not deleted."""


class AuditRetention(Protocol):
    """Deletes old events such that what remains still verifies; for the plugin that says for how long.

    None that is younger than 30 days goes, and none of a chain that does not hold.
    """

    async def count(self, reader: Reader, before: int) -> int:
        """Counts the events before a time in milliseconds."""

    async def delete_before(self, writer: Writer, before: int, limit: int) -> int:
        """Deletes about so many of them, from the start of each chain on; returns 0 when no more go."""
