"""The translations that a team has asked for: shown to those who asked, and how long they are kept."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from guildhall_sdk import NotFound, Principal, Reader, Row, Writer, load_queries, new_id, rfc3339
from guildhall_sdk.replies import encode_cursor
from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.localization import GlossaryUse, Translation

sql = load_queries(Path(__file__).with_name("history.sql"))

# Of one person in one team; older ones go.
MAX_HISTORY = 1_000
MAX_HISTORY_BYTES = 32 * 1024 * 1024
# A page of the longest texts would not fit in memory many times over; a cursor leads on from anywhere.
MAX_BYTES_PER_PAGE = 4 * 1024 * 1024
_NEWEST = "~"

KEEP_TRANSLATIONS_DAYS = days_setting(
    "keep_translations_days", what="translations", default=365, variable="SERVICE_KEEP_TRANSLATIONS_DAYS"
)


async def record(writer: Writer, caller: Principal, source_text: str, made: Translation) -> None:
    terms = {"glossary": _listed(made.glossary), "missed": _listed(made.missed)}
    await writer.run(
        sql.insert_translation,
        id=made.id,
        org_id=caller.org_id,
        team_id=caller.team_id,
        user_id=caller.user_id,
        credential_id=caller.credential.id,
        source=made.source,
        target=made.target,
        model=made.model,
        simulated=int(made.simulated),
        untranslated=int(made.untranslated),
        created_at=made.created_at,
        size=len(source_text.encode()) + len(made.text.encode()),
        terms=json.dumps(terms, ensure_ascii=False),
        source_text=source_text,
        text=made.text,
    )
    await writer.run(
        sql.drop_oldest,
        team_id=caller.team_id,
        user_id=caller.user_id,
        history=MAX_HISTORY,
        max_bytes=MAX_HISTORY_BYTES,
    )


async def list_page(
    reader: Reader, caller: Principal, before: str | None, fetched: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Returns the team's translations, newest first; a page of long texts may be shorter than asked for."""
    rows = await reader.all(
        sql.history,
        team_id=caller.team_id,
        user_id=caller.user_id,
        credential_id=_only_by(caller),
        before=before or _NEWEST,
        limit=fetched,
        max_bytes=MAX_BYTES_PER_PAGE,
    )
    page = rows[: fetched - 1]
    more = bool(page) and page[0]["candidates"] > len(page)
    return [_to_json(row) for row in page], encode_cursor(page[-1]["id"]) if more else None


async def delete(writer: Writer, caller: Principal, translation_id: str) -> None:
    """Raises `NotFound` for what is not the caller's own."""
    binds = {"team_id": caller.team_id, "user_id": caller.user_id, "credential_id": _only_by(caller)}
    if await writer.one(sql.delete_translation, id=translation_id, **binds) is None:
        raise NotFound()
    writer.audit("translation.deleted", ("translation", translation_id))


def _only_by(caller: Principal) -> str | None:
    """Returns the credential whose texts alone are shown: one with a scope reads what it asked for itself.

    Else it would read, by what was once translated, what its scope keeps from it.
    """
    return None if caller.credential.scope is None else caller.credential.id


def _listed(uses: Sequence[GlossaryUse]) -> list[dict[str, Any]]:
    return [asdict(use) for use in uses]


def _to_json(row: Row) -> dict[str, Any]:
    terms = {"glossary": None, "missed": None} if row["terms"] is None else json.loads(row["terms"])
    return {
        "id": row["id"],
        "text": row["text"],
        "source_text": row["source_text"],
        "source": row["source"],
        "target": row["target"],
        **terms,
        "simulated": bool(row["simulated"]),
        "untranslated": bool(row["untranslated"]),
        "model": row["model"],
        "by": {"id": row["user_id"], "name": row["user_name"]},
        "created_at": rfc3339(row["created_at"]),
    }


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_old, before_id=new_id("trl", before)))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_old, before_id=new_id("trl", before), limit=limit))


OLD_TRANSLATIONS = Retained(
    name="translations",
    title="texts that were translated",
    keep_days=KEEP_TRANSLATIONS_DAYS,
    count=_count,
    delete_expired=_delete_old,
)
