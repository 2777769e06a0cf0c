"""Reports of what a team has used: by person, by model, by token and by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from guildhall_sdk.data import Reader

UsageBy = Literal["user", "model", "token", "day"]
USAGE_BY: tuple[UsageBy, ...] = ("user", "model", "token", "day")


@dataclass(frozen=True, slots=True)
class UsageLine:
    """What one of them has used; `id` is a user's, a model's name, a token's or a day, `name` is for people.

    What was used without an API token stands under the kind of the credential, such as `session`.
    """

    by: UsageBy
    id: str
    name: str
    requests: int
    tokens: int

    def public(self) -> dict[str, Any]:
        """The line as the API shows it."""
        return {
            "by": self.by,
            "id": self.id,
            "name": self.name,
            "requests": self.requests,
            "tokens": self.tokens,
        }


class UsageReports(Protocol):
    """Says who used what; whoever meters offers it, and its sums are those of the quota ledger."""

    async def lines(
        self,
        reader: Reader,
        team_id: str,
        by: UsageBy,
        *,
        user_id: str | None = None,
        since: int | None = None,
        until: int | None = None,
        after: str | None = None,
        limit: int,
    ) -> Sequence[UsageLine]:
        """The lines of a team ordered by id, those behind `after`; of all its people, or of one.

        `since` and `until` are milliseconds since the epoch: from the one, and before the other.
        """
