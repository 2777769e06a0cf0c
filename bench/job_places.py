"""Databases of their own for contestants that run jobs."""

from collections.abc import Iterator
from pathlib import Path

from guildhall_testing.postgres import PostgresServer


def on_both(folder: Path, cluster: PostgresServer, name: str) -> Iterator[tuple[str, str]]:
    """Yields the name of each database and the URL of a new one."""
    yield "SQLite", on_sqlite(folder, name)
    yield "PostgreSQL", cluster.create_database()


def on_sqlite(folder: Path, name: str) -> str:
    return f"sqlite:///{folder / name}.db"
