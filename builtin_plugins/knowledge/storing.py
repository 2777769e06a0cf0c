"""Storing what a document says, in place of what it said before."""

import json
from collections.abc import Mapping, Sequence

from builtin_plugins.knowledge.candidates import Found, Key
from builtin_plugins.knowledge.documents import (
    delete_said,
    findable,
    lock_graph,
    put_in_index,
    remove_unmentioned,
)
from builtin_plugins.knowledge.names import keys
from builtin_plugins.knowledge.statements import changes
from guildhall_sdk import Host, Principal, Writer, new_id
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import SearchIndex
from guildhall_sdk.services.stored_objects import StoredObject

MAX_PARTS = 200


async def replace_mentions(
    host: Host, writer: Writer, caller: Principal, source: StoredObject, found: Found
) -> bool:
    """Replaces the mentions of a document; returns False where it has another newest version by now."""
    await lock_graph(writer, source.team_id)
    now = await host.service(Repository).get(writer, caller, source.id)
    if now.current.id != source.current.id:
        return False
    of_document = {"object_id": source.id, "team_id": source.team_id}
    before = [row["entity_id"] for row in await writer.all(changes.mentioned_in, **of_document)]
    await delete_said(writer, of_document)
    ids = await _entity_ids(host, writer, source, found)
    await _insert_mentions(host, writer, source, found, ids)
    await writer.run(changes.shift_links, by=1, **of_document)
    stay = {*ids.values()}
    gone = [entity_id for entity_id in before if entity_id not in stay]
    await remove_unmentioned(host, writer, source.team_id, gone)
    await writer.run(changes.delete_pieces, object_id=source.id, org_id=source.org_id)
    await writer.run(changes.extracted, org_id=source.org_id, version_id=source.current.id, **of_document)
    return True


async def _entity_ids(host: Host, writer: Writer, source: StoredObject, found: Found) -> Mapping[Key, str]:
    """Returns the entity of each name and type; those that are not there yet are made."""
    rows = await writer.all(changes.existing, names=json.dumps([*found.names]), team_id=source.team_id)
    ids = {(row["extracted_type"], row["folded"]): row["id"] for row in rows}
    fresh = [key for key in found.names if key not in ids]
    bare = [row["id"] for row in rows if row["bare"]]
    index = host.service(SearchIndex)
    for entity_id in bare:
        await put_in_index(index, writer, source.org_id, entity_id)
    if fresh:
        ids |= await _insert_entities(host, writer, source, found, fresh)
        for key in fresh:
            names = [found.names[key]]
            await index.put(writer, findable(ids[key], source.org_id, source.team_id, names, new=True))
    return ids


async def _insert_entities(
    host: Host, writer: Writer, source: StoredObject, found: Found, fresh: Sequence[Key]
) -> Mapping[Key, str]:
    now = host.clock.now_ms()
    parents = await _called_so(writer, source.team_id, fresh)
    ids = dict(zip(fresh, _new_ids("ent", now, len(fresh)), strict=True))
    rows = []
    for key, entity_id in ids.items():
        parent_id, root_id = parents.get(key, (None, entity_id))
        fields = {"id": entity_id, "type": key[0], "folded": key[1], "name": found.names[key]}
        rows.append({**fields, "parent_id": parent_id, "root_id": root_id})
    where = {"org_id": source.org_id, "team_id": source.team_id}
    await writer.run(changes.insert_entities, rows=json.dumps(rows), now=now, **where)
    looked_up = [[key, one] for name, one in ids.items() for key in keys(found.names[name])]
    await writer.run(changes.insert_keys, rows=json.dumps(looked_up), **where)
    return ids


async def _called_so(writer: Writer, team_id: str, fresh: Sequence[Key]) -> Mapping[Key, tuple[str, str]]:
    """Returns, for names that a person gave to an entity of the same type, that entity and its root."""
    folded = json.dumps([*{name for _, name in fresh}])
    rows = await writer.all(changes.given, folded=folded, team_id=team_id)
    parents: dict[Key, tuple[str, str]] = {}
    for row in sorted(rows, key=lambda row: str(row["id"])):
        parents.setdefault((row["type"], row["folded"]), (row["id"], row["root_id"]))
    capacity: dict[str, int] = {}
    wanted = {*fresh}
    for key, (_, root_id) in [*parents.items()]:
        if key not in wanted:
            continue
        if root_id not in capacity:
            capacity[root_id] = MAX_PARTS - len(await writer.all(changes.parts, id=root_id, team_id=team_id))
        capacity[root_id] -= 1
        if capacity[root_id] < 0:
            del parents[key]
    return parents


async def _insert_mentions(
    host: Host, writer: Writer, source: StoredObject, found: Found, ids: Mapping[Key, str]
) -> None:
    now = host.clock.now_ms()
    passages = [(key, quote) for key, quotes in found.passages.items() for quote in quotes]
    mentions = [
        [mention_id, ids[key], found.names[key], quote]
        for mention_id, (key, quote) in zip(_new_ids("men", now, len(passages)), passages, strict=True)
    ]
    relations = [
        [relation_id, ids[subject], predicate, ids[target], quote]
        for relation_id, ((subject, predicate, target), quote) in zip(
            _new_ids("rel", now, len(found.relations)), found.relations.items(), strict=True
        )
    ]
    binds = {
        "org_id": source.org_id,
        "team_id": source.team_id,
        "object_id": source.id,
        "version_id": source.current.id,
    }
    await writer.run(changes.insert_mentions, rows=json.dumps(mentions), **binds)
    await writer.run(changes.insert_relations, rows=json.dumps(relations), **binds)


def _new_ids(prefix: str, now_ms: int, count: int) -> list[str]:
    """Makes ids in falling order: in lists that begin with the newest, a document's first stays first."""
    return sorted((new_id(prefix, now_ms) for _ in range(count)), reverse=True)
