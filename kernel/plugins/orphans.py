"""What uninstalled plugins left in the database: their own tables, and what others store for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from kernel.db.owned_schema import drop_schema, objects_of, steps_by_owner
from kernel.features import SWITCH_DATA
from kernel.logs import get_logger
from kernel.plugins.reasons import reason_of
from kernel.plugins.records import PluginRecord, removed_plugin
from kernel.registry import Registry

sql = load_queries(Path(__file__).with_name("orphans.sql"))
_KERNEL = "kernel"
_COUNTED = {"migrations": "applied migrations", "jobs": "waiting jobs", "events": "waiting events"}
_log = get_logger("plugins")


@dataclass(frozen=True, slots=True)
class StoredForIt:
    """What one plugin, or the kernel, stores for another; `many` is None where it cannot be counted."""

    owner: str
    data: PluginData
    many: int | None
    reason: str = ""

    def describe(self) -> str:
        if self.many is None:
            return f"{self.data.name} of {self.owner}, which cannot be counted: {self.reason}"
        return f"{self.many} {self.data.name}"


@dataclass(frozen=True, slots=True)
class Orphan:
    """The remains of one plugin; `objects` are kinds and names of tables, views and sequences.

    `counts` are how many of its migrations, jobs and events are there still.
    """

    plugin: RemovedPlugin
    objects: Sequence[tuple[str, str]]
    counts: Mapping[str, int]
    stored: Sequence[StoredForIt] = ()

    @property
    def id(self) -> str:
        return self.plugin.id

    @property
    def is_empty(self) -> bool:
        return not (self.objects or any(self.counts.values()) or self.stored)

    def describe(self) -> str:
        """Describes the remains in one line for an operator."""
        objects = ", ".join(f"the {kind} {name}" for kind, name in self.objects)
        left = [objects] if objects else []
        left += [f"{many} {_COUNTED[what]}" for what, many in self.counts.items() if many]
        left += [one.describe() for one in self.stored]
        return (
            f"The plugin {self.id} is not installed and has left: {'; '.join(left)}. "
            f"Install it again, or remove them: guildhall plugin purge {self.id}"
        )


async def find_orphans(
    data: Data, records: Sequence[PluginRecord], registry: Registry, also: Sequence[str] = ()
) -> list[Orphan]:
    """Finds what plugins left that were here at the last start or have migrated, and of those in `also`.

    Nothing is asked about plugins that are installed, so that a start with all of them costs one read.
    """
    installed = {status.id for status in registry.statuses()}
    found = []
    async with data.read() as reader:
        if await reader.one(sql.has_tables) is None:
            return []
        steps = await steps_by_owner(reader)
        gone = {*also, *steps, *(record.id for record in records)} - {_KERNEL, *installed}
        for plugin_id in sorted(gone):
            removed = removed_plugin(plugin_id, records, registry)
            found.append(await _own_remains(reader, removed, steps.get(plugin_id, 0)))
    whole = [await _with_stored(data, orphan, registry) for orphan in found]
    return [orphan for orphan in whole if not orphan.is_empty]


async def _own_remains(reader: Reader, removed: RemovedPlugin, migrations: int) -> Orphan:
    counted = {"jobs": sql.waiting_jobs, "events": sql.waiting_events}
    counts = {what: await reader.value(count, owner=removed.id) for what, count in counted.items()}
    objects = await objects_of(reader, removed.id)
    return Orphan(removed, objects, {"migrations": migrations, **counts})


async def _with_stored(data: Data, orphan: Orphan, registry: Registry) -> Orphan:
    """Adds what others store for it, each asked in a transaction of its own: one may fail."""
    stored = []
    for owner, one in [(_KERNEL, SWITCH_DATA), *registry.owned(PluginData)]:
        try:
            async with data.read() as reader:
                many = await one.count(reader, orphan.plugin)
            found = StoredForIt(owner, one, many)
        except Exception as error:
            _log.error("plugin.data_not_counted", exc=error, plugin=owner, data=one.name)
            found = StoredForIt(owner, one, None, reason_of(error))
        if found.many != 0:
            stored.append(found)
    return replace(orphan, stored=stored)


async def remove(writer: Writer, orphan: Orphan, now_ms: int) -> None:
    """Removes all of it in the writer's transaction; waiting jobs end as cancelled."""
    for one in orphan.stored:
        await one.data.remove(writer, orphan.plugin)
    await drop_schema(writer, orphan.id, orphan.objects)
    await writer.run(sql.cancel_waiting_jobs, owner=orphan.id, now=now_ms)
    for statement in (sql.drop_waiting_events, sql.forget_record, sql.forget_names):
        await writer.run(statement, owner=orphan.id)
