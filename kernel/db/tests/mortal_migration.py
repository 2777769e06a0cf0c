"""A process that is killed while it migrates; forked from one that has imported this module."""

import asyncio
import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from builtin_plugins.sqlite import connection as sqlite_connection
from guildhall_testing.databases import database_at
from kernel.db.migrations import migrate
from libs.migration_files import MigrationSource


def migrate_and_die(url: str, folder: Path, statements_to_live: int) -> None:
    """Dies before the statement after those."""
    split, left = sqlite_connection.split_statements, count(statements_to_live, -1)

    def split_and_die(text: str) -> Iterator[str]:
        for one in split(text):
            if next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            yield one

    async def main() -> None:
        database = database_at(url)
        await database.connect()
        await migrate(database, [MigrationSource("kernel", folder)], 1)

    sqlite_connection.split_statements = split_and_die
    asyncio.run(main())
