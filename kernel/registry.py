"""The merged tables: what every admitted plugin brought, frozen once the boot is over."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from guildhall_sdk import BlobStoreKind, ExtensionRoute, Feature, JobKind, Plugin, Reply, Route, Tool
from guildhall_sdk.dataclass import dataclass
from guildhall_sdk.engines import DatabaseEngine
from guildhall_sdk.services import Switches
from guildhall_sdk.services.description import PluginSource, PluginStatus
from kernel.features import Switchable, switchable

Handler = Callable[[Any], Awaitable[Reply]]

ANY_JSON: Mapping[str, Any] = {}

Declared = TypeVar("Declared")

#: What `declare_contributions` gives is of types that the kernel does not know.
CONTRIBUTION: type[Any] = object

# Packages whose modules are a plugin each.
_SHARED_PACKAGES = frozenset({"", "builtin_plugins", "guildhall_directory_plugins"})


def belongs(name: str, module: str) -> bool:
    """Tells whether a module is a plugin's: its own, below it, or beside it in a package of its own."""
    package = module.rpartition(".")[0]
    return (
        name == module
        or name.startswith(f"{module}.")
        or (package not in _SHARED_PACKAGES and name.startswith(f"{package}."))
    )


@lru_cache(maxsize=4096)
def _owner_among(modules: tuple[str, ...], name: str) -> int | None:
    """Returns which of the plugins' modules another one belongs to, by its position."""
    owners = [at for at, module in enumerate(modules) if module and belongs(name, module)]
    inside = [at for at in owners if f"{name}.".startswith(f"{modules[at]}.")]
    return max(inside or owners, key=lambda at: len(modules[at]), default=None)


@dataclass(frozen=True, slots=True)
class BoundRoute:
    """A row with its handler and the plugin that owns it."""

    plugin_id: str
    row: Route
    handler: Handler
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"{self.row.method} {self.row.path}")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class LoadedPlugin:
    """A plugin with all that it brings; admitted whole or not at all."""

    plugin: Plugin
    source: PluginSource
    module: str = ""
    routes: tuple[BoundRoute, ...] = ()
    unrouted: tuple[str, ...] = ()
    extension_routes: tuple[BoundRoute, ...] = ()
    page_routes: tuple[BoundRoute, ...] = ()
    rows: Mapping[type[Any], tuple[Any, ...]] = field(default_factory=dict)
    services: Mapping[type[Any], Callable[[Any], Any]] = field(default_factory=dict)
    migrations: Path | None = None
    folder: Path | None = None

    @property
    def id(self) -> str:
        return self.plugin.id

    def declared(self, kind: type[Declared]) -> tuple[Declared, ...]:
        """Returns the plugin's rows of one type, in the order that it gave them."""
        return self.rows.get(kind, ())

    def named_features(self) -> Iterator[tuple[str, str]]:
        """Yields each feature that something of the plugin hangs on, and what that is, but for routes."""
        for row in (row for rows in self.rows.values() for row in rows):
            if feature := getattr(row, "feature", None):
                named = getattr(row, "name", None) or getattr(row, "type", "")
                yield feature, f"{type(row).__name__} {named}".strip()

    def status(self) -> PluginStatus:
        rows = [*self.routes, *self.extension_routes, *self.page_routes]
        return PluginStatus(
            id=self.plugin.id,
            name=self.plugin.name,
            version=self.plugin.version,
            description=self.plugin.description,
            source=self.source,
            status="loaded",
            essential=self.plugin.essential,
            demo=self.plugin.demo,
            tools=tuple(tool.name for tool in self.declared(Tool)),
            job_kinds=tuple(
                {"name": kind.name, "remote": kind.remote, "public": kind.public}
                for kind in self.declared(JobKind)
            ),
            routes=tuple(
                {
                    "method": bound.row.method,
                    "path": bound.row.path,
                    "permission": bound.row.permission,
                    "doc": bound.row.doc,
                }
                for bound in rows
            ),
        )

    def refused(self, reason: str) -> PluginStatus:
        """Returns the status of the plugin once it was taken out again."""
        return replace(
            self.status(),
            status="quarantined",
            reason=reason,
            tools=(),
            routes=(),
            job_kinds=(),
        )


def page_depth(bound: BoundRoute) -> int:
    """Returns of how many segments the path of pages is, which decides among several."""
    return len([segment for segment in bound.row.path.split("/") if segment and segment[0] != "*"])


