"""Entities of documents: how search finds them, and what goes when a document is gone."""

import json
from collections.abc import Mapping, Sequence

from builtin_plugins.knowledge.statements import READ, changes, sql
from guildhall_sdk import EventCall, Host, NotFound, Principal, SearchSource, Subscription, Writer
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import Findable, SearchIndex
from guildhall_sdk.subscriptions import OBJECT_DELETED

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


async def lock_graph(writer: Writer, team_id: str) -> None:
    """Locks a team's graph until the transaction ends: whoever changes it does so alone."""
    await writer.serialize(f"kg:{team_id}")


async def remove_unmentioned(host: Host, writer: Writer, team_id: str, ids: Sequence[str]) -> None:
    """Removes those of the entities that no document mentions any more.

    What a person named or merged stays, to be the same again should a document mention it.
    """
    if not ids:
        return
    index = host.service(SearchIndex)
    for row in await writer.all(changes.unmentioned, ids=json.dumps([*ids]), team_id=team_id):
        await index.remove(writer, TYPE, row["id"])
        if row["disposable"]:
            await writer.run(changes.delete_entity, id=row["id"], team_id=team_id)


async def delete_said(writer: Writer, of_document: Mapping[str, str]) -> None:
    """Deletes what a document says of entities, and no longer counts it for them."""
    await writer.run(changes.shift_links, by=-1, **of_document)
    await writer.run(changes.delete_relations, **of_document)
    await writer.run(changes.delete_mentions, **of_document)


async def forget(host: Host, writer: Writer, object_id: str, version_id: str | None = None) -> None:
    """Removes all that a document said; with a version, only if that is the one that was extracted."""
    row = await writer.one(changes.extraction_of, object_id=object_id)
    if row is None or version_id not in (None, row["version_id"]):
        return
    await lock_graph(writer, row["team_id"])
    of_document = {"object_id": object_id, "team_id": row["team_id"]}
    mentioned = [one["entity_id"] for one in await writer.all(changes.mentioned_in, **of_document)]
    await delete_said(writer, of_document)
    await remove_unmentioned(host, writer, row["team_id"], mentioned)
    await writer.run(changes.delete_pieces, object_id=object_id, org_id=row["org_id"])
    await writer.run(changes.forget_extraction, object_id=object_id)


async def forget_if_gone(host: Host, caller: Principal, object_id: str) -> None:
    """Removes what was stored for a document that was deleted just before that was committed."""
    async with host.data.read() as reader:
        try:
            await host.service(Repository).get(reader, caller, object_id)
            return
        except NotFound:
            there = await reader.one(changes.there, id=object_id, org_id=caller.org_id)
    if there is None:
        async with host.data.write() as writer:
            await forget(host, writer, object_id)


async def react_to_deletion(call: EventCall) -> None:
    deleted = call.payload
    version_id = deleted.version_id if deleted.deleted == "version" else None

    async def effect(writer: Writer) -> None:
        await forget(call.host, writer, deleted.object_id, version_id)

    call.on_success(effect)


SUBSCRIPTIONS = (
    Subscription(
        name="forget",
        event=OBJECT_DELETED.name,
        handler=react_to_deletion,
        doc="Removes what a deleted document said of entities.",
        where={"deleted": ("object", "version")},
        wanted=changes.was_extracted,
    ),
)
