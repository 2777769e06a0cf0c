"""What people change: names, types, aliases, and which entities are one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.knowledge.documents import lock_graph, put_in_index
from builtin_plugins.knowledge.entities import UNDO_MS, Entity, describe, find
from builtin_plugins.knowledge.names import display_name, fold, keys
from builtin_plugins.knowledge.statements import Readable, changes, sql
from builtin_plugins.knowledge.storing import MAX_PARTS
from guildhall_sdk import Conflict, InvalidRequest, NotFound, Reader, Row, Writer, new_id
from guildhall_sdk.services.search import SearchIndex


async def check_visible(
    reader: Reader, readable: Readable, entity_id: str, others: Sequence[str] = ()
) -> None:
    """Raises what a change would raise for an entity that the caller does not see, before anything is held.

    To find that out of thousands of passages the caller reads none takes a while, and others write meanwhile.
    """
    entity = await find(reader, readable, entity_id, 1)
    if entity.team_id != readable.caller.team_id:
        raise NotFound()
    for at, one in enumerate(others):
        await _own(reader, readable, one, f"/from/{at}")


async def change(
    writer: Writer, index: SearchIndex, readable: Readable, entity_id: str, fields: Mapping[str, Any]
) -> None:
    """Sets the name, the type or the aliases of an entity that the caller sees."""
    entity = await _hold(writer, readable, entity_id)
    name = _name("/name", fields["name"]) if "name" in fields else None
    await writer.run(
        changes.set_fields,
        id=entity.id,
        team_id=entity.team_id,
        given_name=name,
        given_folded=None if name is None else fold(name),
        type=fields.get("type"),
        now=readable.now_ms,
    )
    if "aliases" in fields:
        await _set_aliases(writer, readable, entity, fields["aliases"])
    await _set_keys(writer, readable, entity)
    await put_in_index(index, writer, readable.caller.org_id, entity.id)
    writer.audit("entity.renamed", ("entity", entity.id), detail={"fields": sorted(fields)})


async def merge(writer: Writer, readable: Readable, entity_id: str, from_ids: Sequence[str]) -> None:
    """Makes other entities that the caller sees part of this one."""
    entity = await _hold(writer, readable, entity_id)
    others = [await _own(writer, readable, one, f"/from/{at}") for at, one in enumerate(from_ids)]
    taken_in = {other.id: other for other in others if other.id != entity.id}
    if not taken_in:
        raise InvalidRequest.at("/from", "names nothing but the entity itself")
    where = {"team_id": entity.team_id}
    parts = {one: await writer.all(changes.parts, id=one, **where) for one in (entity.id, *taken_in)}
    if sum(map(len, parts.values())) > MAX_PARTS:
        raise Conflict(f"An entity takes at most {MAX_PARTS} names.", code="too_many_names")
    merge_id = new_id("mrg", readable.now_ms)
    for other_id in taken_in:
        await writer.run(changes.set_parent, id=other_id, parent_id=entity.id, now=readable.now_ms, **where)
        ids = json.dumps([part["id"] for part in parts[other_id]])
        await writer.run(changes.set_root, root_id=entity.id, ids=ids, **where)
        await writer.run(
            changes.insert_merge,
            id=merge_id,
            from_id=other_id,
            into_id=entity.id,
            org_id=readable.caller.org_id,
            user_id=readable.caller.user_id,
            now=readable.now_ms,
            **where,
        )
    await writer.run(changes.count_links, ids=json.dumps([entity.id, *taken_in]), **where)
    writer.audit("entity.merged", ("entity", entity.id), detail={"from": sorted(taken_in)})


async def unmerge(writer: Writer, readable: Readable, entity_id: str, from_ids: Sequence[str] | None) -> None:
    """Takes out again what the caller sees of the last merge into an entity, or of what `from_ids` name."""
    entity = await _hold(writer, readable, entity_id)
    rows = await writer.all(
        sql.merges, id=entity.id, org_id=readable.caller.org_id, since=readable.now_ms - UNDO_MS
    )
    seen = await _seen_parts(writer, readable, entity, rows)
    undone = [row for row in rows if row["from_id"] in seen]
    if from_ids is not None:
        undone = [row for row in undone if row["from_id"] in from_ids]
    elif undone:
        undone = [row for row in undone if row["id"] == undone[0]["id"]]
    if not undone:
        raise Conflict("Nothing was merged into this entity within the last 30 days.", code="not_merged")
    for row in undone:
        parts = await writer.all(changes.parts, id=entity.id, team_id=entity.team_id)
        where = {"team_id": entity.team_id}
        await writer.run(changes.set_parent, id=row["from_id"], parent_id=None, now=readable.now_ms, **where)
        ids = json.dumps(_below(row["from_id"], parts))
        await writer.run(changes.set_root, root_id=row["from_id"], ids=ids, **where)
        await writer.run(changes.delete_merge, id=row["id"], from_id=row["from_id"], **where)
    taken_out = sorted(row["from_id"] for row in undone)
    apart = json.dumps([entity.id, *taken_out])
    await writer.run(changes.count_links, ids=apart, team_id=entity.team_id)
    writer.audit("entity.unmerged", ("entity", entity.id), detail={"from": taken_out})


async def _hold(writer: Writer, readable: Readable, entity_id: str) -> Entity:
    """Returns an entity of the caller's team that they see, as it is until the transaction ends."""
    await lock_graph(writer, readable.caller.team_id)
    entity = await find(writer, readable, entity_id, 1)
    if entity.team_id != readable.caller.team_id:
        raise NotFound()
    return entity


