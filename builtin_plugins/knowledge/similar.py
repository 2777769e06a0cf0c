"""Likely twins of an entity: names that are close, contained in one another, initials, or shared."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from builtin_plugins.knowledge.entities import Entity, describe, find
from builtin_plugins.knowledge.names import ComparedName, keys
from builtin_plugins.knowledge.statements import Readable, sql
from guildhall_sdk import Reader
from libs.fair_slots import TEXTS, Steps

MAX_TWINS, MAX_PASSAGES = 20, 3
_MAX_NAMES, _MAX_KEYS, _PER_KEY, _MAX_COMPARED = 10, 40, 100, 500
# Letters of all names together that are looked at for whether names are close: about a second.
_MAX_LETTERS = 3_000_000
_WEIGHTS = {"same_name": 1.0, "shared_alias": 0.95, "close": 0.8, "contained": 0.6, "initials": 0.5}


class Candidates(NamedTuple):
    """An entity, and those that may be its twins; `cut` says that there may be more of them."""

    entity: Entity
    others: Sequence[Entity]
    cut: bool


class Twins(NamedTuple):
    """The likeliest twins; `partial` says that not everything was compared."""

    items: list[dict[str, Any]]
    partial: bool


async def candidates(reader: Reader, readable: Readable, entity_id: str) -> Candidates:
    """Returns an entity, and those that share a word or initials with a name of it, as the caller sees it."""
    entity = await find(reader, readable, entity_id, MAX_PASSAGES)
    looked_up = [*dict.fromkeys(key for name in _names(entity) for key in sorted(keys(name)))]
    rows = await reader.all(
        readable(sql.sharing_keys),
        keys=json.dumps(looked_up[:_MAX_KEYS]),
        of_team=entity.team_id,
        each=_PER_KEY,
        **readable.binds,
    )
    of_keys = [json.loads(row["ids"]) for row in rows]
    ids = [*dict.fromkeys(one for some in of_keys for one in some if one != entity.id)]
    cut = len(looked_up) > _MAX_KEYS or len(ids) > _MAX_COMPARED or _PER_KEY in map(len, of_keys)
    found = await describe(reader, readable, ids[:_MAX_COMPARED], MAX_PASSAGES)
    return Candidates(entity, [*found.values()], cut)


async def twins(found: Candidates, org_id: str) -> Twins:
    """Returns the likeliest twins with their passages, best first. Not inside a scope."""
    return await TEXTS.run_steps(org_id, _ranked(found))


def _ranked(found: Candidates) -> Steps[Twins]:
    """Compares one candidate in each step."""
    entity, scored = found.entity, []
    comparison = _Comparison([ComparedName.of(name) for name in _names(entity)])
    for other in found.others:
        reasons = comparison.reasons([ComparedName.of(name) for name in _names(other)])
        if reasons:
            score = max(_WEIGHTS[reason] for reason in reasons)
            scored.append((score if other.type == entity.type else score * 0.5, other, reasons))
        yield
    scored.sort(key=lambda one: (-one[0], one[1].id))
    items = [
        {
            **other.summary(),
            "aliases": other.aliases,
            "mentions": [mention.public() for mention in other.mentions[:MAX_PASSAGES]],
            "score": round(score, 3),
            "reasons": reasons,
        }
        for score, other, reasons in scored[:MAX_TWINS]
    ]
    return Twins(items, found.cut or comparison.letters_left < 0)


def _names(entity: Entity) -> list[str]:
    return [entity.name, *entity.aliases][:_MAX_NAMES]


@dataclass(slots=True)
class _Comparison:
    """The names of one entity, compared with those of others while the budget lasts."""

    names: Sequence[ComparedName]
    letters_left: int = _MAX_LETTERS
    _folded: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._folded = {name.folded for name in self.names}

    def reasons(self, others: Sequence[ComparedName]) -> list[str]:
        """Returns why an entity of these names may be the same."""
        found = set()
        if self.names[0].folded == others[0].folded:
            found.add("same_name")
        elif not self._folded.isdisjoint(name.folded for name in others):
            found.add("shared_alias")
        for ours, theirs in self._pairs(others):
            if ours.is_within(theirs) or theirs.is_within(ours):
                found.add("contained")
            if ours.has_initials_of(theirs):
                found.add("initials")
            if "close" not in found and self._are_close(ours, theirs):
                found.add("close")
        return [reason for reason in _WEIGHTS if reason in found]

    def _pairs(self, others: Sequence[ComparedName]) -> Iterator[tuple[ComparedName, ComparedName]]:
        for ours in self.names:
            for theirs in others:
                if ours.words and theirs.words and ours.words != theirs.words:
                    yield ours, theirs

    def _are_close(self, ours: ComparedName, theirs: ComparedName) -> bool:
        if self.letters_left < 0 or not ours.may_be_close(theirs):
            return False
        self.letters_left -= len(theirs.text)
        return ours.is_close(theirs)
