"""The glossary of a team: its terms, as they are changed and listed."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.translation.languages import language_tag
from builtin_plugins.translation.statements import sql
from builtin_plugins.translation.words import MAX_TERM, fold, split_words
from guildhall_sdk import Conflict, InvalidRequest, NotFound, Principal, Reader, Row, Writer, new_id, rfc3339

MAX_TERMS = 50_000
# Whatever the terms are, a text is read with a bounded number of steps for each of its words.
MAX_WORDS = 80
_NEWEST = "~"


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
    """The terms of the team, of one language where `target` says so; the newest first."""
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
    """Without what nobody sees at either end."""
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
