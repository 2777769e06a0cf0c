"""What each start found of the plugins, for commands to read, and what removed ones left in the database."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.plugin import PluginData, Plugins, PluginStorage, RemovedPlugin
from guildhall_sdk.services.server import InstanceFacts
from libs.modules import place_of

sql = load_queries(Path(__file__).with_name("plugin_records.sql"))
TABLE = "plugin_records"
REMOVED = "removed"
#: The facts of what plugins declare that can be uninstalled: all names `ever`, and the contents `now`.
_DECLARED = "plugin_names:"
_LOCK = "plugin_records"
_KERNEL = "kernel"
_HERE = str(Path(__file__).parent)
_log = logging.getLogger("guildhall.plugins")

#: Names by what one of them is called.
Names = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """One plugin as the last start of a server left it; one that is gone and left something is `removed`."""

    version: str = ""
    status: str = REMOVED
    reason: str | None = None
    #: The names that were ever its own, by type.
    names: Names = field(default_factory=dict)
    #: What it brought when it was last loaded, by what one of it is called.
    contents: Names = field(default_factory=dict)


Records = Mapping[str, PluginRecord]


async def read_records(reader: Reader, facts: InstanceFacts) -> Records:
    """Reads the records by the ids of plugins."""
    declared = {key: json.loads(text) for key, text in (await facts.below(reader, _DECLARED)).items()}
    found: dict[str, PluginRecord] = {}
    for row in await reader.all(sql.records):
        known = declared.get(f"{_DECLARED}{row['id']}", {"ever": {}, "now": {}})
        found[row["id"]] = PluginRecord(
            version=row["version"],
            status=row["status"],
            reason=row["reason"],
            names=known["ever"],
            contents=known["now"],
        )
    return found


def records_of(plugins: Plugins, before: Records, removed: Iterable[str]) -> Records:
    """Returns the records of this start; those `removed` are remembered, because they left something."""
    now: dict[str, PluginRecord] = {}
    # Of two with one id the first is loaded or out for a reason of its own; the later ones are out for it.
    for one in reversed(plugins.statuses()):
        known = before.get(one.id, PluginRecord())
        now[one.id] = replace(known, version=one.version, status=one.status, reason=one.reason)
        if one.status == "loaded" and one.source != "builtin":
            names = joined(known.names, plugins.names(one.id))
            now[one.id] = replace(now[one.id], names=names, contents=plugins.contents(one.id))
    return now | {
        one: replace(before.get(one, PluginRecord()), version="", status=REMOVED, reason=None)
        for one in removed
    }


async def save_records(data: Data, facts: InstanceFacts, records: Records) -> None:
    async with data.write() as writer:
        await writer.serialize(_LOCK)
        await writer.run(sql.forget_records)
        for key in await facts.below(writer, _DECLARED):
            await facts.remove(writer, key)
        for plugin_id, one in records.items():
            columns = {"version": one.version, "status": one.status, "reason": one.reason}
            await writer.run(sql.record, id=plugin_id, **columns)
            if one.names or one.contents:
                text = json.dumps({"ever": one.names, "now": one.contents}, sort_keys=True)
                await facts.set(writer, f"{_DECLARED}{plugin_id}", text)


async def forget_record(writer: Writer, facts: InstanceFacts, plugin_id: str) -> None:
    await writer.run(sql.forget_record, id=plugin_id)
    await facts.remove(writer, f"{_DECLARED}{plugin_id}")


def removed_plugin(plugin_id: str, records: Records, plugins: Plugins) -> RemovedPlugin:
    """Returns what is known of a plugin that is gone, without the names that another one has taken since."""
    others = [one.names for other, one in records.items() if other != plugin_id and one.status != REMOVED]
    others += [plugins.names(one.id) for one in plugins.statuses() if one.status == "loaded"]
    taken, own = joined(*others), records.get(plugin_id, PluginRecord()).names
    left = {kind: [name for name in names if name not in taken.get(kind, ())] for kind, names in own.items()}
    return RemovedPlugin(id=plugin_id, declared=left)


def joined(*several: Names) -> dict[str, list[str]]:
    kinds = {kind for names in several for kind in names}
    return {kind: sorted({name for names in several for name in names.get(kind, ())}) for kind in kinds}


class StoredForIt(NamedTuple):
    """What one plugin, or the kernel, stores for another; `many` is None where it cannot be counted."""

    owner: str
    data: PluginData
    many: int | None
    reason: str = ""

    def describe(self) -> str:
        if self.many is None:
            return f"{self.data.name} of {self.owner}, which cannot be counted: {self.reason}"
        return f"{self.many} {self.data.name}"


class Remains(NamedTuple):
    """The remains of one plugin; `objects` are kinds and names of tables, views and sequences."""

    plugin: RemovedPlugin
    objects: Sequence[tuple[str, str]]
    migrations: int
    stored: Sequence[StoredForIt]

    @property
    def is_empty(self) -> bool:
        return not (self.objects or self.migrations or self.stored)

    def describe(self) -> str:
        """Describes the remains in one line for an operator."""
        objects = ", ".join(f"the {kind} {name}" for kind, name in self.objects)
        left = [objects] if objects else []
        left += [f"{self.migrations} applied migrations"] if self.migrations else []
        left += [one.describe() for one in self.stored]
        return f"The plugin {self.plugin.id} is not installed and has left: {'; '.join(left)}."

    def advise(self) -> str:
        return f"{self.describe()} Install it again, or remove them: guildhall plugin purge {self.plugin.id}"

    def counts(self) -> dict[str, object]:
        """Returns what there is of it for the audit trail."""
        own = {one.data.name: one.many for one in self.stored}
        return {
            "objects": [name for _, name in self.objects],
            "migrations": self.migrations,
            "jobs": own.pop("waiting jobs", 0),
            "events": own.pop("waiting events", 0),
            "stored_by_others": own,
        }


async def find_remains(
    data: Data, plugins: Plugins, storage: PluginStorage, records: Records, also: Sequence[str] = ()
) -> list[Remains]:
    """Finds what plugins left that were here at the last start or have migrated, and of those in `also`.

    Nothing is asked about plugins that are installed, so that a start with all of them costs one read.
    """
    installed = {status.id for status in plugins.statuses()}
    async with data.read() as reader:
        steps = await storage.migrations(reader)
        gone = sorted({*also, *steps, *records} - {_KERNEL, *installed})
        objects = {one: await storage.objects(reader, one) for one in gone}
    found = []
    for one in gone:
        removed = removed_plugin(one, records, plugins)
        rows = [*((_KERNEL, row) for row in storage.data), *plugins.owned(PluginData)]
        counted = [await _counted(data, owner, row, removed) for owner, row in rows]
        stored = [each for each in counted if each.many != 0]
        found.append(
            Remains(plugin=removed, objects=objects[one], migrations=steps.get(one, 0), stored=stored)
        )
    return [one for one in found if not one.is_empty]


async def _counted(data: Data, owner: str, row: PluginData, removed: RemovedPlugin) -> StoredForIt:
    """Counts in a transaction of its own: it may fail."""
    try:
        async with data.read() as reader:
            return StoredForIt(owner, row, await row.count(reader, removed))
    except Exception as error:
        fields = {"plugin": owner, "data": row.name}
        _log.error("plugin.data_not_counted", exc_info=error, extra={"fields": fields})
        reason = f"{type(error).__name__}: {error}" + place_of(error, lambda _: False, _HERE)
        return StoredForIt(owner, row, None, reason)


async def remove(writer: Writer, storage: PluginStorage, facts: InstanceFacts, remains: Remains) -> None:
    """Removes all of it in the writer's transaction; waiting jobs end as cancelled."""
    await storage.drop(writer, remains.plugin.id, remains.objects)
    for one in remains.stored:
        await one.data.remove(writer, remains.plugin)
    await forget_record(writer, facts, remains.plugin.id)
