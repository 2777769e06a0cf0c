"""`guildhall plugin purge`: removes what an uninstalled plugin left in the database, all of it or nothing."""

import sys

from guildhall_sdk import Actor, Problem
from kernel.cli.instance import OpenedInstance, opened_database, opened_instance
from kernel.config import Settings
from kernel.db import LEDGER_LOCK
from kernel.faults import CommandRefused
from kernel.plugins.admission import admit
from kernel.plugins.discovery import discover
from kernel.plugins.engines import engine_in
from kernel.plugins.orphans import Orphan, find_orphans, remove
from kernel.plugins.records import read_records
from kernel.registry import Registry

_ACTOR = "operator at the machine"


async def purge(plugin_id: str, settings: Settings, *, unasked: bool) -> int:
    """Removes what a plugin left; refused while it is installed, or a server may have it loaded."""
    candidates = discover(settings.plugins, settings.blob_store)
    if any(candidate.id == plugin_id for candidate in candidates):
        raise CommandRefused(f"the plugin {plugin_id} is installed; uninstall it first")
    for candidate in candidates:
        if candidate.source == "directory" and candidate.manifest is None:
            raise CommandRefused(
                f"the manifest in {candidate.place} cannot be read, and may be that of {plugin_id}; "
                "mend it first"
            )
    registry = admit(settings).registry
    engine = engine_in(registry, settings)
    async with opened_database(settings, engine, made=False):
        pass  # it is there: opening it alone could make a new one
    # Alone: where one process owns the database, no server can be running meanwhile.
    async with opened_instance(settings, engine, alone=True) as instance:
        orphan = await _found(instance, plugin_id, registry)
        if orphan is None:
            print(f"the plugin {plugin_id} has left nothing in the database")
            return 0
        print(orphan.describe().partition(" Install it again")[0])
        _check_counted(orphan)
        for status in registry.refused:
            print(f"The plugin {status.id} is {status.status}: if it stores something for it, that stays.")
        if not unasked and not _agreed():
            print("nothing was removed")
            return 1
        await _remove(instance, orphan)
    print(f"removed all that the plugin {plugin_id} had left")
    return 0


def _check_counted(orphan: Orphan) -> None:
    for one in orphan.stored:
        if one.many is None:
            raise CommandRefused(
                f"nothing was removed: {one.owner} cannot count its {one.data.name}; start the server once, "
                f"which makes its tables, or mend {one.owner}"
            )


async def _found(instance: OpenedInstance, plugin_id: str, registry: Registry) -> Orphan | None:
    async with instance.data.read() as reader:
        records = await read_records(reader)
        loaded = any(record.id == plugin_id and record.status == "loaded" for record in records)
        if loaded and instance.data.shared_by_processes:
            raise CommandRefused(
                f"the server that started last has the plugin {plugin_id} loaded: stop the server first, or "
                "restart it without the plugin"
            )
    orphans = await find_orphans(instance.data, records, registry, also=[plugin_id])
    return next((orphan for orphan in orphans if orphan.id == plugin_id), None)


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise CommandRefused("nobody is there to ask; say --yes to remove it")
    return input("Remove it for good? [y/N] ").strip().lower() in {"y", "yes"}


async def _remove(instance: OpenedInstance, orphan: Orphan) -> None:
    now = instance.clock.now_ms()
    detail = {
        "objects": [name for _, name in orphan.objects],
        **orphan.counts,
        "stored_by_others": {one.data.name: one.many for one in orphan.stored},
    }
    try:
        async with instance.data.write(Actor(_ACTOR)) as writer:
            await writer.serialize(LEDGER_LOCK)
            await remove(writer, orphan, now)
            writer.audit("plugin.purged", ("plugin", orphan.id), detail=detail)
    except Problem:
        raise
    except Exception as error:
        raise CommandRefused(f"nothing was removed: {str(error).splitlines()[0]}") from error
