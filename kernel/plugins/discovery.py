"""Where plugins come from: entry points, one by one, and folders with a manifest."""

import importlib
import importlib.metadata
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from guildhall_sdk import Plugin
from guildhall_sdk.data import forget_queries
from guildhall_sdk.plugin import PluginSource
from kernel.config import DEFAULT_BLOB_STORE, shipped_plugins
from kernel.faults import BootRefused, CommandRefused, PluginFault
from libs import modules
from libs.modules import entry_points_of, import_file, installed_version

GROUP = "guildhall.plugins"
MANIFEST = "plugin.json"
_BUILTIN_DISTRIBUTION = "guildhall-server"
_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")
_TEXTS = ("id", "name", "version", "description", "entry")
_OPTIONAL_FIELDS = {"api": int, "requires": list, "essential": bool, "kept_folders": list, "demo": bool}

DIRECTORY_PACKAGE = "guildhall_directory_plugins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plugin that was seen and not yet imported; `load` imports it.

    `place` is where it comes from, in words for an operator. `manifest` and
    `essential` are what can be known before the import. `installed` reads which version is on disk now, None
    for none; `found` is the one that was there when it was seen.
    """

    id: str
    source: PluginSource
    load: Callable[[], tuple[Plugin, Any]]
    place: str
    module: str
    manifest: Plugin | None = None
    essential: bool = False
    found: str | None = None
    installed: Callable[[], str | None] = lambda: None


def discover(folders: Sequence[Path], blob_store: str = DEFAULT_BLOB_STORE) -> list[Candidate]:
    """Returns every candidate: the program's own, then installed ones, then folders; by id in each.

    The blob store that the settings name comes along if it ships with us, whatever folders they name, and the
    default one, from which contents come or to which they go. Raises `BootRefused` for a folder that is not
    there: a server without the plugins that its operator named would do less than they think, and nobody
    would notice.
    """
    for folder in folders:
        _check_folder(folder)
    found = [*installed(), *(candidate for folder in folders for candidate in _directories(folder))]
    if lacking := {blob_store, DEFAULT_BLOB_STORE} - {candidate.id for candidate in found}:
        found += [candidate for candidate in _directories(shipped_plugins()) if candidate.id in lacking]
    rank = {"builtin": 0, "entry-point": 1, "directory": 2}
    return sorted(found, key=lambda candidate: (rank[candidate.source], candidate.id))


def given(module: Any) -> Candidate:
    """Makes a candidate of a plugin given as an object, as tests of a plugin do."""
    name = str(getattr(module, "__name__", type(module).__module__))
    return Candidate(
        id=module.PLUGIN.id,
        source="entry-point",
        load=lambda: (module.PLUGIN, module),
        place=f"the module {name}",
        module=name,
    )


def _check_folder(folder: Path) -> None:
    if (folder / MANIFEST).is_file():
        raise BootRefused(f"SERVICE_PLUGINS: {folder} is a plugin itself; name the folder that it lies in")
    if not folder.is_dir():
        raise BootRefused(f"SERVICE_PLUGINS: there is no folder {folder}")


def installed() -> Iterator[Candidate]:
    """Yields the candidates of installed distributions, without those of folders."""
    readers: dict[str, Callable[[], str | None]] = {}
    for entry, distribution, version in entry_points_of(GROUP):
        builtin = distribution == _BUILTIN_DISTRIBUTION
        yield Candidate(
            id=entry.name,
            source="builtin" if builtin else "entry-point",
            load=partial(_load_entry_point, entry),
            place=f"the distribution {distribution}",
            module=entry.module,
            essential=builtin and entry.name in _essential_builtins(entry.module),
            found=version,
            installed=readers.setdefault(distribution, partial(installed_version, distribution)),
        )


@cache
def _essential_builtins(module: str) -> frozenset[str]:
    """Returns the builtin plugins that their package calls essential; it imports none of them."""
    package = importlib.import_module(module.partition(".")[0])
    essential: frozenset[str] = package.ESSENTIAL
    return essential


def _load_entry_point(entry: importlib.metadata.EntryPoint) -> tuple[Plugin, Any]:
    module = entry.load()
    manifest = getattr(module, "PLUGIN", None)
    if not isinstance(manifest, Plugin):
        raise PluginFault(f"{entry.value} holds no PLUGIN manifest")
    if manifest.id != entry.name:
        raise PluginFault(f"the entry point is named {entry.name} but the manifest says {manifest.id}")
    return manifest, module


def beside_others(plugin: str, candidates: Sequence[Candidate]) -> tuple[Sequence[Candidate], str]:
    """Returns the candidates with the plugin in a folder, if it names one, and the id of that plugin."""
    if not (Path(plugin) / MANIFEST).is_file():
        return candidates, plugin
    chosen = directory(Path(plugin).resolve())
    # Another folder is an older version, whose place this one would take; all else has the id for good.
    rest = [other for other in candidates if other.id != chosen.id or other.source != "directory"]
    return [*rest, chosen], chosen.id


def check_uninstalled(plugin_id: str, candidates: Sequence[Candidate]) -> None:
    """Raises `CommandRefused` where a candidate is, or may be, the plugin of this id."""
    if any(candidate.id == plugin_id for candidate in candidates):
        raise CommandRefused(f"the plugin {plugin_id} is installed; uninstall it first")
    for candidate in candidates:
        if candidate.source == "directory" and candidate.manifest is None:
            raise CommandRefused(
                f"the manifest in {candidate.place} cannot be read, and may be that of {plugin_id}; "
                "mend it first"
            )


def _directories(folder: Path) -> Iterator[Candidate]:
    return map(directory, sorted(path for path in folder.iterdir() if (path / MANIFEST).is_file()))


def directory(home: Path) -> Candidate:
    """Makes a candidate of the plugin in one folder."""
    manifest: Plugin | None = None
    with suppress(PluginFault):
        manifest = read_manifest(home)[0]
    # An unreadable manifest goes by its folder's name.
    plugin_id = home.name if manifest is None else manifest.id
    return Candidate(
        id=plugin_id,
        source="directory",
        load=lambda: _load_directory(home),
        place=f"the folder {home}",
        module=f"{DIRECTORY_PACKAGE}.{plugin_id}",
        manifest=manifest,
        # Even of one that is wrong elsewhere: whoever wrote it wants no server without the plugin.
        essential=modules.peek_manifest(home / MANIFEST).get("essential") is True,
        found=None if manifest is None else manifest.version,
        installed=partial(_version_in, home),
    )


def _version_in(home: Path) -> str | None:
    try:
        return read_manifest(home)[0].version
    except PluginFault:
        return None


def read_manifest(home: Path) -> tuple[Plugin, str]:
    """Reads the manifest of a directory plugin, and the name of its entry module's file."""
    try:
        fields = modules.read_manifest(home / MANIFEST, _TEXTS, _OPTIONAL_FIELDS, entry="entry")
    except modules.ManifestFault as fault:
        raise PluginFault(str(fault)) from None
    check_id(fields["id"])
    entry = fields.pop("entry")
    return Plugin(**fields), entry


def check_id(plugin_id: str) -> None:
    if not _ID.fullmatch(plugin_id):
        raise PluginFault(f"the id {plugin_id!r} must be small letters, digits and hyphens")


def _load_directory(home: Path) -> tuple[Plugin, Any]:
    manifest, entry = read_manifest(home)
    return manifest, import_file(f"{DIRECTORY_PACKAGE}.{manifest.id}", home / entry, forget_queries)
