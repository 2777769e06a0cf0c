"""Between admission and the first service: each plugin's schema is migrated, and what it brings is proven."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from guildhall_sdk import Clock, Reader
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.errors import OperatorError
from kernel.db.database import Database
from kernel.db.migrations import MigrationError, contracts_of, ledger_of, migrate, read_source
from kernel.instance_facts import StoredFacts
from kernel.plugins.admission import Admission
from kernel.proofs import Proofs
from kernel.registry import Registry
from libs.migration_files import Migration, MigrationSource

_FACTS = StoredFacts()
#: The fact that has the digest of what was proven of each plugin.
_PROVEN = "plugin_proofs"
KERNEL_MIGRATIONS = MigrationSource("kernel", Path(__file__).with_name("migrations"))


# What ships does not change while a process lives: its servers, as those of tests, read it once for all.
_read_shipped = cache(read_source)


class Preparation:
    """Prepares one start. A plugin that fails in it is withdrawn, or stops the boot if it is essential."""

    def __init__(self, data: Database, admission: Admission, clock: Clock, version: str) -> None:
        self._data = data
        self._admission = admission
        self._registry = admission.registry
        self._clock = clock
        self._version = version

    async def migrate(self) -> None:
        now = self._clock.now_ms()
        ledger = await migrate(self._data, [KERNEL_MIGRATIONS], now, read=_read_shipped)
        for plugin in self._registry.plugins:
            if plugin.migrations is None or plugin not in self._registry:
                continue
            # What ships with the server is never uninstalled: nobody asks what it made.
            ships = plugin.source == "builtin"
            source = MigrationSource(plugin.id, plugin.migrations, recorded=not ships)
            read = _read_shipped if ships else read_source
            try:
                await migrate(self._data, [source], now, ledger=ledger, read=read)
            except MigrationError as error:
                self._admission.withdraw(plugin.id, str(error))

    async def prove(self) -> None:
        """Withdraws each plugin with a statement or schema that cannot be right, before a caller meets it."""
        async with self._data.read() as reader:
            known = json.loads(await _FACTS.find(reader, _PROVEN) or "{}")
        proofs = Proofs(self._data, self._registry, known, self._version)
        for plugin in self._registry.plugins:
            if plugin in self._registry and (fault := await proofs.fault(plugin)) is not None:
                self._admission.withdraw(plugin.id, fault)
        if proofs.found != known:
            async with self._data.write() as writer:
                await _FACTS.set(writer, _PROVEN, json.dumps(proofs.found, sort_keys=True))


class SecondHalf:
    """Implements the SDK's `SchemaUpgrade`."""

    def __init__(self, data: Database, registry: Registry, clock: Clock, version: str) -> None:
        self._data = data
        self._registry = registry
        self._clock = clock
        self._version = version

    async def put_off(self, reader: Reader) -> Sequence[str]:
        ledger = await ledger_of(reader, self._data.engine) or {}
        return [
            f"{step.owner}: {step.file}"
            for source in self._sources()
            for step in self._read(source, self._data.engine)
            if step.contracts and (step.owner, step.number) not in ledger
        ]

    async def contracted_at(self, reader: Reader) -> Mapping[str, int]:
        rows = await contracts_of(reader)
        return {f"{row['owner']}: {row['name']}.sql": row["applied_at"] for row in rows}

    async def finish(self) -> Sequence[str]:
        async with self._data.read() as reader:
            servers = await _FACTS.live_servers(reader)
            waiting = await self.put_off(reader)
        for one in servers:
            if one.version != self._version:
                version = one.version or "before 0.2.0"
                raise OperatorError(
                    f"the server on {one.host} (process {one.pid}) is of version {version}, and this is "
                    f"{self._version}: stop it or upgrade it first"
                )
        now = self._clock.now_ms()
        await migrate(self._data, self._sources(), now, contracting=True, read=self._read)
        return waiting

    def _sources(self) -> list[MigrationSource]:
        of_plugins = [
            MigrationSource(one.id, one.migrations, recorded=one.source != "builtin")
            for one in self._registry.plugins
            if one.migrations is not None
        ]
        return [KERNEL_MIGRATIONS, *of_plugins]

    @staticmethod
    def _read(source: MigrationSource, engine: DatabaseEngine) -> Sequence[Migration]:
        return (read_source if source.recorded else _read_shipped)(source, engine)
