"""The merged tables: what every admitted plugin brought, frozen once the boot is over."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from guildhall_sdk import Feature, JobKind, Plugin, Route, Tool
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.hooks import Declarer, HookResult, Proven
from guildhall_sdk.plugin import PluginSource, PluginStatus, Switches
from kernel.features import Holds, Switchable, switchable
from libs.modules import owner_among

#: Who owns what is no plugin's.
KERNEL = "kernel"

Declared = TypeVar("Declared")

# What is shown of one.
_OF_A_ROW = ("method", "path", "permission", "doc")

#: Packages whose modules are a plugin each.
SHARED_PACKAGES = frozenset({"builtin_plugins", "guildhall_directory_plugins"})


@dataclass(frozen=True, slots=True)
class BoundRoute:
    """A row with its handler and the plugin that owns it."""

    plugin_id: str
    row: Route
    handler: Callable[[Any], Awaitable[Any]]
    name: str = field(init=False)
    #: Rows are matched in this order: at paths of their own, below `/api/x/`, then those that stand last.
    place: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        path = self.row.path
        depth = len([segment for segment in path.split("/") if segment and segment[0] != "*"])
        is_mounted = path.startswith(f"/api/x/{self.plugin_id}/")
        object.__setattr__(self, "name", f"{self.row.method} {path}")
        object.__setattr__(self, "place", (2, -depth) if self.row.last else (int(is_mounted), 0))

    @property
    def listed(self) -> str:
        """How `contents` lists it: with the right that it asks for."""
        return f"{self.name} ({self.row.permission or self.row.auth.name.lower()})"

    @property
    def is_core(self) -> bool:
        """Whether it stands at a path of its own, and not last."""
        return self.place[0] == 0

    @property
    def handler_name(self) -> str:
        """The name of the handler, for an error to name it."""
        handler = self.row.handler
        return handler if isinstance(handler, str) else str(getattr(handler, "__name__", "handler"))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class LoadedPlugin:
    """A plugin with all that it brings; admitted whole or not at all."""

    plugin: Plugin
    source: PluginSource
    module: str = ""
    routes: tuple[BoundRoute, ...] = ()
    unrouted: tuple[str, ...] = ()
    rows: Mapping[type[Any], tuple[Any, ...]] = field(default_factory=dict)
    services: Mapping[type[Any], Callable[[Any], Any]] = field(default_factory=dict)
    migrations: Path | None = None
    derived: Sequence[str] = ()
    folder: Path | None = None
    #: The hooks that it brings for others, and those that it implements of others.
    hookspecs: "tuple[Declaration, ...]" = ()
    others_hooks: tuple[str, ...] = ()
    declarer: Declarer = field(init=False)
    #: As it is listed while it is in: put together once, as each start asks for it several times.
    status: PluginStatus = field(init=False)

    def __post_init__(self) -> None:
        routes = tuple(bound.row for bound in self.routes if not bound.row.last)
        object.__setattr__(self, "declarer", Declarer(id=self.id, routes=routes, rows=self.rows))
        object.__setattr__(self, "status", self._described())

    @property
    def id(self) -> str:
        return self.plugin.id

    def declared(self, kind: type[Declared]) -> tuple[Declared, ...]:
        """Returns the plugin's rows of one type, in the order that it gave them."""
        return self.rows.get(kind, ())

    def named_features(self) -> Iterator[tuple[str, str]]:
        """Yields each feature that something of the plugin hangs on, and what that is."""
        for bound in self.routes:
            if bound.row.feature is not None:
                yield bound.row.feature, f"row {bound.name}"
        for row in (row for rows in self.rows.values() for row in rows):
            if feature := getattr(row, "feature", None):
                yield feature, described_row(row)

    def _described(self) -> PluginStatus:
        kinds = self.declared(JobKind)
        return replace(
            described_by(self.plugin, self.source),
            essential=self.plugin.essential,
            demo=self.plugin.demo,
            tools=tuple(tool.name for tool in self.declared(Tool)),
            job_kinds=tuple(
                {"name": one.name, "remote": one.handler is None, "public": one.public} for one in kinds
            ),
            routes=tuple({name: getattr(bound.row, name) for name in _OF_A_ROW} for bound in self.routes),
        )

    def refused(self, reason: str) -> PluginStatus:
        """Returns the status of the plugin once it was taken out again."""
        nothing: Any = {"tools": (), "routes": (), "job_kinds": ()}
        return replace(self.status, status="quarantined", reason=reason, **nothing)


def described_row(row: Any) -> str:
    """Returns the type of a row with what it is called, if it has a name."""
    return f"{type(row).__name__} {getattr(row, 'name', '') or getattr(row, 'type', '')}".strip()