@dataclass(slots=True)
class Registry:
    """Everything admitted so far, in order of admission."""

    plugins: list[LoadedPlugin] = field(default_factory=list)
    refused: list[PluginStatus] = field(default_factory=list)
    #: By plugin: reads the version on disk, given the one that was loaded.
    installed: dict[str, Callable[[str], str | None]] = field(default_factory=dict)
    # By type, with the plugins that they were found in: what a boot has put together is asked for often.
    _contributed: dict[type[Any], tuple[list[LoadedPlugin], list[tuple[str, Any]]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def declared(self, kind: type[Declared]) -> list[Declared]:
        """Returns all plugins' rows of one type."""
        return [row for plugin in self.plugins for row in plugin.declared(kind)]

    def owned(self, kind: type[Declared]) -> list[tuple[str, Declared]]:
        """Returns all plugins' rows of one type, each with the id of its plugin."""
        return [(plugin.id, row) for plugin in self.plugins for row in plugin.declared(kind)]

    def contributed(
        self, kind: type[Declared], switches: Switches | None = None
    ) -> list[tuple[str, Declared]]:
        """Returns all contributions of one type with their plugins' ids; for a team, what it has on."""
        known = self._contributed.get(kind)
        if known is None or known[0] != self.plugins:
            rows = [(plugin_id, row) for plugin_id, row in self.owned(CONTRIBUTION) if type(row) is kind]
            known = self._contributed[kind] = [*self.plugins], rows
        found = known[1]
        if switches is None:
            return [*found]
        return [
            (plugin_id, row)
            for plugin_id, row in found
            if switches.switched_off(plugin_id, getattr(row, "feature", None)) is None
        ]

    def owner_of(self, module: str) -> LoadedPlugin | None:
        """Returns the plugin that a module belongs to: of several in a package, the one that it stands in."""
        return self.owners_of([module])[0]

    def owners_of(self, modules: Sequence[str]) -> list[LoadedPlugin | None]:
        """Returns the plugin that each of the modules belongs to."""
        names = tuple([one.module for one in self.plugins])
        positions = [_owner_among(names, module) for module in modules]
        return [None if position is None else self.plugins[position] for position in positions]

    def routes(self) -> list[BoundRoute]:
        """Returns core rows in declared order, then the rows mounted under `/api/x/`, then pages.

        Pages stand behind those of a longer path, so that pages at the root leave room for all others.
        """
        core = [bound for plugin in self.plugins for bound in plugin.routes]
        mounted = [bound for plugin in self.plugins for bound in plugin.extension_routes]
        pages = [bound for plugin in self.plugins for bound in plugin.page_routes]
        return core + mounted + sorted(pages, key=page_depth, reverse=True)

    def rows(self, plugin_id: str) -> list[Route]:
        """Implements the SDK's `Plugins.rows`."""
        found = [plugin for plugin in self.plugins if plugin.id == plugin_id]
        return [bound.row for one in found for bound in (*one.routes, *one.extension_routes)]

    def folder(self, plugin_id: str) -> Path | None:
        """Implements the SDK's `Plugins.folder`."""
        return next((plugin.folder for plugin in self.plugins if plugin.id == plugin_id), None)

    def installed_versions(self) -> dict[str, str | None]:
        """Implements the SDK's `Plugins.installed_versions`."""
        return {
            one.id: self.installed[one.id](one.version) if one.id in self.installed else one.version
            for one in self.statuses()
        }

    def services(self) -> dict[type[Any], Callable[[Any], Any]]:
        return {protocol: make for plugin in self.plugins for protocol, make in plugin.services.items()}

    def named_features(self) -> set[str]:
        """Returns the features that gate something, of whatever kind."""
        routes = {bound.row.feature for bound in self.routes()}
        others = {name for plugin in self.plugins for name, _ in plugin.named_features()}
        return {name for name in routes | others if name is not None}

    def engines(self) -> dict[str, DatabaseEngine]:
        """Returns the database engines by the schemes that they open."""
        engines = self.declared(DatabaseEngine)  # type: ignore[type-abstract]
        return {scheme: engine for engine in engines for scheme in engine.schemes}

    def blob_stores(self) -> dict[str, BlobStoreKind]:
        return {kind.name: kind for kind in self.declared(BlobStoreKind)}

    def migrations(self) -> list[tuple[str, Path]]:
        return [(plugin.id, plugin.migrations) for plugin in self.plugins if plugin.migrations is not None]

    def switchable(self) -> Switchable:
        """Returns what a team can switch off."""
        manifests = [one.plugin for one in self.plugins]
        return switchable(manifests, self.declared(Feature), self.named_features())

    def plugin_ids(self) -> set[str]:
        return {plugin.id for plugin in self.plugins}

    def statuses(self) -> list[PluginStatus]:
        return [plugin.status() for plugin in self.plugins] + self.refused


def mount(plugin_id: str, route: ExtensionRoute) -> BoundRoute:
    """Makes an extension row a row of the table: bearer, under the plugin's prefix, answering 200."""

    async def handler(call: Any) -> Reply:
        return Reply(await route.handler(call))

    row = Route(
        method=route.method,
        path=f"/api/x/{plugin_id}{route.path}",
        handler=getattr(route.handler, "__name__", "handler"),
        doc=route.doc,
        permission=route.permission,
        body=ANY_JSON if route.body is None else route.body,
        query=route.query,
        reply=route.reply,
        feature=route.feature,
    )
    return BoundRoute(plugin_id, row, handler)
