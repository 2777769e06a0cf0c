"""Entities as one caller sees them: by the documents that they can read, and the graph around one."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from builtin_plugins.knowledge.names import fold
from builtin_plugins.knowledge.statements import Readable, sql
from guildhall_sdk import InvalidRequest, NotFound, Reader, Row, cut_page, rfc3339

MAX_MENTIONS, MAX_RELATIONS, MAX_ALIASES = 100, 100, 50
_IN_LISTS = 5
_ROWS_PER_STEP = 8
_NEWEST = "~"
UNDO_MS = 30 * 24 * 3_600_000

MOST_LINKS = 2**62
_OTHERS_COUNTED, _DIGITS = 100, 18


class Mention(NamedTuple):
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


class Relation(NamedTuple):
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


async def list_connected(
    reader: Reader, readable: Readable, types: Iterable[str], before: str | None, fetched: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Lists entities of these types, the most connected first, each with how many others it is related to."""
    if not readable.anything:
        return [], None
    rows = await most_connected(reader, readable, types, before, fetched)
    cut, next_cursor = cut_page(rows, fetched, lambda row: f"{row['links']}.{row['id']}")
    described = await describe(reader, readable, [row["id"] for row in cut], _IN_LISTS)
    entities = [described[row["id"]] for row in cut if row["id"] in described]
    relations = await relations_of(reader, readable, [one.id for one in entities], _OTHERS_COUNTED)
    others = related_to(relations)
    items = await _public(reader, readable, entities, relations, _IN_LISTS, _IN_LISTS)
    return [{**item, "related": len(others.get(item["id"], ()))} for item in items], next_cursor


async def most_connected(
    reader: Reader, readable: Readable, types: Iterable[str], before: str | None, limit: int
) -> list[Row]:
    """Returns the entities of these types that documents relate to most others, of those the caller sees."""
    links, before_id = _place(before)
    found: list[Row] = []
    for type_ in types:
        binds = {"type": type_, "links": links, "before": before_id, "limit": limit, **readable.binds}
        found += await reader.all(readable(sql.connected), **binds)
    return sorted(found, key=lambda row: (row["links"], row["id"]), reverse=True)[:limit]


def _place(before: str | None) -> tuple[int, str]:
    """Returns behind how many links and which entity a page begins."""
    if before is None:
        return MOST_LINKS, _NEWEST
    links, _, entity_id = before.partition(".")
    if not links.isascii() or not links.isdigit() or len(links) > _DIGITS or not entity_id:
        raise InvalidRequest.at("?cursor", "is not a cursor of a list in this order; start without one")
    return int(links), entity_id


def related_to(relations: Iterable[Relation]) -> dict[str, set[str]]:
    """Returns the others that each entity is related to."""
    others: dict[str, set[str]] = {}
    for one in relations:
        others.setdefault(one.entity_id, set()).add(one.other_id)
    return others


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
