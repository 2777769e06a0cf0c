"""What plugins keep in a team, and how it goes to another one when the team is deleted."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Statement, Writer
from guildhall_sdk.hooks import declares
from guildhall_sdk.services.tenancy import Team


@dataclass(frozen=True, slots=True)
class TeamMove:
    """What is in one team goes to another team of the same company."""

    source: Team
    target: Team


MoveContent = Callable[[Host, Writer, TeamMove], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TeamContent:
    """Rows that a plugin keeps for a team; for `declare_team_contents`.

    `held` finds a row, by the bind `:team_id`, while the team has something that people would miss: such a
    team is not deleted unless it goes elsewhere. Without it the rows follow what other plugins move. `move`
    runs in the transaction that deletes the team, and raises `Conflict` for what cannot go.
    """

    #: In words, for the refusal: `notes`.
    name: str
    held: Statement | None = None
    move: MoveContent


def moved_by(*statements: Statement) -> MoveContent:
    """Returns a move by statements, run in order, that bind `:org_id`, `:source` and `:target`."""

    async def move(host: Host, writer: Writer, how: TeamMove) -> None:
        binds = {"org_id": how.source.org_id, "source": how.source.id, "target": how.target.id}
        for statement in statements:
            await writer.run(statement, **binds)

    return move


class TeamHooks(Protocol):
    """The hook of the plugin `companies`."""

    @declares(
        TeamContent,
        label="content of a team",
        name=attrgetter("name"),
        functions={"move": ("host", "writer", "how")},
    )
    def declare_team_contents(self) -> Sequence[TeamContent]:
        """Declares what this plugin keeps in a team, and how it goes to another when the team is deleted."""
