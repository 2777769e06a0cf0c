"""A process that stands still between a step of a migration and its line in the ledger."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

from guildhall_testing.databases import database_at
from kernel.db import migrations
from kernel.db.migrations import migrate
from libs.migration_files import MigrationSource

_record = migrations._record


def _freeze_and_record(*arguments: Any) -> Any:
    os.kill(os.getpid(), signal.SIGSTOP)
    return _record(*arguments)


async def _main() -> None:
    database = database_at(os.environ["SERVICE_DATABASE_URL"])
    await database.connect()
    await migrate(database, [MigrationSource("kernel", Path(os.environ["STEPS"]))], 1)


if __name__ == "__main__":
    migrations._record = _freeze_and_record
    asyncio.run(_main())
