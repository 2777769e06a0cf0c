"""Many notes at once, by the plugin's own statement, where the HTTP API would take minutes."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg

from bench.guildhall import Founder
from builtin_plugins.notes.service import sql
from guildhall_sdk import Statement, new_id

OTHER_TEAM = "team_of_the_others"
_BODY = "Ships are safe in harbour, but that is not what ships are for. " * 3
_INSERT_TEAM = Statement(
    "insert_team",
    *["INSERT INTO teams (id, org_id, slug, name, created_at) VALUES (:id, :org_id, 'others', 'Others', 0)"]
    * 2,
)


def fill_sqlite(path: Path, notes: int, founder: Founder, member_id: str) -> None:
    """While no server has it open."""
    connection = sqlite3.connect(path)
    try:
        connection.execute(_INSERT_TEAM.sqlite, _other_team(founder))
        connection.executemany(sql.insert_note.sqlite, _notes(notes, founder, member_id))
        connection.commit()
    finally:
        connection.close()


def fill_postgresql(url: str, notes: int, founder: Founder, member_id: str) -> None:
    """And takes stock afterwards, as the autovacuum of a real installation would."""

    async def fill() -> None:
        connection = await asyncpg.connect(url)
        try:
            for statement, rows in (
                (_INSERT_TEAM, iter([_other_team(founder)])),
                (sql.insert_note, _notes(notes, founder, member_id)),
            ):
                text, names = statement.numbered
                await connection.executemany(text, ([row[name] for name in names] for row in rows))
            await connection.execute("VACUUM ANALYZE")
        finally:
            await connection.close()

    asyncio.run(fill())


def _other_team(founder: Founder) -> dict[str, Any]:
    return {"id": OTHER_TEAM, "org_id": founder.org_id}


def _notes(visible: int, founder: Founder, member_id: str) -> Iterator[dict[str, Any]]:
    """So many that the member may read, and among them as many that they may not."""
    for number in range(visible):
        own = number % 5 == 0
        private = own and number % 10 == 0
        yield _note(4 * number, founder, founder.team_id, member_id if own else founder.user_id, private)
        if number % 2:
            yield _note(4 * number + 1, founder, founder.team_id, founder.user_id, True)
        else:
            yield _note(4 * number + 2, founder, OTHER_TEAM, founder.user_id, False)


def _note(now_ms: int, founder: Founder, team_id: str, owner_id: str, private: bool) -> dict[str, Any]:
    return {
        "id": new_id("note", now_ms),
        "org_id": founder.org_id,
        "team_id": team_id,
        "owner_id": owner_id,
        "visibility": "private" if private else "team",
        "title": f"Note {now_ms}",
        "body": _BODY,
        "size": len(_BODY),
        "now": now_ms,
    }
