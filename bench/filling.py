"""Many notes at once, straight into the plugin's table, where the HTTP API would take minutes."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg

from bench.guildhall import Founder
from guildhall_sdk import new_id

_OTHER_TEAM = "team_of_the_others"
_TEAM_COLUMNS = ["id", "org_id", "slug", "name", "created_at"]
_NOTE_COLUMNS = [
    *("id", "org_id", "team_id", "owner_id", "visibility"),
    *("revision", "created_at", "updated_at", "size", "title", "body"),
]
_BODY = "Ships are safe in harbour, but that is not what ships are for. " * 3

Table = tuple[str, list[str], Iterator[tuple[Any, ...]]]


def fill_sqlite(path: Path, notes: int, founder: Founder, member_id: str) -> None:
    """While no server has it open."""
    connection = sqlite3.connect(path)
    try:
        for table, columns, rows in _tables(notes, founder, member_id):
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
        connection.commit()
    finally:
        connection.close()


def fill_postgresql(url: str, notes: int, founder: Founder, member_id: str) -> None:
    """And takes stock afterwards, as the autovacuum of a real installation would."""

    async def fill() -> None:
        connection = await asyncpg.connect(url)
        try:
            for table, columns, rows in _tables(notes, founder, member_id):
                await connection.copy_records_to_table(table, columns=columns, records=rows)
            await connection.execute("VACUUM ANALYZE")
        finally:
            await connection.close()

    asyncio.run(fill())


def _tables(notes: int, founder: Founder, member_id: str) -> Iterator[Table]:
    yield "teams", _TEAM_COLUMNS, iter([(_OTHER_TEAM, founder.org_id, "others", "Others", 0)])
    yield "notes", _NOTE_COLUMNS, _notes(notes, founder, member_id)


def _notes(visible: int, founder: Founder, member_id: str) -> Iterator[tuple[Any, ...]]:
    """So many that the member may read, and among them as many that they may not."""
    for number in range(visible):
        owner_id = founder.user_id if number % 5 else member_id
        visibility = "team" if number % 10 else "private"
        yield _note(4 * number, founder, founder.team_id, owner_id, visibility)
        if number % 2:
            yield _note(4 * number + 1, founder, founder.team_id, founder.user_id, "private")
        else:
            yield _note(4 * number + 2, founder, _OTHER_TEAM, founder.user_id, "team")


def _note(now_ms: int, founder: Founder, team_id: str, owner_id: str, visibility: str) -> tuple[Any, ...]:
    """In the order of the columns."""
    whose = (new_id("note", now_ms), founder.org_id, team_id, owner_id, visibility)
    return (*whose, 1, now_ms, now_ms, len(_BODY), f"Note {now_ms}", _BODY)
