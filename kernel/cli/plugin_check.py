"""`guildhall plugin check`: tries a plugin out in a server whose folder is thrown away.

It also reads the sources for the rules that no server checks, and an instance for what would change there.
"""

import asyncio
import logging
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from guildhall_sdk.data import loaded_queries
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.plugin import PluginStatus
from kernel.boot import Server
from kernel.cli.instance import opened_database
from kernel.config import DEFAULT_BLOB_STORE, Settings, SettingsError, default_database
from kernel.db import MigrationError, MigrationSource, check_known, ledger_of, read_source
from kernel.db.migrations import Ledger
from kernel.faults import BootRefused
from kernel.plugins.admission import Admission, status_of
from kernel.plugins.discovery import Candidate, directory, discover
from kernel.plugins.engines import engine_in
from kernel.plugins.records import Names, PluginRecord, contents_of, read_records
from kernel.plugins.setting_values import owned_settings
from kernel.preparation import KERNEL_MIGRATIONS
from kernel.proofs import statements_of
from kernel.registry import LoadedPlugin, Registry
from libs.own_process import silenced
from libs.source_reading import imports_from, modules_in, tables_made_in, tables_of_others, texts_given_to

_INNER = frozenset({"kernel", "libs", "builtin_plugins"})


class NoSuchPlugin(Exception):
    """Neither an id nor a folder."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The state that a plugin would have; what it brings and which rules it breaks, where it is let in."""

    status: PluginStatus
    plugin: LoadedPlugin | None = None
    registry: Registry = field(default_factory=Registry)
    broken_rules: Sequence[str] = ()

    def contents(self) -> Names:
        return {} if self.plugin is None else contents_of(self.plugin, self.registry)


def try_out(wanted: str, settings: Settings) -> Trial:
    """Tries it out beside all the others; one that would stop the boot is in quarantine and says why."""
    candidates = discover(settings.plugins, DEFAULT_BLOB_STORE)
    if (Path(wanted) / "plugin.json").is_file():
        candidate = directory(Path(wanted).resolve())
        # Another folder is an older version, whose place this one would take; all else has the id for good.
        rest = [other for other in candidates if other.id != candidate.id or other.source != "directory"]
        candidates, wanted = [*rest, candidate], candidate.id
    chosen = next((candidate for candidate in reversed(candidates) if candidate.id == wanted), None)
    if chosen is None:
        raise NoSuchPlugin
    if (first := next(one for one in candidates if one.id == wanted)) is not chosen:
        reason = f"the id {wanted} is taken by {first.place}; this is {chosen.place}: give it another id"
        return Trial(status_of(chosen, None, "quarantined", reason))
    try:
        # Beside all the others, whose names and rows it must not take.
        admission = _admitted(candidates)
        plugin = next((one for one in admission.registry.plugins if one.id == wanted), None)
        if plugin is None:
            return Trial(_status(admission.registry, wanted))
        if (fault := _misnamed_migration(plugin, admission.registry)) is not None:
            return Trial(plugin.refused(fault))
        needed = _needed_by(wanted, admission.registry)
        chosen_few = [one for one in candidates if one.source == "builtin" or one.id in needed]
        theirs = {row.variable for row in owned_settings(admission.registry) if row.owner in needed}
        others = {name: value for name, value in settings.others.items() if name in theirs}
        status = asyncio.run(_started(chosen_few, wanted, replace(settings, others=others)))
        if status.status != "loaded":
            return Trial(status)
        rules = () if plugin.source == "builtin" else (*_broken_rules(plugin, admission.registry),)
        return Trial(status, plugin, admission.registry, rules)
    except BootRefused as refusal:
        return Trial(status_of(chosen, None, "quarantined", str(refusal)))


def _admitted(candidates: Sequence[Candidate]) -> Admission:
    admission = Admission()
    admission.admit_all(candidates)
    return admission


def _misnamed_migration(plugin: LoadedPlugin, registry: Registry) -> str | None:
    """Returns what is wrong with the name of a file for any engine, as most are not run here."""
    if plugin.migrations is None:
        return None
    for engine in registry.engines().values():
        try:
            read_source(MigrationSource(plugin.id, plugin.migrations), engine)
        except MigrationError as error:
            return str(error)
    return None


def _needed_by(wanted: str, registry: Registry) -> set[str]:
    """Returns the plugin and what it requires: no other's `on_start` is run."""
    requires = {plugin.id: plugin.plugin.requires for plugin in registry.plugins}
    needed, further = {DEFAULT_BLOB_STORE}, [wanted]
    while further:
        if (one := further.pop()) not in needed:
            needed.add(one)
            further += requires.get(one, ())
    return needed


async def _started(candidates: Sequence[Candidate], wanted: str, settings: Settings) -> PluginStatus:
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
        )
        try:
            server = Server(alone, admission=_admitted(candidates))
        except SettingsError:
            # `doctor` judges what the operator set; a plugin can be right all the same.
            server = Server(replace(alone, others={}), admission=_admitted(candidates))
        await server.start()
        await server.stop()
        return _status(server.registry, wanted)


def _status(registry: Registry, wanted: str) -> PluginStatus:
    return next(status for status in registry.statuses() if status.id == wanted)


def _broken_rules(plugin: LoadedPlugin, registry: Registry) -> Iterator[str]:
    """Yields a line for each place where the plugin reaches for what is not its own."""
    if plugin.folder is not None:
        sources = modules_in(plugin.folder)
    else:
        file = getattr(sys.modules.get(plugin.module), "__file__", None)
        sources = [] if file is None else [Path(file)]
    for place, name in imports_from(_INNER, sources):
        yield (
            f"{place} imports {name}, which changes with every release: "
            "a plugin imports guildhall_sdk, and asks for the rest as services"
        )
    folders = [(KERNEL_MIGRATIONS.owner, KERNEL_MIGRATIONS.folder), *registry.migrations()]
    owners = {name: owner for owner, folder in folders for name in tables_made_in(folder)}
    files = [file for file in loaded_queries() if registry.owner_of(file.module) is plugin]
    written = [(one.place, one.statement.texts()) for one in statements_of(plugin, registry, files)]
    for path in sources:
        written += [(f"{path.name}:{line}", texts) for line, texts in texts_given_to("Statement", path)]
    for place, name in tables_of_others(written, owners, plugin.id):
        yield (
            f"{place} names the table {name} of {owners[name]}: read the views that are "
            "published (docs/plugins/views.md), or ask a service"
        )


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
