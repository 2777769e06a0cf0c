"""What uninstalled plugins left in the database: their own tables, and what others store for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from guildhall_sdk import Reader, Statement, Writer, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from kernel.features import SWITCH_DATA
from kernel.logs import get_logger
from kernel.plugins.reasons import reason_of
from kernel.plugins.records import PluginRecord, removed_plugin
from kernel.registry import Registry
from kernel.tools.team import TOGGLE_DATA

sql = load_queries(Path(__file__).with_name("orphans.sql"))
_KERNEL = "kernel"
# In this order: what stands on something goes before it.
_DROPPED = ("view", "materialized view", "table", "sequence")
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
    """The remains of one plugin; `objects` are kinds and names of tables, views and sequences."""

    plugin: RemovedPlugin
    objects: Sequence[tuple[str, str]]
    migrations: int
    jobs: int
    events: int
    preferences: int
    stored: Sequence[StoredForIt] = ()

    @property
    def id(self) -> str:
        return self.plugin.id

    @property
    def is_empty(self) -> bool:
        own = self.objects or self.migrations or self.jobs or self.events or self.preferences
        return not (own or self.stored)

    def describe(self) -> str:
        """Describes the remains in one line for an operator."""
        left = []
        if self.objects:
            left.append(", ".join(f"the {kind} {name}" for kind, name in self.objects))
        if self.migrations:
            left.append(f"{self.migrations} applied migrations")
        if self.jobs:
            left.append(f"{self.jobs} waiting jobs")
        if self.events:
            left.append(f"{self.events} waiting events")
        if self.preferences:
            left.append(f"{self.preferences} preferences")
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
        steps = {row["owner"]: row["steps"] for row in await reader.all(sql.migrations)}
        gone = {*also, *steps, *(record.id for record in records)} - {_KERNEL, *installed}
        for plugin_id in sorted(gone):
            removed = removed_plugin(plugin_id, records, registry)
            found.append(await _own_remains(reader, removed, steps.get(plugin_id, 0)))
    whole = [await _with_stored(data, orphan, registry) for orphan in found]
    return [orphan for orphan in whole if not orphan.is_empty]


async def _own_remains(reader: Reader, removed: RemovedPlugin, migrations: int) -> Orphan:
    objects = await reader.all(sql.objects, owner=removed.id)
    return Orphan(
        removed,
        [(row["kind"], row["name"]) for row in objects],
        migrations,
        jobs=await reader.value(sql.waiting_jobs, owner=removed.id),
        events=await reader.value(sql.waiting_events, owner=removed.id),
        preferences=await reader.value(sql.preferences, owner=removed.id),
    )


async def _with_stored(data: Data, orphan: Orphan, registry: Registry) -> Orphan:
    """Adds what others store for it, each asked in a transaction of its own: one may fail."""
    kernels = [(_KERNEL, one) for one in (SWITCH_DATA, TOGGLE_DATA)]
    stored = []
    for owner, one in [*kernels, *registry.owned(PluginData)]:
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
    virtual = {row["name"] for row in await writer.all(sql.virtual_tables)}
    # Tables that refer to each other go in any order; who else refers to one stops the commit.
    await writer.run(sql.defer_keys)
    for statement in _drops(orphan, virtual):
        await writer.run(statement)
    await writer.run(sql.cancel_waiting_jobs, owner=orphan.id, now=now_ms)
    for statement in (
        sql.drop_waiting_events,
        sql.drop_team_preferences,
        sql.drop_org_preferences,
        sql.forget_objects,
        sql.forget_migrations,
        sql.forget_record,
        sql.forget_names,
    ):
        await writer.run(statement, owner=orphan.id)


def _drops(orphan: Orphan, virtual: set[str]) -> Iterator[Statement]:
    """Yields the statements that drop it; a virtual table takes its shadows along, a table its sequences."""
    for kind in _DROPPED:
        names = [name for one, name in orphan.objects if one == kind]
        names.sort(key=lambda name: name not in virtual)
        each = [f'DROP {kind.upper()} IF EXISTS "{name}"' for name in names]
        if not names:
            continue
        # At once: PostgreSQL then minds no reference between them.
        at_once = f"DROP {kind.upper()} IF EXISTS " + ", ".join(f'"{name}"' for name in names)
        for number, text in enumerate(each):
            yield Statement(f"drop_{number}", text, at_once if number == 0 else "SELECT 1")
