"""Entities and their relations to be drawn: around one of them, and the most connected of all."""

from collections.abc import Iterable
from typing import Any

from builtin_plugins.knowledge.entities import (
    Relation,
    describe,
    find,
    most_connected,
    related_to,
    relations_of,
)
from builtin_plugins.knowledge.statements import Readable
from guildhall_sdk import Reader

MAX_NODES, MAX_EDGES, MAX_DEPTH = 200, 1_000, 3
# So many relations are looked at for each step outwards, shared among the entities there.
_PER_STEP, _LEAST_EACH = 2_000, 10
# The order goes by what all documents say, figures by those of the caller: so many times more are looked at.
_CANDIDATES = 2


async def overview(reader: Reader, readable: Readable, types: Iterable[str], limit: int) -> dict[str, Any]:
    """Returns the most connected entities of these types, with what relates them to one another.

    `more` says that there are others.
    """
    if not readable.anything:
        return {"nodes": [], "edges": [], "more": False}
    rows = await most_connected(reader, readable, types, None, _CANDIDATES * limit + 1)
    candidates = [row["id"] for row in rows[: _CANDIDATES * limit]]
    each = max(_LEAST_EACH, 2 * _PER_STEP // max(len(candidates), 1))
    relations = await relations_of(reader, readable, candidates, each)
    others = related_to(relations)
    candidates.sort(key=lambda one: len(others.get(one, ())), reverse=True)
    # What nothing is related to, such as the lines of a table, leads only where nothing is related at all.
    candidates = [one for one in candidates if one in others] or candidates
    described = await describe(reader, readable, candidates[:limit], 1)
    chosen = [one for one in candidates[:limit] if one in described]
    nodes = [{**described[one].summary(), "related": len(others.get(one, ()))} for one in chosen]
    drawn = [edge for edge in _edges(relations) if {edge["source"], edge["target"]} <= described.keys()]
    return {"nodes": nodes, "edges": drawn[:MAX_EDGES], "more": len(rows) > len(chosen)}


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
