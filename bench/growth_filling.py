"""Databases with much in them, filled by a statement or two where the HTTP API would take hours."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import asyncpg

from bench.guildhall import Founder
from guildhall_sdk import Statement, Writer, load_queries
from guildhall_testing.databases import database_at
from kernel.db.database import Database
from kernel.db.migrations import migrate
from kernel.tenancy.suspension import open_to_writing
from libs.migration_files import MigrationSource

sql = load_queries(Path(__file__).with_name("growth_filling.sql"))

_KEEP_TRIGGERS = """
DO $$
DECLARE one RECORD;
BEGIN
    FOR one IN SELECT CAST(tgrelid AS regclass) AS place, tgname FROM pg_trigger WHERE NOT tgisinternal LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', one.place, one.tgname);
    END LOOP;
END $$
"""

Fill = Callable[[Writer], Coroutine[Any, Any, None]]


@contextmanager
def opened(runner: asyncio.Runner, url: str, owners: dict[str, ModuleType], fill: Fill) -> Iterator[Database]:
    """Opens a database with the tables of these owners, filled; without owners as it is."""
    data = database_at(url, condition_of=open_to_writing)
    runner.run(_fill(data, url, owners, fill))
    try:
        yield data
    finally:
        runner.run(data.disconnect())


async def _fill(data: Database, url: str, owners: dict[str, ModuleType], fill: Fill) -> None:
    await data.connect()
    sources = [
        MigrationSource(name, Path(str(package.__file__)).with_name("migrations"))
        for name, package in owners.items()
    ]
    if sources:
        await migrate(data, sources, 0)
    async with data.write() as writer:
        await skip_key_checks(data, writer)
        await fill(writer)
    await vacuum(data, url)


async def skip_key_checks(data: Database, writer: Writer) -> None:
    """Lets rows in without looking up what each refers to, which takes longest; our triggers still fire."""
    if data.dialect == "postgresql":
        for text in (_KEEP_TRIGGERS, "SET LOCAL session_replication_role = replica"):
            await writer.run(Statement("skip_key_checks", "", text))


async def vacuum(data: Database, url: str) -> None:
    """Does what the autovacuum of a real installation would have done by now."""
    if data.dialect == "postgresql":
        connection = await asyncpg.connect(url)
        try:
            await connection.execute("VACUUM ANALYZE")
        finally:
            await connection.close()


async def put_objects(
    writer: Writer, owner: Founder, prefix: str, many: int, *, present: bool, folders: int = 0
) -> None:
    """Puts so many objects below a prefix, in so many folders, or so many delete markers."""
    tag = prefix.replace("/", "_")
    binds = {"tag": tag, "org_id": owner.org_id, "user_id": owner.user_id, "many": many}
    await writer.run(
        sql.objects,
        **binds,
        team_id=owner.team_id,
        prefix=prefix,
        present=int(present),
        visibility="team",
        in_folders=int(bool(folders)),
        per_folder=many // folders if folders else 1,
    )
    await writer.run(sql.newest_versions, **binds, present=int(present))
