"""Entities as one caller sees them: by the documents that they can read, and the graph around one."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from builtin_plugins.knowledge.names import fold
from builtin_plugins.knowledge.statements import Readable, sql
from guildhall_sdk import NotFound, Reader, Row, cut_page, rfc3339

MAX_MENTIONS, MAX_RELATIONS, MAX_ALIASES = 100, 100, 50
_IN_LISTS = 5
_ROWS_PER_STEP = 8
_NEWEST = "~"
UNDO_MS = 30 * 24 * 3_600_000

MAX_NODES, MAX_EDGES, MAX_DEPTH = 200, 1_000, 3
# So many relations are looked at for each step outwards, shared among the entities there.
_PER_STEP, _LEAST_EACH = 2_000, 10


@dataclass(frozen=True, slots=True)
class Mention:
    """A passage that names the entity; `own` unless it is under the name of something merged into it."""

    id: str
    name: str
    object_id: str
    key: str
    snippet: str
    own: bool

    def public(self) -> dict[str, Any]:
        return {"object_id": self.object_id, "key": self.key, "snippet": self.snippet, "name": self.name}


@dataclass(slots=True)
class Entity:
    """An entity as one caller sees it; without a mention there is nothing to see."""

    id: str
    team_id: str
    type: str
    stored_name: str
    given_name: str | None
    given_aliases: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """What a person called it, else the name in a document that the caller can read."""
        if self.given_name is not None:
            return self.given_name
        own = [one.name for one in self.mentions if one.own]
        return self.stored_name if self.stored_name in own else (own or [self.mentions[0].name])[0]

    @property
    def aliases(self) -> list[str]:
        """Every other name: those that a person gave, and those in documents that the caller can read."""
        name = self.name
        others = dict.fromkeys([*self.given_aliases, *(one.name for one in self.mentions)])
        return [other for other in others if other != name][:MAX_ALIASES]

    def summary(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "type": self.type}


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of an entity, as a document states it."""

    id: str
    entity_id: str
    predicate: str
    direction: str
    other_id: str


async def describe(reader: Reader, readable: Readable, ids: Iterable[str], each: int) -> Mapping[str, Entity]:
    """Returns those of the entities that the caller sees, with the newest `each` mentions of each name."""
    wanted = json.dumps([*ids])
    if not readable.anything or wanted == "[]":
        return {}
    entities: dict[str, Entity] = {}
    rows = await reader.all(readable(sql.described), ids=wanted, each=each, **readable.binds)
    async for row in _in_steps(rows):
        entity = entities.setdefault(
            row["id"], Entity(row["id"], row["team_id"], row["type"], row["name"], row["given_name"])
        )
        own = row["part_id"] == row["id"]
        found = [_mention(one, own) for one in json.loads(row["mentions"])]
        entity.mentions += found
        if found:
            entity.parts.add(row["part_id"])
        if not own and row["part_given_name"] is not None:
            entity.given_aliases.append(row["part_given_name"])
        entity.given_aliases += json.loads(row["aliases"])
    for entity in entities.values():
        entity.mentions.sort(key=lambda one: one.id, reverse=True)
    return {one: entities[one] for one in entities if entities[one].mentions}


