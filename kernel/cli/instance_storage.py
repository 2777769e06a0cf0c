"""All that an instance stores, for commands: its tables, its blobs, its secret key and files of plugins."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import kernel
from guildhall_sdk import Clock, Reader
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.engines.engine import DatabaseEngine, RestoredSchema, TableCopy, TableRestoration
from guildhall_sdk.services.storage import (
    BlobStorage,
    CheckedTables,
    CopiedTables,
    Dialect,
    InstanceCopy,
    KeptFiles,
    Ledger,
    Progress,
    TableChecksum,
)
from kernel.audit import sql as audit_sql
from kernel.cli.opened import opened_database
from kernel.config import Settings
from kernel.db import (
    Database,
    Migration,
    MigrationSource,
    ScopedReader,
    as_ledger,
    check_known,
    ledger_of,
)
from kernel.db.migrations import LEDGER_LOCK
from kernel.db.migrations import sql as ledger_sql
from kernel.faults import CommandRefused
from kernel.instance_facts import sql as facts_sql
from kernel.plugins.engines import engine_in
from kernel.registry import Registry
from kernel.secrets.keyfile import KEY_FILE, SecretKeyError, keep_secret_key, load_secret_key, read_key_file
from kernel.secrets.vault import SealedVault

_FILE_MODE = 0o644


class StoredInstance:
    """Implements the SDK's `InstanceStorage`."""

    def __init__(
        self, settings: Settings, registry: Registry, clock: Clock, blob_storage: Callable[[], BlobStorage]
    ) -> None:
        self._settings = settings
        self._registry = registry
        self._clock = clock
        self._blob_storage = blob_storage

    @property
    def folder(self) -> Path:
        return self._settings.data

    def blobs(self) -> AbstractAsyncContextManager[BlobStore]:
        return self._blob_storage().opened()

    @asynccontextmanager
    async def live(self, *, with_key: bool = False) -> AsyncIterator["OpenedTables"]:
        settings = self._settings
        key = load_secret_key(settings.secret_key, settings.data) if with_key else None
        async with opened_database(settings, self._engine(), made=False) as data:
            yield OpenedTables(data, settings, key, self._kept(), self._blob_storage)

    def check_tables(self, dialect: Dialect, folder: Path) -> CheckedTables:
        engines = {one.name: one for one in self._registry.engines().values()}
        if dialect not in engines:
            raise CommandRefused(f"this backup is of {dialect}, for which no plugin brings an engine")
        checked = engines[dialect].check_copy(folder, ledger_sql.ledger)
        ledger = None if checked.rows is None else as_ledger(checked.rows)
        return CheckedTables(checked.damage, checked.tables, ledger)

    def _engine(self) -> DatabaseEngine:
        return engine_in(self._registry, self._settings)

    @asynccontextmanager
    async def copied_in(
        self, copy: InstanceCopy, progress: Progress, *, replace: bool
    ) -> AsyncIterator["InstanceRestoration"]:
        settings, engine = self._settings, self._engine()
        steps = self._known_steps(copy, engine)
        schema = RestoredSchema(
            steps=[ledger_sql.make_ledger.spelled(engine.dialects), *(step.text for step in steps)],
            lock=LEDGER_LOCK,
            sequences=copy.sequences,
        )
        key = _key_for(settings, copy)
        async with engine.copied_in(
            settings.own_database_url, copy.tables, schema, progress, replace=replace
        ) as tables:
            yield InstanceRestoration(
                restored=tables,
                sealed=await _vault(tables, key, self._clock),
                blob_storage=self._blob_storage(),
                settings=settings,
                clock=self._clock,
                copy=copy,
                kept=self._kept(),
            )

    def _kept(self) -> "_Kept":
        """Returns what in the data folder belongs to the instance, as plugins say."""
        folders = frozenset(Path(name) for one in self._registry.plugins for name in one.plugin.kept_folders)
        return _Kept(folders, self._registry.declared(KeptFiles))

    def _known_steps(self, copy: InstanceCopy, engine: DatabaseEngine) -> Sequence[Migration]:
        if engine.name != copy.dialect:
            raise CommandRefused(
                f"this backup is of {copy.dialect}, and SERVICE_DATABASE_URL names {engine.name}; "
                "a backup goes back into a database of its own kind"
            )
        sources = [
            MigrationSource("kernel", Path(kernel.__file__).with_name("migrations")),
            *(MigrationSource(owner, folder) for owner, folder in self._registry.migrations()),
        ]
        return check_known(copy.ledger, sources, engine, all_owners=engine.copies_rows_alone)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Folders below the data folder whose files a backup takes, and files directly in it."""

    folders: frozenset[Path]
    files: Sequence[KeptFiles]


class OpenedTables:
    """Implements the SDK's `LiveInstance`."""

    def __init__(
        self,
        data: Database,
        settings: Settings,
        secret_key: bytes | None,
        kept: _Kept,
        blob_storage: Callable[[], BlobStorage],
    ) -> None:
        self.data = data
        self.dialect: Dialect = data.engine.name
        self.secret_key = secret_key
        self._url = settings.own_database_url
        self._folder = settings.data
        self._kept = kept
        self._blob_storage = blob_storage

    @property
    def files(self) -> Mapping[str, Path]:
        kept = [path for folder in self._kept.folders for path in (self._folder / folder).glob("[!.]*")]
        names = [name for one in self._kept.files for name in one.names]
        return {
            **{name: path for name in names if (path := self._folder / name).exists()},
            **{str(path.relative_to(self._folder)): path for path in sorted(kept) if _is_plain(path)},
        }

    @asynccontextmanager
    async def copied_out(self, folder: Path, progress: Progress) -> AsyncIterator[CopiedTables]:
        async with self.data.engine.copied_out(self._url, folder, progress) as copy:
            yield ReadableCopy(copy)

    async def ledger(self, reader: Reader) -> Ledger:
        return await ledger_of(reader, self.data.engine) or {}

    def deletes_held_back(self, copy_id: str) -> AbstractAsyncContextManager[None]:
        return self._blob_storage().deletes_held_back(self.data, copy_id)


