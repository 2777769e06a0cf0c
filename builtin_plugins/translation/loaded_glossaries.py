"""Glossaries made ready to be looked for in texts, and used again until a term changes."""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from builtin_plugins.translation.computing import compute
from builtin_plugins.translation.languages import more_general
from builtin_plugins.translation.matching import Term, TermIndex, index_terms
from builtin_plugins.translation.statements import sql
from guildhall_sdk import Host, Principal, Reader

# Of all glossaries together that this process remembers.
MAX_REMEMBERED = 100_000
_ROWS_AT_ONCE = 2_000
# What notes may take of a prompt.
MAX_NOTES = 20_000


@dataclass(frozen=True, slots=True)
class LoadedGlossary:
    """The terms of a team for one target language, as of a version of its glossary."""

    version: int
    index: TermIndex
    size: int


EMPTY = LoadedGlossary(0, TermIndex(), 0)


class LoadedGlossaries:
    """Remembers the glossaries that were used last."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._loaded: OrderedDict[tuple[str, str], LoadedGlossary] = OrderedDict()
        self._size = 0

    async def load(self, principal: Principal, target: str) -> LoadedGlossary:
        """The team's glossary for a language and those that it is a kind of. Not inside a scope."""
        place = (principal.team_id, target)
        async with self._host.data.read() as reader:
            found = await reader.one(sql.glossary, team_id=principal.team_id)
            if found is None or not found["terms"]:
                return EMPTY
            known = self._loaded.get(place)
            if known is not None and known.version == found["version"]:
                self._loaded.move_to_end(place)
                return known
            terms = [term for tag in more_general(target) for term in await _terms(reader, principal, tag)]
        index = await compute(principal.org_id, 20 * len(terms), index_terms(terms))
        # A language without a term takes room too.
        loaded = LoadedGlossary(found["version"], index, len(terms) + 1)
        self._remember(place, loaded)
        return loaded

    async def notes(self, principal: Principal, terms: Sequence[Term]) -> Mapping[str, str]:
        """The notes of these terms by their ids, no more than a prompt has room for."""
        ids = [term.id for term in terms if term.has_note]
        if not ids:
            return {}
        async with self._host.data.read() as reader:
            rows = await reader.all(sql.notes_of_terms, team_id=principal.team_id, ids=json.dumps(ids))
        notes, room = {row["id"]: row["note"] for row in rows}, MAX_NOTES
        fitting: dict[str, str] = {}
        for term_id in ids:
            note = notes.get(term_id)
            if note is not None and len(note) <= room:
                fitting[term_id] = note
                room -= len(note)
        return fitting

    def _remember(self, place: tuple[str, str], loaded: LoadedGlossary) -> None:
        before = self._loaded.pop(place, EMPTY)
        self._loaded[place] = loaded
        self._size += loaded.size - before.size
        while self._size > MAX_REMEMBERED and len(self._loaded) > 1:
            _, oldest = self._loaded.popitem(last=False)
            self._size -= oldest.size


async def _terms(reader: Reader, principal: Principal, target: str) -> Sequence[Term]:
    """In parts: the rows of a long glossary would hold up the event loop."""
    terms: list[Term] = []
    after = ""
    while True:
        rows = await reader.all(
            sql.terms_to_find, team_id=principal.team_id, target=target, after=after, limit=_ROWS_AT_ONCE
        )
        terms += [
            Term(row["id"], row["term"], row["translation"], has_note=bool(row["has_note"])) for row in rows
        ]
        if len(rows) < _ROWS_AT_ONCE:
            return terms
        after = rows[-1]["id"]
