"""Plugins tried out in a server whose folder is thrown away, and the removal of what others left."""

import logging
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from guildhall_sdk.plugin import PluginStatus, PluginTrial
from kernel.cli.instance import Inspection, opened_database, opened_instance
from kernel.config import DEFAULT_BLOB_STORE, Settings, SettingsError, default_database
from kernel.db.database import Database
from kernel.db.migrations import MigrationError, read_source
from kernel.faults import BootRefused
from kernel.plugins.admission import Admission, status_of
from kernel.plugins.discovery import Candidate, beside_others, check_uninstalled, discover
from kernel.plugins.engines import engine_in
from kernel.plugins.setting_values import owned_settings
from kernel.preparation import KERNEL_MIGRATIONS
from kernel.proofs import statements_of
from kernel.registry import Registry
from libs.migration_files import MigrationSource
from libs.own_process import silenced


class Upkeep:
    """Implements the SDK's `PluginUpkeep`."""

    def __init__(self, admission: Admission, settings: Settings) -> None:
        self._admission = admission
        self._settings = settings

    async def try_out(self, plugin: str) -> PluginTrial | None:
        """Tries it out beside all the others; one that would stop the boot is in quarantine and says why."""
        candidates, wanted = beside_others(plugin, discover(self._settings.plugins, DEFAULT_BLOB_STORE))
        of_that_id = [candidate for candidate in candidates if candidate.id == wanted]
        if not of_that_id:
            return None
        first, chosen = of_that_id[0], of_that_id[-1]
        if first is not chosen:
            reason = f"the id {wanted} is taken by {first.place}; this is {chosen.place}: give it another id"
            return PluginTrial(status=status_of(chosen, None, "quarantined", reason))
        try:
            return await _tried(wanted, candidates, self._settings)
        except (BootRefused, MigrationError) as refusal:
            return PluginTrial(status=status_of(chosen, None, "quarantined", str(refusal)))

    def instance(self, data: Path) -> Inspection:
        settings = Settings.from_environment({**os.environ, "SERVICE_DATA": str(data)})
        return Inspection(self._admission, settings)

    @asynccontextmanager
    async def alone(self, plugin_id: str) -> AsyncIterator[Database]:
        settings = self._settings
        check_uninstalled(plugin_id, discover(settings.plugins, settings.blob_store))
        engine = engine_in(self._admission.checked(), settings)
        async with opened_database(settings, engine, made=False):
            pass  # it is there: opening it alone could make a new one
        # Alone: where one process owns the database, no server can be running meanwhile.
        async with opened_instance(settings, engine, alone=True) as instance:
            yield instance.data


async def _tried(wanted: str, candidates: Sequence[Candidate], settings: Settings) -> PluginTrial:
    admission = Admission(candidates)
    registry = admission.registry
    plugin = next((one for one in registry.plugins if one.id == wanted), None)
    if plugin is None:
        return PluginTrial(status=_status(registry, wanted))
    if plugin.migrations is not None:
        # Most engines are not run here: the names of its files must be right for each.
        for engine in registry.engines().values():
            read_source(MigrationSource(wanted, plugin.migrations), engine)
    file = getattr(sys.modules.get(plugin.module), "__file__", None)
    trial = PluginTrial(
        status=_status(registry, wanted),
        contents=registry.contents(wanted),
        code=plugin.folder or (Path(file) if file else None),
        statements=[(one.place, one.statement.texts()) for one in statements_of(plugin, registry)],
        migrations={KERNEL_MIGRATIONS.owner: KERNEL_MIGRATIONS.folder, **dict(registry.migrations())},
    )
    await _start(wanted, admission, settings)
    status = _status(registry, wanted)
    return trial if status.status == "loaded" else PluginTrial(status=status)


async def _start(wanted: str, admission: Admission, settings: Settings) -> None:
    """Starts a server, and stops it, with the plugin and what it requires: no other's `on_start` is run."""
    from kernel.boot import Server

    registry = admission.registry
    needed = {DEFAULT_BLOB_STORE, *registry.required_by(wanted)}
    others = {row.variable for row in owned_settings(registry) if row.owner in needed}
    for other in registry.plugins:
        if other.source != "builtin" and other.id not in needed:
            admission.hooks.unregister(other.id)
            registry.remove(other)
    with silenced(logging.getLogger("guildhall")), TemporaryDirectory(prefix="guildhall-check-") as name:
        folder = Path(name)
        alone = replace(
            settings,
            data=folder,
            database_url=default_database(folder),
            database_direct_url=None,
            database_replica_url=None,
            blob_store=DEFAULT_BLOB_STORE,
            plugins_blocked=frozenset(),
            secret_key=None,
            others={name: value for name, value in settings.others.items() if name in others},
        )
        try:
            server = Server(alone, admission=admission)
        except SettingsError:
            # `doctor` checks what the operator set; a plugin can be right all the same.
            server = Server(replace(alone, others={}), admission=admission)
        await server.start()
        await server.stop()


def _status(registry: Registry, wanted: str) -> PluginStatus:
    return next(status for status in registry.statuses() if status.id == wanted)
