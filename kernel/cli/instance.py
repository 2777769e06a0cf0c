"""The instance as an operator examines it, and the keys of its secrets; no server need be able to start."""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guildhall_sdk import Reader, Setting
from guildhall_sdk.engines.engine import DatabaseEngine, RestoredSchema, TableRestoration
from guildhall_sdk.engines.pools import Ledger
from guildhall_sdk.plugin import PluginStatus
from guildhall_sdk.services.identity import Rotation
from guildhall_sdk.services.server import SettingInUse
from kernel.audit import Trail
from kernel.clock import SystemClock
from kernel.config import KERNEL_SETTINGS, PRODUCT, Settings, names_of
from kernel.db import migrations
from kernel.db.database import Database
from kernel.faults import CommandRefused
from kernel.instance_facts import server_runs
from kernel.instance_facts import sql as facts_sql
from kernel.plugins.admission import Admission
from kernel.plugins.engines import command_options, engine_in, server_options
from kernel.plugins.setting_values import check_addresses, owned_settings, read_settings, unread_names
from kernel.preparation import KERNEL_MIGRATIONS
from kernel.registry import KERNEL
from kernel.secrets.keyfile import SecretKey, SecretKeyError
from kernel.secrets.rotation import rewrap, rotate
from kernel.secrets.vault import SealedVault
from kernel.tenancy.suspension import open_to_writing
from libs.migration_files import MigrationSource
from libs.secret_values import MAKE_ONE, guessable


@dataclass(frozen=True, slots=True, eq=False)
class OpenedInstance:
    data: Database
    vault: SealedVault
    trail: Trail


@asynccontextmanager
async def opened_instance(
    settings: Settings, engine: DatabaseEngine, *, alone: bool = False
) -> AsyncIterator[OpenedInstance]:
    """Opens what `guildhall serve` made; makes nothing new.

    `alone` is never beside a server that owns the database.
    """
    clock = SystemClock()
    vault = SealedVault(SecretKey(settings.secret_key, settings.data).key(), clock)
    trail = Trail(vault, clock)
    options = command_options(settings, alone=alone)
    data = Database(engine, options, audit_sink=trail.append, condition_of=open_to_writing)
    async with _connected(data):
        await _check_made(data)
        await vault.open(data)
        yield OpenedInstance(data, vault, trail)


@asynccontextmanager
async def opened_database(
    settings: Settings, engine: DatabaseEngine, *, made: bool = True
) -> AsyncIterator[Database]:
    """Opens what `guildhall serve` made to read it, whether or not the secret key is at hand.

    Not necessarily `made`, it may be a database without tables yet.
    """
    async with _connected(Database(engine, command_options(settings))) as data:
        if made:
            await _check_made(data)
        yield data


@asynccontextmanager
async def _connected(data: Database) -> AsyncIterator[Database]:
    await data.connect()
    try:
        yield data
    finally:
        await data.disconnect()


async def _check_made(data: Database) -> None:
    async with data.read() as reader:
        if await migrations.ledger_of(reader, data.engine) is None:
            raise CommandRefused(f"{data.place} is empty: start the server once, or restore a backup into it")