def described_by(plugin: Plugin, source: PluginSource) -> PluginStatus:
    """Returns the status of a loaded plugin as its manifest describes it, with nothing that it brings."""
    manifest: Any = {name: getattr(plugin, name) for name in ("id", "name", "version", "description")}
    return PluginStatus(**manifest, source=source, status="loaded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One kind of rows that plugins declare: its hook, the plugin that brought it, and what must be true.

    `check` raises `PluginFault`.
    """

    hook: str
    result: HookResult
    owner: str = KERNEL
    check: "Callable[[Any, LoadedPlugin, Registry], None] | None" = None
    proof: Callable[[Any], Proven] | None = None
    #: Says how a row of a plugin is listed, where that is not by its name.
    list_as: Callable[[Any, str], str] | None = None

    def listed(self, row: Any, plugin_id: str) -> str:
        return self.name_of(row) if self.list_as is None else self.list_as(row, plugin_id)

    def name_of(self, row: Any) -> str:
        """Returns what a row is called: its unique name, or else what comes nearest to one."""
        if (name := self.result.name_of(row)) is not None:
            return name
        kind = getattr(row, "type", None)
        found = getattr(row, "name", None) or getattr(row, "at", None) or getattr(kind, "__name__", kind)
        return str(found or type(row).__name__)


class Registry:
    """Everything admitted so far, in order of admission.

    What is asked for while the server runs is looked up by type, id or module: `add` puts a plugin into the
    dicts, `remove` makes them anew, and nothing else changes them.
    """

    def __init__(
        self, plugins: Iterable[LoadedPlugin] = (), declarations: Sequence[Declaration] = ()
    ) -> None:
        self._declarations = declarations
        self.refused: list[PluginStatus] = []
        #: By plugin: what reads the version on disk, and the one that was there when it was found.
        self.installed: dict[str, tuple[Callable[[], str | None], str | None]] = {}
        self.holds = Holds()
        self.hold, self.held = self.holds.replace, self.holds.names  # of the SDK's `Plugins`
        self._index(plugins)

    def _index(self, plugins: Iterable[LoadedPlugin]) -> None:
        self.plugins: tuple[LoadedPlugin, ...] = ()
        self._by_id: dict[str, LoadedPlugin] = {}
        self._declared: dict[type[Any], tuple[Any, ...]] = {}
        self._owned: dict[type[Any], tuple[tuple[str, Any], ...]] = {}
        #: The hooks that plugins brought for others, by name.
        self.hookspecs: dict[str, Declaration] = {}
        self._routes: tuple[BoundRoute, ...] | None = None
        self._owners: dict[str, LoadedPlugin | None] = {}
        for plugin in plugins:
            self.add(plugin)

    def add(self, plugin: LoadedPlugin) -> None:
        self.plugins = (*self.plugins, plugin)
        self._by_id[plugin.id] = plugin
        for kind, rows in plugin.rows.items():
            owned = ((plugin.id, row) for row in rows)
            self._declared[kind] = (*self._declared.get(kind, ()), *rows)
            self._owned[kind] = (*self._owned.get(kind, ()), *owned)
        self.hookspecs |= {one.hook: one for one in plugin.hookspecs}
        self._routes, self._owners = None, {}
        #: Of the SDK's `Plugins`: each start asks for it several times.
        self.contents = cache(self._contents_of)

    def remove(self, plugin: LoadedPlugin) -> None:
        self._index([one for one in self.plugins if one is not plugin])

    def make_essential(self, engine: DatabaseEngine) -> None:
        """Makes the plugin essential whose engine opens the database: without it there is no server."""
        found = next(one for one in self.plugins if engine in one.rows.get(DatabaseEngine, ()))
        if found.plugin.essential:
            return
        needed = replace(found, plugin=replace(found.plugin, essential=True))
        self._index([needed if one is found else one for one in self.plugins])

    def __contains__(self, plugin: LoadedPlugin) -> bool:
        return self._by_id.get(plugin.id) is plugin

    def declared(self, kind: type[Declared]) -> Sequence[Declared]:
        """Returns all plugins' rows of one type."""
        return self._declared.get(kind, ())

    def owned(self, kind: type[Declared], switches: Switches | None = None) -> Sequence[tuple[str, Declared]]:
        """Returns all plugins' rows of one type with the ids of their plugins; for a team, what it has on."""
        found = self._owned.get(kind, ())
        if switches is None:
            return found
        return [
            (plugin_id, row)
            for plugin_id, row in found
            if switches.switched_off(plugin_id, getattr(row, "feature", None)) is None
        ]

    def owner_of(self, module: str) -> LoadedPlugin | None:
        """Returns the plugin that a module belongs to: of several in a package, the one that it stands in."""
        if module not in self._owners:
            modules = {one.module: one for one in reversed(self.plugins)}
            owner = owner_among(modules, module, SHARED_PACKAGES)
            self._owners[module] = None if owner is None else modules[owner]
        return self._owners[module]

    def plugin_of(self, module: str) -> str | None:
        """Implements the SDK's `Plugins.plugin_of`."""
        owner = self.owner_of(module)
        return None if owner is None else owner.id

    def routes(self) -> Sequence[BoundRoute]:
        """Returns core rows in declared order, then the rows mounted under `/api/x/`, then the last ones.

        These stand behind those of a longer path, so that pages at the root leave room for all others.
        """
        if self._routes is None:
            rows = (bound for plugin in self.plugins for bound in plugin.routes)
            self._routes = tuple(sorted(rows, key=attrgetter("place")))
        return self._routes

    def rows(self, plugin_id: str) -> Sequence[Route]:
        """Implements the SDK's `Plugins.rows`."""
        found = self._by_id.get(plugin_id)
        return () if found is None else found.declarer.routes

    def route_table(self) -> Sequence[tuple[str, Route]]:
        """Implements the SDK's `Plugins.route_table`."""
        return [(bound.plugin_id, bound.row) for bound in self.routes()]

    def folder(self, plugin_id: str) -> Path | None:
        """Implements the SDK's `Plugins.folder`."""
        found = self._by_id.get(plugin_id)
        return None if found is None else found.folder

    def installed_versions(self) -> dict[str, str | None]:
        """Implements the SDK's `Plugins.installed_versions`."""
        # Many come with one distribution, which is read once.
        on_disk = {reader: reader() for reader, _ in self.installed.values()}
        versions: dict[str, str | None] = {one.id: one.version for one in self.statuses()}
        for plugin_id, (reader, found) in self.installed.items():
            if plugin_id in versions and on_disk[reader] != found:
                versions[plugin_id] = on_disk[reader]
        return versions

    def names(self, plugin_id: str) -> dict[str, list[str]]:
        """Implements the SDK's `Plugins.names`."""
        found = {
            one.result.type.__name__: sorted(map(one.name_of, rows))
            for one, rows in self._rows_of(plugin_id)
            if one.result.name is not None
        }
        return {kind: names for kind, names in found.items() if names}

    def _contents_of(self, plugin_id: str) -> Mapping[str, list[str]]:
        plugin = self._by_id[plugin_id]
        found = {"route": [bound.listed for bound in plugin.routes]}
        for one, rows in self._rows_of(plugin_id):
            found[one.result.label] = [one.listed(row, plugin_id) for row in rows]
        found["hook"] = [one.hook for one in plugin.hookspecs]
        found["service"] = [protocol.__name__ for protocol in plugin.services]
        if plugin.migrations is not None:
            found["migration"] = [path.name for path in plugin.migrations.glob("*.sql")]
        return {label: sorted(names) for label, names in found.items() if names}

    def _rows_of(self, plugin_id: str) -> Iterator[tuple[Declaration, Sequence[Any]]]:
        for one in (*self._declarations, *self.hookspecs.values()):
            yield one, self._by_id[plugin_id].declared(one.result.type)

    def named_features(self) -> set[str]:
        """Returns the features that gate something, of whatever kind."""
        return {name for plugin in self.plugins for name, _ in plugin.named_features()}

    def engines(self) -> dict[str, DatabaseEngine]:
        """Returns the database engines by the schemes that they open."""
        engines = self.declared(DatabaseEngine)  # type: ignore[type-abstract]
        return {scheme: engine for engine in engines for scheme in engine.schemes}

    def migrations(self) -> list[tuple[str, Path]]:
        return [(plugin.id, plugin.migrations) for plugin in self.plugins if plugin.migrations is not None]

    def switchable(self) -> Switchable:
        """Returns what a team can switch off."""
        manifests = [one.plugin for one in self.plugins]
        return switchable(manifests, self.declared(Feature), self.named_features())

    def plugin_ids(self) -> Set[str]:
        return self._by_id.keys()

    def required_by(self, plugin_id: str) -> set[str]:
        """Returns a plugin with all that it requires, and what those require in their turn."""
        found, further = set[str](), [plugin_id]
        while further:
            if (one := further.pop()) not in found:
                found.add(one)
                further += self._by_id[one].plugin.requires if one in self._by_id else ()
        return found

    def statuses(self) -> list[PluginStatus]:
        return [self._status(one) for one in self.plugins] + self.refused

    def _status(self, plugin: LoadedPlugin) -> PluginStatus:
        reason, held = self.notice(plugin), self.holds.of(plugin.id)
        return replace(plugin.status, reason=reason, held=held) if reason or held else plugin.status

    def notice(self, plugin: LoadedPlugin) -> str | None:
        """Returns what an admitted plugin implements in vain: hooks of plugins that are absent."""
        absent = [hook for hook in plugin.others_hooks if hook not in self.hookspecs]
        if not absent:
            return None
        return f"{', '.join(absent)}: no loaded plugin owns this hook, so nothing of it is used"