async def _in_steps(rows: Sequence[Row]) -> AsyncIterator[Row]:
    """Gives rows, each with lists of its own, with whatever else the loop has to do in between."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % _ROWS_PER_STEP == 0:
            await asyncio.sleep(0)


def _mention(row: Sequence[str], own: bool) -> Mention:
    mention_id, name, object_id, key, snippet = row
    return Mention(mention_id, name, object_id, key, snippet, own)


async def relations_of(reader: Reader, readable: Readable, ids: Sequence[str], each: int) -> list[Relation]:
    """Returns what readable documents state of these entities, newest first; `each` per name and side."""
    if not readable.anything or not ids:
        return []
    found: dict[tuple[str, str, str, str], Relation] = {}
    rows = await reader.all(readable(sql.relations), ids=json.dumps([*ids]), each=each, **readable.binds)
    every = [
        Relation(relation_id, row["id"], predicate, direction, other_id)
        async for row in _in_steps(rows)
        for direction, column in (("out", "outgoing"), ("in", "incoming"))
        for relation_id, predicate, other_id in json.loads(row[column])
    ]
    for one in sorted(every, key=lambda one: one.id, reverse=True):
        if one.other_id != one.entity_id:
            found.setdefault((one.entity_id, one.predicate, one.direction, one.other_id), one)
    return [*found.values()]


async def find(reader: Reader, readable: Readable, entity_id: str, each: int = MAX_MENTIONS) -> Entity:
    """Returns the entity of an id, or the one that it was merged into; raises `NotFound`."""
    row = await reader.one(sql.root_of, id=entity_id, org_id=readable.caller.org_id)
    if row is None:
        raise NotFound()
    found = await describe(reader, readable, [row["root_id"]], each)
    if row["root_id"] not in found:
        raise NotFound()
    return found[row["root_id"]]


async def read(reader: Reader, readable: Readable, entity_id: str) -> dict[str, Any]:
    entity = await find(reader, readable, entity_id)
    relations = await relations_of(reader, readable, [entity.id], MAX_RELATIONS)
    entities = await _public(reader, readable, [entity], relations, MAX_MENTIONS, MAX_RELATIONS)
    return {**entities[0], "merged": await merged_into(reader, readable, entity)}


async def merged_into(reader: Reader, readable: Readable, entity: Entity) -> list[dict[str, Any]]:
    """Returns what was merged into an entity and can be taken out again, of what the caller can read."""
    rows = await reader.all(
        sql.merges, id=entity.id, org_id=readable.caller.org_id, since=readable.now_ms - UNDO_MS
    )
    return [
        {
            "id": row["from_id"],
            "name": row["given_name"] or row["name"],
            "type": row["type"],
            "merged_at": rfc3339(row["merged_at"]),
        }
        for row in rows
        if row["from_id"] in entity.parts
    ]


async def list_page(
    reader: Reader,
    readable: Readable,
    q: str,
    type_: str | None,
    before: str | None,
    fetched: int,
    object_id: str | None = None,
) -> tuple[list[dict[str, Any]], str | None]:
    """Lists entities, newest first, with a few mentions and relations; of one document, `q` plays no part."""
    if not readable.anything:
        return [], None
    wanted = fold(q)
    statement = sql.matching if wanted else sql.page
    rows = await reader.all(
        readable(statement if object_id is None else sql.mentioned_in),
        q=wanted,
        object_id=object_id or "",
        type=type_,
        before=before or _NEWEST,
        limit=fetched,
        **readable.binds,
    )
    cut, next_cursor = cut_page([row["id"] for row in rows], fetched, str)
    # A document may have become unreadable since: then the page is shorter.
    described = await describe(reader, readable, cut, _IN_LISTS)
    entities = [described[one] for one in cut if one in described]
    relations = await relations_of(reader, readable, [one.id for one in entities], _IN_LISTS)
    return await _public(reader, readable, entities, relations, _IN_LISTS, _IN_LISTS), next_cursor


async def _public(
    reader: Reader,
    readable: Readable,
    entities: Sequence[Entity],
    relations: Sequence[Relation],
    max_mentions: int,
    max_relations: int,
) -> list[dict[str, Any]]:
    """Returns entities as the API shows them, with the names of those that they are related to."""
    of_entity: dict[str, list[Relation]] = {entity.id: [] for entity in entities}
    for one in relations:
        if len(of_entity[one.entity_id]) < max_relations:
            of_entity[one.entity_id].append(one)
    known = {entity.id: entity for entity in entities}
    named = {one.other_id for some in of_entity.values() for one in some}
    others = known | dict(await describe(reader, readable, named - known.keys(), 1))
    return [
        {
            **entity.summary(),
            "aliases": entity.aliases,
            "mentions": [one.public() for one in entity.mentions[:max_mentions]],
            "relations": [
                {
                    "predicate": one.predicate,
                    "direction": one.direction,
                    "entity": others[one.other_id].summary(),
                }
                for one in of_entity[entity.id]
                if one.other_id in others
            ],
        }
        for entity in entities
    ]


async def neighbourhood(reader: Reader, readable: Readable, entity_id: str, depth: int) -> dict[str, Any]:
    """Returns who is related to an entity, step by step outwards, as readable documents state it.

    `hidden` counts the neighbours of those in it for which there was no room.
    """
    centre = await find(reader, readable, entity_id, 1)
    distances = {centre.id: 0}
    hidden: set[str] = set()
    relations: list[Relation] = []
    frontier = [centre.id]
    for step in range(1, depth + 1):
        each = max(_PER_STEP // max(len(frontier), 1), _LEAST_EACH)
        found = await relations_of(reader, readable, frontier, each)
        relations += found
        frontier = []
        for other_id in dict.fromkeys(one.other_id for one in found):
            if other_id in distances:
                continue
            if len(distances) == MAX_NODES:
                hidden.add(other_id)
            else:
                distances[other_id] = step
                frontier.append(other_id)
    described = await describe(reader, readable, distances, 1)
    nodes = [
        {**described[one].summary(), "distance": distance}
        for one, distance in distances.items()
        if one in described
    ]
    drawn = [edge for edge in _edges(relations) if {edge["source"], edge["target"]} <= described.keys()]
    return {"nodes": nodes, "edges": drawn[:MAX_EDGES], "hidden": len(hidden)}


def _edges(relations: list[Relation]) -> list[dict[str, str]]:
    """Returns each relation once, from its subject to its object, however many state it."""
    seen = dict.fromkeys(
        (one.entity_id, one.predicate, one.other_id)
        if one.direction == "out"
        else (one.other_id, one.predicate, one.entity_id)
        for one in relations
    )
    return [{"source": source, "predicate": verb, "target": target} for source, verb, target in seen]