async def _own(reader: Reader, readable: Readable, entity_id: str, pointer: str) -> Entity:
    try:
        entity = await find(reader, readable, entity_id, 1)
    except NotFound:
        entity = None
    if entity is None or entity.team_id != readable.caller.team_id:
        raise InvalidRequest.at(pointer, "is no entity that you can see")
    return entity


async def _seen_parts(writer: Writer, readable: Readable, entity: Entity, rows: Sequence[Row]) -> set[str]:
    """Returns which of the merged entities stand, by themselves or with their own, in readable documents."""
    parts = await writer.all(changes.parts, id=entity.id, team_id=entity.team_id)
    described = await describe(writer, readable, [entity.id], 1)
    readable_parts = described[entity.id].parts if entity.id in described else set()
    return {row["from_id"] for row in rows if readable_parts & {*_below(row["from_id"], parts)}}


def _below(entity_id: str, parts: Sequence[Row]) -> list[str]:
    """Returns an entity and all that was merged into it, before it was merged itself or since."""
    children: dict[str, list[str]] = {}
    for part in parts:
        children.setdefault(part["parent_id"] or "", []).append(part["id"])
    found = [entity_id]
    for one in found:
        found += children.get(one, [])
    return found


async def _set_aliases(writer: Writer, readable: Readable, entity: Entity, given: Sequence[str]) -> None:
    where = {"id": entity.id, "team_id": entity.team_id}
    await writer.run(changes.delete_aliases, **where)
    aliases = dict.fromkeys(_name(f"/aliases/{at}", alias) for at, alias in enumerate(given))
    for position, alias in enumerate(aliases):
        await writer.run(
            changes.insert_alias,
            position=position,
            alias=alias,
            folded=fold(alias),
            org_id=readable.caller.org_id,
            **where,
        )


async def _set_keys(writer: Writer, readable: Readable, entity: Entity) -> None:
    """Records by what likely twins are looked up, now that the entity has other names."""
    org_id = readable.caller.org_id
    row = await writer.one(changes.entity, id=entity.id, org_id=org_id)
    assert row is not None
    names = [row["name"], row["given_name"] or ""]
    names += [one["alias"] for one in await writer.all(changes.aliases, id=entity.id)]
    rows = [[key, entity.id] for key in sorted({key for name in names for key in keys(name)})]
    await writer.run(changes.delete_keys, id=entity.id, org_id=org_id)
    await writer.run(changes.insert_keys, rows=json.dumps(rows), org_id=org_id, team_id=entity.team_id)


def _name(pointer: str, given: str) -> str:
    name = display_name(given)
    if not name:
        raise InvalidRequest.at(pointer, "must have a visible character")
    return name
