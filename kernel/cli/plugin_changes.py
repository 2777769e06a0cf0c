"""What a plugin would change in an instance: read from its database, and compared with what it last ran."""

from collections.abc import Iterator
from dataclasses import dataclass

from guildhall_sdk.engines.engine import DatabaseEngine
from kernel.cli.opened import opened_database
from kernel.config import Settings
from kernel.db import MigrationError, MigrationSource, check_known, ledger_of, read_source
from kernel.db.migrations import Ledger
from kernel.plugins.engines import engine_in
from kernel.plugins.records import Names, PluginRecord, contents_of, read_records
from kernel.registry import LoadedPlugin, Registry


@dataclass(frozen=True, slots=True)
class InstanceChanges:
    """Lines for the operator; `fault` is why a server of that instance would leave the plugin out."""

    lines: list[str]
    fault: str | None = None


async def changes_in(settings: Settings, plugin: LoadedPlugin, registry: Registry) -> InstanceChanges:
    """Compares; writes nothing. Raises `DatabaseUnreachable` where no server has made a database yet."""
    async with opened_database(settings, engine_in(registry, settings), made=False) as data:
        async with data.read() as reader:
            records = {record.id: record for record in await read_records(reader)}
            ledger = await ledger_of(reader, data.engine) or {}
        record = records.get(plugin.id)
        lines = [f"in {data.place} {_last_run(plugin, record)}"]
        try:
            lines += _migrations(plugin, ledger, data.engine)
        except MigrationError as error:
            return InstanceChanges(lines, str(error))
        before = {} if record is None else record.contents()
        if plugin.source != "builtin":
            lines += _differences(before, contents_of(plugin, registry))
        return InstanceChanges(lines if len(lines) > 1 else [*lines, "nothing of it would change"])


def _last_run(plugin: LoadedPlugin, record: PluginRecord | None) -> str:
    if record is None or record.status == "removed":
        return f"{plugin.id} is not loaded"
    return f"{plugin.id} {record.version} was {record.status} at the last start"


def _migrations(plugin: LoadedPlugin, ledger: Ledger, engine: DatabaseEngine) -> Iterator[str]:
    if plugin.migrations is None:
        return
    source = MigrationSource(plugin.id, plugin.migrations)
    applied = check_known(ledger, [source], engine, all_owners=False)
    for step in read_source(source, engine):
        if step not in applied:
            yield f"would apply the migration {step.file}"


def _differences(before: Names, now: Names) -> Iterator[str]:
    for label in sorted({*before, *now} - {"migration"}):
        old, new = set(before.get(label, ())), set(now.get(label, ()))
        yield from (f"would remove the {label} {name}" for name in sorted(old - new))
        yield from (f"would add the {label} {name}" for name in sorted(new - old))
