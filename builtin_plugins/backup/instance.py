"""All that an instance stores, as a backup copies and restores it: tables, key and files of plugins."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.backup.manifest import BackupFault
from builtin_plugins.backup.moving import tables_moved
from guildhall_sdk import Clock, Reader, Row, Statement
from guildhall_sdk.blobs import BlobStorage
from guildhall_sdk.commands import CommandHost, KeptFiles, RestoredInstance
from guildhall_sdk.data import Data
from guildhall_sdk.engines.engine import (
    CheckedCopy,
    DatabaseEngine,
    InstanceTables,
    TableCopy,
    TableRestoration,
)
from guildhall_sdk.engines.pools import Ledger, Progress, TableChecksum
from guildhall_sdk.services.identity import SecretKeys, Vault

_FILE_MODE = 0o644
# The fact that names the backup which an instance was restored from, until its next start records it.
_RESTORED_FROM = "restored_from"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCopy:
    """A copy of an instance in a folder."""

    id: str
    #: The name of its database engine.
    dialect: str
    #: Where the tables are.
    tables: Path
    #: Where the files are, and the names of those that are as they were written.
    folder: Path
    files: Collection[str]
    ledger: Ledger
    sequences: Mapping[str, int]
    #: The file with the secret key, where it is in the copy.
    secret_key: Path | None


class StoredInstance:
    """The instance that a command runs for; its database is opened when it is copied."""

    def __init__(self, host: CommandHost) -> None:
        self.clock: Clock = host.clock
        self.folder = host.settings.data
        self.blobs = host.service(BlobStorage)
        self.tables = host.service(InstanceTables)
        self.keys = host.service(SecretKeys)
        self.kept_files = host.plugins.declared(KeptFiles)
        self.kept_folders = frozenset(map(Path, self.tables.kept_folders))
        self._engines = {one.name: one for one in host.plugins.declared(DatabaseEngine)}  # type: ignore[type-abstract]

    @asynccontextmanager
    async def live(self, *, with_key: bool = False) -> AsyncIterator["LiveInstance"]:
        """Opens the database, beside a server too, and makes nothing new."""
        key = self.keys.key() if with_key else None
        async with self.tables.opened() as data:
            yield LiveInstance(self, data, key)

    def check_tables(self, dialect: str, folder: Path) -> tuple[CheckedCopy, Ledger | None]:
        """Reads all of the tables that were copied out, and the migrations in them if it can; it blocks."""
        checked = self._engine(dialect).check_copy(folder, self.tables.applied)
        return checked, None if checked.rows is None else self.tables.as_ledger(checked.rows)

    def _engine(self, dialect: str) -> DatabaseEngine:
        if dialect not in self._engines:
            raise BackupFault(f"this backup is of {dialect}, for which no plugin brings an engine")
        return self._engines[dialect]

    @asynccontextmanager
    async def copied_in(
        self, copy: InstanceCopy, progress: Progress, *, replace: bool
    ) -> AsyncIterator["Restoration"]:
        """Prepares a copy to take the place of the instance, and undoes that unless it is committed.

        A copy of another kind of database is turned into one of this. Refused: beside a running server, where
        there is something already unless it is to be replaced, a schema that this program does not
        know, and a secret key that does not
        open it.
        """
        engine = self.tables.engine
        key = self._key_for(copy)
        if engine.name == copy.dialect:
            schema = self.tables.schema(copy.ledger, copy.sequences)
            async with engine.copied_in(
                self.tables.url, copy.tables, schema, progress, replace=replace
            ) as restored:
                sealed = await self.keys.vault(TablesReader(restored), key)
                yield Restoration(instance=self, restored=restored, sealed=sealed, copy=copy)
            return
        async with self._engine(copy.dialect).texts_out(copy.tables) as texts:
            moved = await tables_moved(
                self.tables, self._engine(copy.dialect), engine, texts, copy.ledger, copy.sequences
            )
            async with moved.put_in(self.tables.url, progress, replace=replace) as restored:
                sealed = await self.keys.vault(TablesReader(restored), key)
                yield Restoration(
                    instance=self, restored=restored, sealed=sealed, copy=copy, read_again=moved.checksums
                )

    def _key_for(self, copy: InstanceCopy) -> bytes:
        """Returns the key that is set up here, else the one in the copy."""
        if self.keys.is_set_up():
            return self.keys.key()
        if copy.secret_key is not None:
            return self.keys.read(copy.secret_key)
        raise BackupFault(
            f"the secret key is not in this backup: put it at {self.keys.file}, "
            "or set SERVICE_SECRET_KEY, and restore again"
        )


@dataclass(frozen=True, slots=True)
class LiveInstance:
    """An instance to be copied, with its database open, and its secret key where it was asked for."""

    stored: StoredInstance
    data: Data
    secret_key: bytes | None

    @property
    def dialect(self) -> str:
        return self.stored.tables.engine.name

    @property
    def files(self) -> Mapping[str, Path]:
        """The files that go with the tables, by name, as plugins declare them."""
        folder = self.stored.folder
        kept = [path for name in self.stored.kept_folders for path in (folder / name).glob("[!.]*")]
        names = [name for one in self.stored.kept_files for name in one.names]
        return {
            **{name: path for name in names if (path := folder / name).exists()},
            **{str(path.relative_to(folder)): path for path in sorted(kept) if _is_plain(path)},
        }

    @asynccontextmanager
    async def copied_out(self, folder: Path, progress: Progress) -> AsyncIterator["CopiedTables"]:
        """Writes every table below the folder, as it is at one moment; the server may run and write."""
        tables = self.stored.tables
        async with tables.engine.copied_out(tables.url, folder, progress) as copy:
            yield CopiedTables(copy)


class TablesReader:
    """Reads tables that were copied out or stand ready; implements the SDK's `Reader`."""

    def __init__(self, copied: TableCopy | TableRestoration) -> None:
        self._copied = copied

    async def all(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        return await self._copied.rows(statement, binds)

    async def one(self, statement: Statement, **binds: Any) -> Row | None:
        rows = await self.all(statement, **binds)
        return rows[0] if rows else None

    async def value(self, statement: Statement, **binds: Any) -> Any:
        row = await self.one(statement, **binds)
        return None if row is None else next(iter(row.values()))


class CopiedTables:
    """The tables at one moment: what was copied of them, and reading in just that state."""

    def __init__(self, copy: TableCopy) -> None:
        self.tables, self.sequences = copy.tables, copy.sequences
        self._copy = copy

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Reader]:
        yield TablesReader(self._copy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """A copy that nobody else sees before `commit`."""

    instance: StoredInstance
    restored: TableRestoration
    sealed: Vault | None
    copy: InstanceCopy
    #: What was read of tables of another engine, whose digests are of another form.
    read_again: Mapping[str, TableChecksum] | None = None

    @property
    def tables(self) -> Mapping[str, TableChecksum]:
        return self.restored.tables

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Reader]:
        yield TablesReader(self.restored)

    async def commit(self) -> str | None:
        """Puts the copy in place at once, with the files that plugins keep.

        The secret key goes with it where there is none. Returns what an operator should know of what stood
        there.
        """
        await asyncio.to_thread(self._put_key)
        await asyncio.to_thread(self._put_files)
        tables = self.instance.tables
        if self.sealed is not None:
            restored = RestoredInstance(
                backup_id=self.copy.id,
                copied=self.copy.folder,
                files=self.copy.files,
                folder=self.instance.folder,
                vault=self.sealed,
                clock=self.instance.clock,
                read=self.read,
            )
            for one in self.instance.kept_files:
                await one.restore(restored)
            await tables.note_fact(self.restored, _RESTORED_FROM, self.copy.id)
        # The store that the contents were put into is the one of the restored tables.
        async with self.instance.blobs.opened() as store:
            await tables.note_fact(self.restored, *await self.instance.blobs.mark(store))
        return await self.restored.commit()

    def _put_key(self) -> None:
        keys = self.instance.keys
        if self.copy.secret_key is not None and not keys.is_set_up():
            keys.store(keys.read(self.copy.secret_key))

    def _put_files(self) -> None:
        """Puts each file in place whole; one that the copy has not stays."""
        for name in map(Path, self.copy.files):
            if name.parent in self.instance.kept_folders:
                target = self.instance.folder / name
                target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                new = target.with_name(f".{target.name}.restored")
                shutil.copyfile(self.copy.folder / name, new)
                new.chmod(_FILE_MODE)
                new.replace(target)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
