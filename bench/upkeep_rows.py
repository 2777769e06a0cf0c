"""Rows in the number that years leave behind, straight into their tables, for what looks after them."""

import asyncio
import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import asyncpg

from bench.guildhall import Founder
from guildhall_sdk import new_id
from libs.trail_records import link_mac, seal

_NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many})"
_FILLING = (
    "INSERT INTO notes "
    "(id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body) "
    "{numbers} SELECT 'note_' || CAST(1000000000 + i AS TEXT), '{org_id}', '{team_id}', '{user_id}', "
    "'team', 1, 0, 0, 1, 'Note', 'x' FROM n",
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id, "
    "present, document, text_status, created_at, updated_at) "
    "{numbers} SELECT 'obj_' || CAST(1000000000 + i AS TEXT), '{org_id}', '{team_id}', '{user_id}', "
    "'k' || CAST(i AS TEXT), 'team', 1, 1, 'ver_' || CAST(1000000000 + i AS TEXT), 1, 0, 'none', 0, 0 FROM n",
    "INSERT INTO credentials (id, kind, secret_hash, user_id, team_id, name, created_at) "
    "{numbers} SELECT 'tok_' || CAST(1000000000 + i AS TEXT), 'api', 'hash' || CAST(i AS TEXT), "
    "'{user_id}', '{team_id}', 'x', 0 FROM n",
    "INSERT INTO secrets (kind, org_id, ref, key_id, sealed) {numbers} "
    "SELECT 'bench', '{org_id}', 'bench' || CAST(i AS TEXT), "
    "(SELECT id FROM data_keys WHERE purpose = 'seal' AND active = 1), 'x' FROM n",
)

Table = tuple[str, Sequence[str], Iterator[tuple[Any, ...]]]
_EVENT = ("id", "chain", "seq", "org_id", "team_id", "at", "actor_id", "actor_name", "action", "target_type")
_EVENT_COLUMNS = (*_EVENT, "target_id", "detail", "request_id", "mac")


def fill_counted(url: str, founder: Founder, many: int) -> None:
    """Fills what `/api/metrics` and `/api/admin/status` count, while no server has a SQLite file open."""
    who = {"org_id": founder.org_id, "team_id": founder.team_id, "user_id": founder.user_id}
    statements = [one.format(numbers=_NUMBERS.format(many=many), **who) for one in _FILLING]
    run_statements(url, [*statements, "ANALYZE"])


def run_statements(url: str, statements: Sequence[str]) -> None:
    """Runs the statements outside any server."""
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        try:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        finally:
            connection.close()
        return

    async def run() -> None:
        asked = await asyncpg.connect(url)
        try:
            for statement in statements:
                await asked.execute(statement)
        finally:
            await asked.close()

    asyncio.run(run())


def chain_of(key: bytes, org_id: str, many: int) -> Iterator[Table]:
    """Yields the rows of one company's chain, as the server would have written them."""
    company = (org_id, "of-the-bench", "Of the bench", "team", 0)
    yield "orgs", ("id", "slug", "name", "plan", "created_at"), iter([company])
    mac = ""

    def event_of(seq: int) -> tuple[Any, ...]:
        nonlocal mac
        event = {
            **dict.fromkeys(_EVENT_COLUMNS[:-1]),
            "id": new_id("evt", seq),
            "chain": org_id,
            "seq": seq,
            "org_id": org_id,
            "at": seq,
            "actor_name": "bench",
            "action": "note.created",
            "detail": "{}",
        }
        event["mac"] = mac = link_mac(key, mac, event)
        return tuple(event.values())

    yield "audit_events", _EVENT_COLUMNS, map(event_of, range(1, many + 1))
    head = (org_id, many, mac, seal(key, "head", org_id, many, mac))
    yield "audit_heads", ("chain", "seq", "mac", "seal"), iter([head])


def blobs_of(folder: Path, org_id: str, many: int) -> Iterator[Table]:
    """Puts so many blobs where the store keeps its files, and yields the rows that hold them."""
    held = []
    for number in range(many):
        content = f"blob {number}".encode()
        sha256 = hashlib.sha256(content).hexdigest()
        path = folder / "blobs" / org_id / sha256[:2] / sha256
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)
        held.append((org_id, "bench", sha256))
    yield "blob_holds", ("org_id", "holder", "sha256"), iter(held)


def copy_rows(url: str, tables: Iterator[Table]) -> None:
    """Copies rows into a database, and takes stock afterwards."""
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        try:
            for table, columns, rows in tables:
                marks = ", ".join("?" * len(columns))
                connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
            connection.execute("ANALYZE")
            connection.commit()
        finally:
            connection.close()
        return

    async def copy() -> None:
        asked = await asyncpg.connect(url)
        try:
            for table, columns, rows in tables:
                await asked.copy_records_to_table(table, columns=list(columns), records=rows)
            await asked.execute("ANALYZE")
        finally:
            await asked.close()

    asyncio.run(copy())
