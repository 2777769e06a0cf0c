"""What uninstalled plugins left in the database: tables, migrations, waiting jobs and events, preferences."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from guildhall_sdk import Reader, Statement, Writer, load_queries
from guildhall_sdk.dataclass import dataclass
from kernel.plugins.records import PluginRecord

sql = load_queries(Path(__file__).with_name("orphans.sql"))
_KERNEL = "kernel"
# In this order: what stands on something goes before it.
_DROPPED = ("view", "materialized view", "table", "sequence")


@dataclass(frozen=True, slots=True)
class Orphan:
    """The remains of one plugin; `objects` are kinds and names of tables, views and sequences."""

    id: str
    objects: Sequence[tuple[str, str]]
    migrations: int
    jobs: int
    events: int
    preferences: int

    @property
    def is_empty(self) -> bool:
        return not (self.objects or self.migrations or self.jobs or self.events or self.preferences)

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
        return (
            f"The plugin {self.id} is not installed and has left: {'; '.join(left)}. "
            f"Install it again, or remove them: guildhall plugin purge {self.id}"
        )


async def find_orphans(
    reader: Reader, records: Sequence[PluginRecord], installed: Sequence[str], also: Sequence[str] = ()
) -> list[Orphan]:
    """Finds what plugins left that were here at the last start or have migrated, and of those in `also`.

    Nothing is asked about plugins that are installed, so that a start with all of them costs one read.
    """
    if await reader.one(sql.has_tables) is None:
        return []
    steps = {row["owner"]: row["steps"] for row in await reader.all(sql.migrations)}
    gone = {*also, *steps, *(record.id for record in records)} - {_KERNEL, *installed}
    found = [await orphan_of(reader, plugin_id, steps.get(plugin_id, 0)) for plugin_id in sorted(gone)]
    return [orphan for orphan in found if not orphan.is_empty]


async def orphan_of(reader: Reader, plugin_id: str, migrations: int) -> Orphan:
    objects = await reader.all(sql.objects, owner=plugin_id)
    return Orphan(
        plugin_id,
        [(row["kind"], row["name"]) for row in objects],
        migrations,
        jobs=await reader.value(sql.waiting_jobs, owner=plugin_id),
        events=await reader.value(sql.waiting_events, owner=plugin_id),
        preferences=await reader.value(sql.preferences, owner=plugin_id),
    )


async def remove(writer: Writer, orphan: Orphan, now_ms: int) -> None:
    """Removes all of it in the writer's transaction; waiting jobs end as cancelled."""
    virtual = {row["name"] for row in await writer.all(sql.virtual_tables)}
    # Tables that refer to each other go in any order; who else refers to one stops the commit.
    await writer.run(sql.defer_keys)
    for statement in _drops(orphan, virtual):
        await writer.run(statement)
    await writer.run(sql.cancel_waiting_jobs, owner=orphan.id, now=now_ms)
    await writer.run(sql.drop_waiting_events, owner=orphan.id)
    await writer.run(sql.drop_team_preferences, owner=orphan.id)
    await writer.run(sql.drop_org_preferences, owner=orphan.id)
    await writer.run(sql.forget_objects, owner=orphan.id)
    await writer.run(sql.forget_migrations, owner=orphan.id)
    await writer.run(sql.forget_record, owner=orphan.id)


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
