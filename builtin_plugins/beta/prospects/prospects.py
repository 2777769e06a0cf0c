"""The work on prospects, without HTTP."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.beta.prospects.judging import problem_words
from guildhall_sdk import NotFound, Principal, Reader, Row, Writer, load_queries, rfc3339, rfc3339_or_none
from libs.names import folded

sql = load_queries(Path(__file__).with_name("queries.sql"))

# Sorts behind every id.
_END = "~"
_LIKE_SIGNS = str.maketrans({"!": "!!", "%": "!%", "_": "!_"})


@dataclass(frozen=True, slots=True)
class Selection:
    """Which prospects of a team are wanted; an empty text is no wish."""

    team_id: str
    status: str = ""
    text: str = ""

    async def page(self, reader: Reader, before: str | None, limit: int) -> Sequence[Row]:
        """Returns the newest first, those older than `before`."""
        where: dict[str, Any] = {"team_id": self.team_id, "before": before or _END, "limit": limit}
        if self.text:
            pattern = f"%{folded(self.text).translate(_LIKE_SIGNS)}%"
            return await reader.all(sql.found_page, status=self.status, pattern=pattern, **where)
        if self.status:
            return await reader.all(sql.page_of_status, status=self.status, **where)
        return await reader.all(sql.page, **where)


def prospect_json(row: Row) -> dict[str, Any]:
    """Returns a prospect as the API shows it."""
    problem = row["judge_problem"]
    return {
        "id": row["id"],
        "fields": json.loads(row["fields"]),
        "locale": row["locale"],
        "signals": {
            **json.loads(row["signals"]),
            "honeypot": bool(row["honeypot"]),
            "repeats": row["repeats"],
            "judge_problem": None if problem is None else problem_words(problem),
        },
        "verdict": None if row["verdict"] is None else json.loads(row["verdict"]),
        "status": row["status"],
        "decided_by": row["decided_by"],
        "decided_at": rfc3339_or_none(row["decided_at"]),
        "note": row["note"],
        "created_at": rfc3339(row["created_at"]),
    }


async def find(reader: Reader, principal: Principal, prospect_id: str) -> Mapping[str, Any]:
    """Returns a prospect of the caller's team; raises `NotFound`."""
    row = await reader.one(sql.by_id, id=prospect_id, team_id=principal.team_id)
    if row is None:
        raise NotFound()
    return prospect_json(row)


async def decide(
    writer: Writer, principal: Principal, prospect_id: str, status: str, note: str | None, now_ms: int
) -> Mapping[str, Any]:
    """Accepts or declines; the same decision again changes nothing. Raises `NotFound`."""
    place = {"id": prospect_id, "team_id": principal.team_id}
    changed = await writer.one(
        sql.decide, status=status, note=note, user_id=principal.user_id, now=now_ms, **place
    )
    decided = await find(writer, principal, prospect_id)
    if changed is not None:
        writer.audit(f"prospect.{status}", ("prospect", prospect_id))
    return decided


async def erase(writer: Writer, principal: Principal, prospect_id: str) -> None:
    """Removes all that is known of a prospect; the trail says who did, and names nobody."""
    if await writer.one(sql.erase, id=prospect_id, team_id=principal.team_id) is None:
        raise NotFound()
    writer.audit("prospect.erased", ("prospect", prospect_id))
