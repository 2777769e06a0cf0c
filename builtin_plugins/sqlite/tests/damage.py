"""Files of SQLite that are damaged."""

import sqlite3
from pathlib import Path


def damage(file: Path, *tables: str) -> None:
    """Overwrites the first pages of tables and of their indexes, as a copy of a file in use has them."""
    with sqlite3.connect(file) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        found = connection.execute("SELECT tbl_name, rootpage FROM sqlite_master").fetchall()
    with file.open("r+b") as opened:
        for page in [page for table, page in found if table in tables]:
            opened.seek((page - 1) * size)
            opened.write(b"\xa5" * size)
