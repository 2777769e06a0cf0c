"""The table: what a team has written down. Every statement filters by the team."""

from pathlib import Path
from typing import Any

from guildhall_sdk import Migrations, Reader, Writer, hookimpl, load_queries

HERE = Path(__file__).parent
sql = load_queries(HERE / "queries.sql")


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(HERE / "migrations")


async def add_item(writer: Writer, team_id: str, item_id: str, text: str) -> dict[str, Any]:
    await writer.run(sql.insert_item, id=item_id, team_id=team_id, text=text)
    writer.audit("item.added", ("item", item_id))
    return {"id": item_id, "text": text}


async def read_item(reader: Reader, team_id: str, item_id: str) -> dict[str, Any] | None:
    found = await reader.one(sql.item_of_team, team_id=team_id, id=item_id)
    return None if found is None else dict(found)


async def list_items(reader: Reader, team_id: str, cursor: str | None, limit: int) -> list[dict[str, Any]]:
    """Reads the newest items, or those before the one that the cursor names."""
    if cursor is None:
        rows = await reader.all(sql.items_of_team, team_id=team_id, limit=limit)
    else:
        rows = await reader.all(sql.items_of_team_before, team_id=team_id, cursor=cursor, limit=limit)
    return [dict(row) for row in rows]


async def delete_item(writer: Writer, team_id: str, item_id: str) -> None:
    await writer.run(sql.delete_item, team_id=team_id, id=item_id)
    writer.audit("item.deleted", ("item", item_id))
