"""Documents that are gone: what they said goes with them."""

import json
from collections.abc import Sequence

from builtin_plugins.knowledge.search_source import TYPE
from builtin_plugins.knowledge.statements import changes
from guildhall_sdk import EventCall, Host, NotFound, Principal, Subscription, Writer
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import SearchIndex
from guildhall_sdk.subscriptions import OBJECT_DELETED


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


async def forget(host: Host, writer: Writer, object_id: str, version_id: str | None = None) -> None:
    """Removes all that a document said; with a version, only if that is the one that was extracted."""
    row = await writer.one(changes.extraction_of, object_id=object_id)
    if row is None or version_id not in (None, row["version_id"]):
        return
    await lock_graph(writer, row["team_id"])
    of_document = {"object_id": object_id, "team_id": row["team_id"]}
    mentioned = [one["entity_id"] for one in await writer.all(changes.mentioned_in, **of_document)]
    await writer.run(changes.delete_relations, **of_document)
    await writer.run(changes.delete_mentions, **of_document)
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
