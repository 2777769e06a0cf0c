"""What a start found of each plugin, kept in the database for the commands that look in from outside."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from guildhall_sdk import Reader, Setting, Subscription, load_queries
from guildhall_sdk.data import Data
from guildhall_sdk.plugin import PluginStatus, RemovedPlugin
from kernel.declarations.settings import variable_of
from kernel.declarations.table import DECLARATIONS
from kernel.registry import Declaration, LoadedPlugin, Registry

sql = load_queries(Path(__file__).with_name("records.sql"))
_LOCK = "plugin_records"

Names = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """One plugin as the last start of a server left it; `declared` is what it had `ever` and has `now`."""

    id: str
    version: str
    status: str
    reason: str | None
    proof: str | None
    declared: str | None = None

    def names(self) -> Names:
        """Returns the names that were ever its own, by type."""
        return self._declared("ever")

    def contents(self) -> Names:
        """Returns what it brought when it was last loaded, by label."""
        return self._declared("now")

    def _declared(self, when: str) -> Names:
        found: Names = {} if self.declared is None else json.loads(self.declared)[when]
        return found


async def read_records(reader: Reader) -> Sequence[PluginRecord]:
    """Reads the records; none in a database that no server of this version has started with."""
    if await reader.one(sql.has_records) is None:
        return ()
    return [PluginRecord(**row) for row in await reader.all(sql.records)]


async def server_runs(reader: Reader) -> bool:
    """Tells whether a server is known to share this database; the one that owns a file has no row."""
    return await reader.one(sql.has_records) is not None and await reader.one(sql.a_server_runs) is not None


async def save_records(
    data: Data,
    before: Sequence[PluginRecord],
    registry: Registry,
    proofs: Mapping[str, str],
    removed: Sequence[str] = (),
) -> None:
    """Writes nothing where nothing has changed: a start must not wait for the disk without need.

    Those `removed` are remembered, because they left something.
    """
    # Of two with one id the first is loaded or out for a reason of its own; the later ones are out for it.
    now = {one.id: _record_of(one, proofs) for one in reversed(registry.statuses())}
    now |= {plugin_id: PluginRecord(plugin_id, "", "removed", None, None) for plugin_id in removed}
    known = {record.id: record for record in before}
    loaded = {plugin.id: plugin for plugin in registry.plugins if plugin.source != "builtin"}
    for record in now.values():
        before_it, plugin = known.get(record.id, record), loaded.get(record.id)
        names, contents = before_it.names(), before_it.contents()
        if plugin is not None:
            names = _joined(names, declared_names(plugin, registry))
            contents = contents_of(plugin, registry)
        if names or contents:
            text = json.dumps({"ever": names, "now": contents}, sort_keys=True)
            now[record.id] = replace(record, declared=text)
    if now == known:
        return
    async with data.write() as writer:
        await writer.serialize(_LOCK)
        await writer.run(sql.forget_records)
        await writer.run(sql.forget_names)
        for record in now.values():
            columns = asdict(record)
            declared = columns.pop("declared")
            await writer.run(sql.record, **columns)
            if declared is not None:
                await writer.run(sql.record_names, id=record.id, declared=declared)


def removed_plugin(plugin_id: str, records: Sequence[PluginRecord], registry: Registry) -> RemovedPlugin:
    """Returns what is known of a plugin that is gone, without the names that another one has taken since."""
    own = next((record.names() for record in records if record.id == plugin_id), {})
    others = [record.names() for record in records if record.id != plugin_id and record.status != "removed"]
    others += [declared_names(plugin, registry) for plugin in registry.plugins]
    taken = _joined(*others)
    left = {kind: [name for name in names if name not in taken.get(kind, ())] for kind, names in own.items()}
    return RemovedPlugin(id=plugin_id, declared=left)


def _record_of(status: PluginStatus, proofs: Mapping[str, str]) -> PluginRecord:
    return PluginRecord(status.id, status.version, status.status, status.reason, proofs.get(status.id))


def _joined(*several: Names) -> dict[str, list[str]]:
    kinds = {kind for names in several for kind in names}
    return {kind: sorted({name for names in several for name in names.get(kind, ())}) for kind in kinds}


def declared_names(plugin: LoadedPlugin, registry: Registry) -> dict[str, list[str]]:
    """Returns the names of what a plugin declares that no two plugins may share, by type."""
    found = {
        one.result.type.__name__: [one.name_of(row) for row in plugin.declared(one.result.type)]
        for one in (*DECLARATIONS, *registry.hookspecs.values())
        if one.result.name is not None
    }
    return {kind: sorted(names) for kind, names in found.items() if names}


def contents_of(plugin: LoadedPlugin, registry: Registry) -> dict[str, list[str]]:
    """Returns all that a plugin declares, by what one of it is called."""
    rows = [bound.row for bound in plugin.routes]
    found = {
        "route": [f"{row.method} {row.path} ({row.permission or row.auth.name.lower()})" for row in rows]
    }
    for one in (*DECLARATIONS, *registry.hookspecs.values()):
        found[one.result.label] = [_shown(row, plugin, one) for row in plugin.declared(one.result.type)]
    found["hook"] = [one.hook for one in plugin.hookspecs]
    found["service"] = [protocol.__name__ for protocol in plugin.services]
    if plugin.migrations is not None:
        found["migration"] = [path.name for path in plugin.migrations.glob("*.sql")]
    return {label: sorted(names) for label, names in found.items() if names}


def _shown(row: Any, plugin: LoadedPlugin, declaration: Declaration) -> str:
    if isinstance(row, Setting):
        return variable_of(row, plugin.id)
    if isinstance(row, Subscription):
        return f"{row.name} ({row.event})"
    return declaration.name_of(row)
