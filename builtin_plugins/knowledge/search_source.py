"""Entities, as search finds them: by each name for those who read a document that uses it."""

from collections.abc import Sequence

from builtin_plugins.knowledge.statements import READ, changes, sql
from guildhall_sdk import SearchSource, Writer
from guildhall_sdk.services.search import Findable, SearchIndex

TYPE = "entity"

SOURCES = (
    SearchSource(
        TYPE, READ, "/api/kg/entities/{id}", sql.findable, sql.findable, every=sql.every, few=sql.few_entities
    ),
)


def findable(
    entity_id: str, org_id: str, team_id: str, names: Sequence[str], *, new: bool = False
) -> Findable:
    """Returns an entity as the index takes it: the first name is its title."""
    title, *others = names
    return Findable(TYPE, entity_id, org_id, team_id, title, "\n".join(others), new=new)


async def put_in_index(index: SearchIndex, writer: Writer, org_id: str, entity_id: str) -> None:
    """Makes an entity findable by its own name and by those that people gave it."""
    row = await writer.one(changes.entity, id=entity_id, org_id=org_id)
    assert row is not None
    names = [row["given_name"], row["name"]] if row["given_name"] else [row["name"]]
    names += [one["alias"] for one in await writer.all(changes.aliases, id=entity_id)]
    await index.put(writer, findable(entity_id, org_id, row["team_id"], names))
