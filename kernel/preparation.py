"""Between admission and the first service: each plugin's schema is migrated, and what it brings is proven."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from guildhall_sdk import Clock
from kernel.db import Database, MigrationError, MigrationSource, migrate, read_source
from kernel.logs import get_logger
from kernel.plugins.admission import Admission
from kernel.plugins.orphans import find_orphans
from kernel.plugins.records import PluginRecord, read_records, save_records
from kernel.proofs import Proofs

_log = get_logger("boot")
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
        self._records: Sequence[PluginRecord] = ()
        self._proofs: Proofs

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
            self._records = await read_records(reader)
        known = {record.id: record.proof for record in self._records if record.proof is not None}
        self._proofs = Proofs(self._data, self._registry, known, self._version)
        for plugin in self._registry.plugins:
            if plugin in self._registry and (fault := await self._proofs.fault(plugin)) is not None:
                self._admission.withdraw(plugin.id, fault)

    async def record(self) -> None:
        """Records the plugins for the commands, and logs what removed plugins have left."""
        orphans = await find_orphans(self._data, self._records, self._registry)
        for orphan in orphans:
            _log.warning("plugin.orphaned", plugin=orphan.id, detail=orphan.describe())
        removed = [orphan.id for orphan in orphans]
        await save_records(self._data, self._records, self._registry, self._proofs.found, removed=removed)
