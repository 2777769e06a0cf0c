"""A team's objects go to another team's bucket when the team is deleted."""

from builtin_plugins.repo.finding import sql
from builtin_plugins.repo.keys import LONGEST_KEY
from guildhall_sdk import Conflict, Host, Writer
from guildhall_sdk.teams import TeamContent, TeamMove

_THEN = (
    sql.move_old_versions,
    sql.move_grants,
    sql.drop_double_grants,
    sql.move_given,
    sql.drop_lifecycle,
)


async def move(host: Host, writer: Writer, how: TeamMove) -> None:
    """Moves every object to its key; where that is taken, below a folder with the old team's slug."""
    binds = {"org_id": how.source.org_id, "source": how.source.id, "target": how.target.id}
    folder = f"{how.source.slug}/"
    clash = await writer.value(sql.clashing_key, **binds, folder=folder, longest=LONGEST_KEY)
    if clash is not None:
        raise Conflict(
            f"{how.target.name} has a file at this key, and in the folder {folder} too; rename one: {clash}",
            code="key_taken",
        )
    await writer.run(sql.move_objects, **binds, folder=folder)
    for statement in _THEN:
        await writer.run(statement, **binds)


CONTENT = TeamContent(name="files", held=sql.held_by_team, move=move)
