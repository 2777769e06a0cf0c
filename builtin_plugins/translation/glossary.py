"""The glossary of a team: its terms as they are changed and listed, and made ready to be found in texts."""

import json
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.translation.matching import Term, TermIndex, index_terms
from builtin_plugins.translation.words import MAX_TERM, compute, fold, split_words
from guildhall_sdk import (
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    Principal,
    Reader,
    Row,
    Writer,
    load_queries,
    new_id,
    rfc3339,
)
from libs.names import locale_fault, spelt_locale

sql = load_queries(Path(__file__).with_name("glossary.sql"))
MAX_TERMS = 50_000
# Whatever the terms are, a text is read with a bounded number of steps for each of its words.
MAX_WORDS = 80
_NEWEST = "~"
# Of all glossaries together that this process remembers.
MAX_REMEMBERED = 100_000
_ROWS_AT_ONCE = 2_000
# What notes may take of a prompt.
MAX_NOTES = 20_000


def language_tag(given: str, pointer: str) -> str:
    """Returns the tag as it is usually written: `nl-be` is `nl-BE`. Raises `InvalidRequest` for no tag."""
    fault = locale_fault(given)
    if fault is not None:
        raise InvalidRequest.at(pointer, fault)
    return spelt_locale(given)


def more_general(tag: str) -> Sequence[str]:
    """Returns the tag, then each that it is a kind of: `zh-Hant-TW`, `zh-Hant`, `zh`."""
    parts = tag.split("-")
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]


async def put_term(
    writer: Writer, caller: Principal, fields: Mapping[str, Any], now_ms: int
) -> dict[str, Any]:
    """Adds a term, or changes the one that is the same but for case and width.

    Without a note the one that is there stays; None takes it away.
    """
    target = language_tag(fields["target"], "/target")
    term, translation = (_checked_line(fields[name], f"/{name}") for name in ("term", "translation"))
    words = split_words(term)
    if len(words) > MAX_WORDS:
        raise InvalidRequest.at("/term", f"takes {MAX_WORDS} words, signs and gaps between them")
    key = "".join(word.key for word in words)
    terms = await writer.value(sql.change_glossary, team_id=caller.team_id)
    found = await writer.one(sql.term_of_key, team_id=caller.team_id, target=target, term_key=key)
    if found is None and terms >= MAX_TERMS:
        raise Conflict(
            f"The glossary is full: it takes {MAX_TERMS} terms. Delete some first.", code="glossary_full"
        )
    binds = {
        "team_id": caller.team_id,
        "user_id": caller.user_id,
        "term": term,
        "translation": translation,
        "note": fields.get("note") if found is None else fields.get("note", found["note"]),
        "now": now_ms,
    }
    term_id = new_id("term", now_ms) if found is None else found["id"]
    if found is None:
        await writer.run(
            sql.insert_term, id=term_id, org_id=caller.org_id, target=target, term_key=key, **binds
        )
        await writer.run(sql.count_terms, team_id=caller.team_id, more=1)
    else:
        await writer.run(sql.update_term, id=term_id, **binds)
    writer.audit("glossary.term_set", ("glossary_term", term_id), detail={"target": target})
    row = await writer.one(sql.term, id=term_id, team_id=caller.team_id)
    assert row is not None
    return _to_json(row)


async def delete_term(writer: Writer, caller: Principal, term_id: str) -> None:
    """Raises `NotFound` for a term that the team's glossary has not."""
    # First, as in `put_term`: who changes the same term meanwhile waits here, and not for each other.
    await writer.one(sql.change_glossary, team_id=caller.team_id)
    deleted = await writer.one(sql.delete_term, id=term_id, team_id=caller.team_id)
    if deleted is None:
        raise NotFound()
    await writer.run(sql.count_terms, team_id=caller.team_id, more=-1)
    writer.audit("glossary.term_deleted", ("glossary_term", term_id), detail={"target": deleted["target"]})


async def list_terms(
    reader: Reader, caller: Principal, target: str | None, before: str | None, limit: int
) -> Sequence[dict[str, Any]]:
    """Returns the terms of the team, of one language where `target` says so; the newest first."""
    binds = {"team_id": caller.team_id, "before": before or _NEWEST, "limit": limit}
    if target is None:
        rows = await reader.all(sql.terms_of_team, **binds)
    else:
        rows = await reader.all(sql.terms_of_target, target=language_tag(target, "?target"), **binds)
    return [_to_json(row) for row in rows]


def _checked_line(given: str, pointer: str) -> str:
    line = _trimmed(given)
    if not fold(line).strip():
        raise InvalidRequest.at(pointer, "must not be blank")
    if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in line):
        raise InvalidRequest.at(pointer, "must be one line without control characters")
    if len(fold(line)) > 2 * MAX_TERM:
        raise InvalidRequest.at(pointer, f"takes {MAX_TERM} characters")
    return line


def _trimmed(given: str) -> str:
    """Drops what nobody sees at either end."""
    seen = [
        number
        for number, char in enumerate(given)
        if not char.isspace() and unicodedata.category(char) != "Cf"
    ]
    return given[seen[0] : seen[-1] + 1] if seen else ""


def _to_json(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "target": row["target"],
        "term": row["term"],
        "translation": row["translation"],
        "note": row["note"],
        "by": {"id": row["updated_by"], "name": row["updated_by_name"]},
        "created_at": rfc3339(row["created_at"]),
        "updated_at": rfc3339(row["updated_at"]),
    }


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
        """Returns the team's glossary for a language and those that it is a kind of. Not inside a scope."""
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
        """Returns the notes of these terms by their ids, no more than a prompt has room for."""
        ids = [term.id for term in terms if term.has_note]
        if not ids:
            return {}
        async with self._host.data.read() as reader:
            rows = await reader.all(sql.notes_of_terms, team_id=principal.team_id, ids=json.dumps(ids))
        notes, capacity = {row["id"]: row["note"] for row in rows}, MAX_NOTES
        fitting: dict[str, str] = {}
        for term_id in ids:
            note = notes.get(term_id)
            if note is not None and len(note) <= capacity:
                fitting[term_id] = note
                capacity -= len(note)
        return fitting

    def _remember(self, place: tuple[str, str], loaded: LoadedGlossary) -> None:
        before = self._loaded.pop(place, EMPTY)
        self._loaded[place] = loaded
        self._size += loaded.size - before.size
        while self._size > MAX_REMEMBERED and len(self._loaded) > 1:
            _, oldest = self._loaded.popitem(last=False)
            self._size -= oldest.size


async def _terms(reader: Reader, principal: Principal, target: str) -> Sequence[Term]:
    """Reads terms in parts: the rows of a long glossary would hold up the event loop."""
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