class Inspection:
    """Implements the SDK's `InstanceInspection` and `InstanceTables`."""

    applied = migrations.sql.ledger
    as_ledger = staticmethod(migrations.as_ledger)

    def __init__(self, admission: Admission, settings: Settings) -> None:
        self._admission = admission
        self._settings = settings
        self.url = settings.own_database_url
        self.kept_folders = [name for one in admission.registry.plugins for name in one.plugin.kept_folders]

    @property
    def engine(self) -> DatabaseEngine:
        return engine_in(self._admission.registry, self._settings)

    @property
    def place(self) -> str:
        return Database(self.engine, command_options(self._settings)).place

    @property
    def database_folder(self) -> Path | None:
        return Database(self.engine, command_options(self._settings)).folder

    def database(self) -> AbstractAsyncContextManager[Database]:
        return opened_database(self._settings, self.engine)

    def opened(self) -> AbstractAsyncContextManager[Database]:
        return opened_database(self._settings, self.engine, made=False)

    async def ledger(self, reader: Reader) -> Ledger:
        return await migrations.ledger_of(reader, self.engine) or {}

    def pending(self, ledger: Ledger, plugin_id: str, folder: Path) -> Sequence[str]:
        source = MigrationSource(plugin_id, folder)
        steps = migrations.read_source(source, self.engine)
        migrations.check_ledger(ledger, steps, newer=True)
        return [step.file for step in steps if (step.owner, step.number) not in ledger and not step.contracts]

    def schema(self, ledger: Ledger, sequences: Mapping[str, int]) -> RestoredSchema:
        engine = self.engine
        known = migrations.check_known(ledger, self._sources(), engine, all_owners=engine.copies_rows_alone)
        steps = [migrations.sql.make_ledger.spelled(engine.dialects), *(step.text for step in known)]
        return RestoredSchema(steps=steps, lock=migrations.LEDGER_LOCK, sequences=sequences)

    def moved_schema(
        self, ledger: Ledger, sequences: Mapping[str, int], source: DatabaseEngine, target: DatabaseEngine
    ) -> RestoredSchema:
        sources = self._sources()
        migrations.check_known(ledger, sources, source, all_owners=True)
        every = [step for one in sources for step in migrations.read_source(one, target)]
        steps = [step for step in every if (step.owner, step.number) in ledger]
        made = migrations.sql.make_ledger.spelled(target.dialects)
        texts = [made, *(step.text for step in steps), *map(migrations.ledger_line, steps)]
        derived = [table for one in self._admission.registry.plugins for table in one.derived]
        kept = (*migrations.LEDGER_TABLES, *derived)
        return RestoredSchema(steps=texts, lock=migrations.LEDGER_LOCK, sequences=sequences, kept=kept)

    async def note_fact(self, tables: TableRestoration, key: str, value: str) -> None:
        await tables.rows(facts_sql.put, {"key": key, "value": value})

    def _sources(self) -> Sequence[MigrationSource]:
        owners = self._admission.checked().migrations()
        return [KERNEL_MIGRATIONS, *(MigrationSource(owner, folder) for owner, folder in owners)]

    def settings(self) -> tuple[Sequence[SettingInUse], Sequence[str]]:
        registry, settings = self._admission.checked(), self._settings
        engine_in(registry, settings)
        values = read_settings(registry, settings.others)
        check_addresses(settings.bind, registry, values)
        own = [
            SettingInUse(variable, KERNEL, one, getattr(settings, one.name), _is_set(variable, one))
            for variable, one in KERNEL_SETTINGS.items()
        ]
        of_plugins = [
            SettingInUse(
                row.variable, row.owner, row.setting, values.value(row.setting), values.given(row.setting)
            )
            for row in owned_settings(registry)
        ]
        return [*own, *of_plugins], values.unread

    async def check_database(self) -> str:
        async with self.database() as data:
            await data.ping()
            await data.pool.check()
            async with data.read() as reader:
                steps = [step for one in self._sources() for step in migrations.read_source(one, data.engine)]
                migrations.check_ledger(await self.ledger(reader), steps, newer=True)
        if self._settings.database_direct_url is None:
            return data.engine.name
        pooled = Database(self.engine, replace(server_options(self._settings), replica_url=None))
        async with _connected(pooled):
            await pooled.ping()
        return f"{data.engine.name}, through a pooler"

    async def check_replica(self) -> str:
        return await self.engine.check_replica(server_options(self._settings))

    def plugins(self) -> tuple[Sequence[PluginStatus], Sequence[str]]:
        remarks = [
            f"SERVICE_PLUGINS_BLOCKED: there is no plugin {unknown} to block"
            for unknown in self._admission.unknown_blocked
        ]
        return self._admission.checked().statuses(), remarks

    async def is_served(self) -> bool:
        async with self.opened() as data, data.read() as reader:
            return data.pool.owned_by_server or await server_runs(reader, data.engine)


class StoredKeys(SecretKey):
    """Implements the SDK's `SecretKeys`."""

    def __init__(self, admission: Admission, settings: Settings) -> None:
        super().__init__(settings.secret_key, settings.data)
        self._admission = admission
        self._settings = settings

    async def vault(self, reader: Reader, key: bytes) -> SealedVault | None:
        vault = SealedVault(key, SystemClock())
        await vault.keyring.load(reader)
        return vault if vault.keyring.complete() else None

    async def rotate(self) -> Rotation:
        async with self._instance() as instance:
            return await rotate(instance.data, instance.vault)

    async def rewrap(self, new_key_file: Path) -> tuple[int, int]:
        new_key = self.read(new_key_file)
        if (fault := guessable(new_key.decode(), PRODUCT)) is not None:
            raise SecretKeyError(f"{new_key_file}: the new key {fault}; {MAKE_ONE}")
        old_key = self.key()
        async with self._instance() as instance:
            return await rewrap(instance.data, old_key, new_key)

    def _instance(self) -> AbstractAsyncContextManager[OpenedInstance]:
        """Opens the instance; refused where a name is set that nobody declares: the database's, misspelled?

        The values of plugins are none of its business.
        """
        registry = self._admission.registry
        if self._admission.refusal is None:
            unread_names(registry, self._settings.others)
        return opened_instance(self._settings, engine_in(registry, self._settings))


def _is_set(variable: str, setting: Setting[Any]) -> bool:
    return any(name in os.environ for name in names_of(variable, setting))
