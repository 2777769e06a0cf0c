"""What a database holds, in a form that two databases of one dialect can be compared by."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guildhall_sdk import Row, load_queries
from kernel.db.database import Database

sql = load_queries(Path(__file__).with_name("schema.sql"))


async def describe_schema(database: Database) -> dict[str, Any]:
    """Tables to their columns, indexes and keys; neither the order of columns nor the ledger counts."""
    async with database.read() as reader:
        columns = await reader.all(sql.columns)
        indexes = await reader.all(sql.indexes)
        keys = await reader.all(sql.keys)
    return {
        table: {
            "columns": {
                row["name"]: {
                    "type": row["type"].upper(),
                    "nullable": bool(row["nullable"]),
                    "default": row["default_value"],
                }
                for row in _rows_of(table, columns)
            },
            "indexes": {row["name"]: " ".join(row["definition"].split()) for row in _rows_of(table, indexes)},
            "keys": sorted(row["definition"] for row in _rows_of(table, keys)),
        }
        for table in sorted({row["table_name"] for row in columns})
    }


def _rows_of(table: str, rows: Sequence[Row]) -> list[Row]:
    return sorted((row for row in rows if row["table_name"] == table), key=lambda row: str(dict(row)))