class ReadableTables:
    """Tables that were copied out or stand ready, with a scope to read them in that state."""

    def __init__(self, copied: TableCopy | TableRestoration) -> None:
        self._copied = copied

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Reader]:
        yield ScopedReader(self._copied)


class ReadableCopy(ReadableTables):
    """Implements the SDK's `CopiedTables`."""

    def __init__(self, copy: TableCopy) -> None:
        super().__init__(copy)
        self.tables, self.sequences = copy.tables, copy.sequences


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRestoration:
    """Implements the SDK's `Restoration` and `RestoredInstance`."""

    restored: TableRestoration
    sealed: SealedVault | None
    blob_storage: BlobStorage
    settings: Settings
    clock: Clock
    copy: InstanceCopy
    kept: _Kept

    @property
    def tables(self) -> Mapping[str, TableChecksum]:
        return self.restored.tables

    async def commit(self) -> str | None:
        await asyncio.to_thread(self._keep_key)
        await asyncio.to_thread(self._put_files)
        if self.sealed is not None:
            for one in self.kept.files:
                await one.restore(self)
            await self.restored.rows(audit_sql.note_restored_from, {"backup": self.copy.id})
        await self._mark_store()
        return await self.restored.commit()

    @property
    def folder(self) -> Path:
        return self.settings.data

    @property
    def vault(self) -> SealedVault:
        if self.sealed is None:
            raise RuntimeError("the copied instance never began: it has no keys")
        return self.sealed

    def read(self) -> AbstractAsyncContextManager[Reader]:
        return ReadableTables(self.restored).read()

    async def _mark_store(self) -> None:
        """Makes the store that the contents were put into the one of the restored tables."""
        async with self.blob_storage.opened() as store:
            key, value = await self.blob_storage.mark(store)
        await self.restored.rows(facts_sql.put, {"key": key, "value": value})

    def _keep_key(self) -> None:
        if self.copy.secret_key is not None and not _has_key(self.settings):
            keep_secret_key(read_key_file(self.copy.secret_key), self.settings.data)

    def _put_files(self) -> None:
        """Puts each file in place whole; one that the copy has not stays."""
        for name in map(Path, self.copy.files):
            if name.parent in self.kept.folders:
                target = self.settings.data / name
                target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                new = target.with_name(f".{target.name}.restored")
                shutil.copyfile(self.copy.folder / name, new)
                new.chmod(_FILE_MODE)
                new.replace(target)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _has_key(settings: Settings) -> bool:
    return settings.secret_key is not None or (settings.data / KEY_FILE).exists()


def _key_for(settings: Settings, copy: InstanceCopy) -> bytes:
    """Returns the key that is set up here, else the one in the copy."""
    if not _has_key(settings):
        if copy.secret_key is not None:
            return read_key_file(copy.secret_key)
        raise SecretKeyError(
            f"the secret key is not in this backup: put it at {settings.data / KEY_FILE}, "
            "or set SERVICE_SECRET_KEY, and restore again"
        )
    return load_secret_key(settings.secret_key, settings.data)


async def _vault(tables: TableRestoration, key: bytes, clock: Clock) -> SealedVault | None:
    """Raises `SecretKeyMismatch` for a key that does not open it; None for an instance that never began."""
    vault = SealedVault(key, clock)
    await vault.keyring.load(ScopedReader(tables))
    return vault if vault.keyring.complete() else None
