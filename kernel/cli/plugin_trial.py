"""Trying a plugin out, with its migrations and `on_start`: in a server whose folder is thrown away."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from guildhall_sdk.plugin import PluginStatus
from kernel.boot import Server
from kernel.cli.plugin_rules import broken_rules
from kernel.config import DEFAULT_BLOB_STORE, Settings, SettingsError, default_database
from kernel.db import MigrationError, MigrationSource, read_source
from kernel.faults import BootRefused
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import Candidate, directory, discover
from kernel.plugins.records import Names, contents_of
from kernel.plugins.setting_values import owned_settings
from kernel.registry import LoadedPlugin, Registry


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
        return Trial(_out(chosen, reason))
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
        rules = () if plugin.source == "builtin" else broken_rules(plugin, admission.registry)
        return Trial(status, plugin, admission.registry, rules)
    except BootRefused as refusal:
        return Trial(_out(chosen, str(refusal)))


def _out(candidate: Candidate, reason: str) -> PluginStatus:
    return PluginStatus(
        id=candidate.id,
        name=candidate.id,
        version="",
        description="",
        source=candidate.source,
        status="quarantined",
        reason=reason,
    )


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


@contextmanager
def _without_log() -> Iterator[None]:
    """Silences the log inside the block: what is wrong is printed in one line already."""
    log = logging.getLogger("guildhall")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


async def _started(candidates: Sequence[Candidate], wanted: str, settings: Settings) -> PluginStatus:
    with _without_log(), TemporaryDirectory(prefix="guildhall-check-") as name:
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
