"""Tables on their way from one database engine to another, counted and digested as they go by."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from builtin_plugins.backup.manifest import BackupFault
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.engines.engine import (
    DatabaseEngine,
    DatabaseInUse,
    DatabaseOccupied,
    DatabaseOptions,
    InstanceTables,
    RestoredSchema,
    TableRestoration,
)
from guildhall_sdk.engines.pools import Ledger, Progress, TableChecksum, TableText, TableTexts
from guildhall_sdk.services.server import InstanceInspection
from libs.row_digest import LinesDigest


@dataclass(slots=True)
class MovedTables:
    """The tables that go by; `checksums` has those that were read to their end."""

    target: DatabaseEngine
    schema: RestoredSchema
    texts: TableTexts
    checksums: dict[str, TableChecksum] = field(default_factory=dict)

    @asynccontextmanager
    async def put_in(self, url: str, progress: Progress, *, replace: bool) -> AsyncIterator[TableRestoration]:
        """Makes them ready in the target; nobody else sees them before the restoration is committed."""
        tables = self._counted(progress)
        async with self.target.copied_in(url, tables, self.schema, progress, replace=replace) as restored:
            yield restored

    def read(self, progress: Progress) -> Mapping[str, TableChecksum]:
        """Reads all of them, for nothing but their checksums; it blocks."""
        for text in self._counted(progress):
            for _ in text.chunks:
                pass
        return self.checksums

    def differences(self, found: Mapping[str, TableChecksum]) -> Iterator[str]:
        """Yields how the tables that were read differ from those that are in the target."""
        for name, read in self.checksums.items():
            there = found.get(name)
            if there is None or there != read:
                rows = "none" if there is None else there.rows
                yield f"{name}: {read.rows} rows were read, {rows} are there, or they are others"

    def _counted(self, progress: Progress) -> Iterator[TableText]:
        for text in self.texts.tables():
            if text.table not in self.schema.kept:
                yield TableText(text.table, text.columns, self._chunks(text, progress))

    def _chunks(self, text: TableText, progress: Progress) -> Iterator[bytes]:
        digest = LinesDigest()
        for chunk in text.chunks:
            digest.update(chunk)
            progress(text.table, f"{digest.result()[0]} rows")
            yield chunk
        self.checksums[text.table] = TableChecksum(*digest.result())


async def tables_moved(
    tables: InstanceTables,
    source: DatabaseEngine,
    target: DatabaseEngine,
    texts: TableTexts,
    ledger: Ledger,
    sequences: Mapping[str, int],
) -> MovedTables:
    schema = tables.moved_schema(ledger, {**sequences, **texts.sequences}, source, target)
    return MovedTables(target, schema, texts)


@dataclass(frozen=True, slots=True)
class Moved:
    """What is in the target now; `before` says that an earlier call brought it there."""

    tables: Mapping[str, TableChecksum]
    before: bool


async def move(host: CommandHost, url: str, progress: Progress) -> Moved:
    """Copies the tables of a stopped instance into an empty database of another kind, whole or not at all.

    What is there already is compared: a call that was killed after its last step goes on from there.
    """
    tables = host.service(InstanceTables)
    source, target = tables.engine, _engine_for(host, url)
    if source.name == target.name:
        raise BackupFault(f"the instance is in {source.name} already; for another place use `restore`")
    if await host.service(InstanceInspection).is_served():
        raise DatabaseInUse("a server runs on this instance: stop it first, and every other one that uses it")
    async with tables.opened() as data, data.read() as reader:
        ledger = await tables.ledger(reader)
    if not ledger:
        raise BackupFault(f"{tables.place} is empty: there is nothing to move")
    async with source.texts_out(tables.url) as texts:
        moved = await tables_moved(tables, source, target, texts, ledger, {})
        try:
            async with moved.put_in(url, progress, replace=False) as restored:
                if different := next(moved.differences(restored.tables), None):
                    raise BackupFault(f"{different}; nothing was moved")
                await restored.commit()
        except DatabaseOccupied:
            await _check_moved(moved, url, progress)
            return Moved(moved.checksums, before=True)
    return Moved(moved.checksums, before=False)


def _engine_for(host: CommandHost, url: str) -> DatabaseEngine:
    engines = host.plugins.declared(DatabaseEngine)  # type: ignore[type-abstract]
    scheme = url.partition(":")[0]
    for engine in engines:
        if scheme in engine.schemes:
            if engine.refusal(DatabaseOptions(url=url)) is not None:
                break
            return engine
    forms = " or ".join(sorted(one.form for one in engines))
    raise BackupFault(f"--to takes {forms}")


async def _check_moved(moved: MovedTables, url: str, progress: Progress) -> None:
    """Raises unless what is there is what would be put there, row by row."""
    await asyncio.to_thread(moved.read, progress)
    with tempfile.TemporaryDirectory() as folder:
        async with moved.target.copied_out(url, Path(folder), progress) as there:
            different = next(moved.differences(there.tables), None)
    if different is not None:
        raise DatabaseOccupied(
            f"there are tables in that database already, with other rows than here ({different}): "
            "give --to an empty database"
        )
