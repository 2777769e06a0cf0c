"""Finding triggers by key and type: the prefixes of a team, each linked to the longest one above it."""

import json

from builtin_plugins.triggers.patterns import spellings
from builtin_plugins.triggers.statements import sql
from builtin_plugins.triggers.trigger import Trigger
from guildhall_sdk import Writer


async def add(writer: Writer, trigger: Trigger) -> None:
    """Makes a trigger findable; the team's triggers are locked."""
    team_id, prefix = trigger.team_id, trigger.match_prefix
    parent = await writer.value(sql.parent_of, team_id=team_id, prefix=prefix)
    if await writer.value(sql.insert_prefix, team_id=team_id, prefix=prefix, parent=parent) is not None:
        await writer.run(sql.put_between, team_id=team_id, prefix=prefix, length=len(prefix))
    types = json.dumps(spellings(trigger.match_types))
    await writer.run(sql.insert_matches, id=trigger.id, team_id=team_id, prefix=prefix, types=types)


async def remove(writer: Writer, trigger: Trigger) -> None:
    """Undoes `add`; the team's triggers are locked."""
    team_id, prefix = trigger.team_id, trigger.match_prefix
    await writer.run(sql.delete_matches, id=trigger.id)
    dropped = await writer.one(sql.drop_prefix, team_id=team_id, prefix=prefix)
    if dropped is not None:
        await writer.run(sql.put_below, team_id=team_id, prefix=prefix, parent=dropped["parent"])
