"""Likely twins of an entity: names that are close, contained in one another, initials, or shared."""

import json
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Any

from builtin_plugins.knowledge.entities import Entity, describe, find
from builtin_plugins.knowledge.names import fold, initials, keys, words
from builtin_plugins.knowledge.statements import Readable, sql
from guildhall_sdk import Reader
from guildhall_sdk.fairness import TEXTS

MAX_TWINS, MAX_PASSAGES = 20, 3
_MAX_NAMES, _MAX_KEYS, _PER_KEY, _MAX_COMPARED = 10, 40, 100, 500
_CLOSE = 0.85
_WEIGHTS = {"same_name": 1.0, "shared_alias": 0.95, "close": 0.8, "contained": 0.6, "initials": 0.5}


async def candidates(reader: Reader, readable: Readable, entity_id: str) -> tuple[Entity, Sequence[Entity]]:
    """Returns an entity, and those that share a word or initials with a name of it, as the caller sees it."""
    entity = await find(reader, readable, entity_id, MAX_PASSAGES)
    looked_up = dict.fromkeys(key for name in _names(entity) for key in sorted(keys(name)))
    rows = await reader.all(
        readable(sql.sharing_keys),
        keys=json.dumps([*looked_up][:_MAX_KEYS]),
        of_team=entity.team_id,
        each=_PER_KEY,
        **readable.binds,
    )
    ids = dict.fromkeys(one for row in rows for one in json.loads(row["ids"]) if one != entity.id)
    found = await describe(reader, readable, [*ids][:_MAX_COMPARED], MAX_PASSAGES)
    return entity, [*found.values()]


async def twins(entity: Entity, others: Sequence[Entity], org_id: str) -> list[dict[str, Any]]:
    """Returns the likeliest twins with their passages, best first. Not inside a scope."""
    return await TEXTS.run(org_id, _ranked, entity, others)


def _ranked(entity: Entity, others: Sequence[Entity]) -> list[dict[str, Any]]:
    scored = []
    for other in others:
        reasons = _reasons(entity, other)
        if reasons:
            score = max(_WEIGHTS[reason] for reason in reasons)
            scored.append((score if other.type == entity.type else score * 0.5, other, reasons))
    scored.sort(key=lambda one: (-one[0], one[1].id))
    return [
        {
            **other.summary(),
            "aliases": other.aliases,
            "mentions": [mention.public() for mention in other.mentions[:MAX_PASSAGES]],
            "score": round(score, 3),
            "reasons": reasons,
        }
        for score, other, reasons in scored[:MAX_TWINS]
    ]


def _names(entity: Entity) -> list[str]:
    return [entity.name, *entity.aliases][:_MAX_NAMES]


def _reasons(one: Entity, other: Entity) -> list[str]:
    found = set()
    if fold(one.name) == fold(other.name):
        found.add("same_name")
    elif {*map(fold, _names(one))} & {*map(fold, _names(other))}:
        found.add("shared_alias")
    for name in _names(one):
        for compared in _names(other):
            found |= _compared(words(name), words(compared), name, compared)
    return [reason for reason in _WEIGHTS if reason in found]


def _compared(ours: Sequence[str], theirs: Sequence[str], our_name: str, their_name: str) -> set[str]:
    if not ours or not theirs or [*ours] == [*theirs]:
        return set()
    found = set()
    if SequenceMatcher(None, " ".join(ours), " ".join(theirs)).ratio() >= _CLOSE:
        found.add("close")
    if _within(ours, theirs) or _within(theirs, ours):
        found.add("contained")
    if len(ours) != len(theirs) and len(short := initials(our_name)) > 1 and short == initials(their_name):
        found.add("initials")
    return found


def _within(few: Iterable[str], many: Iterable[str]) -> bool:
    return {*few} < {*many}
