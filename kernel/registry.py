"""The merged tables: what every admitted plugin brought, frozen once the boot is over."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from guildhall_sdk import (
    BlobReferences,
    BlobStoreKind,
    ExtensionRoute,
    Factory,
    Feature,
    JobKind,
    Metric,
    Mount,
    Plugin,
    QuotaDimension,
    Reply,
    Route,
    Samples,
    SearchSource,
    Tool,
)
from guildhall_sdk.services.description import PluginSource, PluginStatus

Handler = Callable[[Any], Awaitable[Reply]]

ANY_JSON: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class BoundRoute:
    """A row with its handler and the plugin that owns it."""

    plugin_id: str
    row: Route
    handler: Handler

    @property
    def name(self) -> str:
        return f"{self.row.method} {self.row.path}"


@dataclass(frozen=True, slots=True)
class Contribution:
    """All that one plugin brings; admitted whole or not at all."""

    plugin: Plugin
    source: PluginSource
    routes: tuple[BoundRoute, ...] = ()
    unrouted: tuple[str, ...] = ()
    extension_routes: tuple[BoundRoute, ...] = ()
    features: tuple[Feature, ...] = ()
    tools: tuple[Tool, ...] = ()
    job_kinds: tuple[JobKind, ...] = ()
    quota_dimensions: tuple[QuotaDimension, ...] = ()
    services: Mapping[type[Any], Callable[[Any], Any]] = field(default_factory=dict)
    blob_stores: tuple[BlobStoreKind, ...] = ()
    blob_references: tuple[BlobReferences, ...] = ()
    search_sources: tuple[SearchSource, ...] = ()
    mounts: tuple[Mount, ...] = ()
    metrics: tuple[Metric, ...] = ()
    samples: tuple[Samples, ...] = ()
    migrations: Path | None = None
    factories: tuple[Factory, ...] = ()

    def status(self) -> PluginStatus:
        rows = [*self.routes, *self.extension_routes]
        return PluginStatus(
            id=self.plugin.id,
            name=self.plugin.name,
            version=self.plugin.version,
            description=self.plugin.description,
            source=self.source,
            status="loaded",
            tools=tuple(tool.name for tool in self.tools),
            job_kinds=tuple({"name": kind.name, "remote": kind.remote} for kind in self.job_kinds),
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
        """Its status once it was taken out again."""
        return replace(
            self.status(),
            status="quarantined",
            reason=reason,
            tools=(),
            routes=(),
            workflows=(),
            job_kinds=(),
        )


@dataclass(slots=True)
class Registry:
    """Everything admitted so far, in order of admission."""

    contributions: list[Contribution] = field(default_factory=list)
    refused: list[PluginStatus] = field(default_factory=list)

    def routes(self) -> list[BoundRoute]:
        """Core rows in declared order, then the rows mounted under `/api/x/`."""
        core = [bound for one in self.contributions for bound in one.routes]
        mounted = [bound for one in self.contributions for bound in one.extension_routes]
        return core + mounted

    def features(self) -> list[Feature]:
        return [feature for one in self.contributions for feature in one.features]

    def tools(self) -> list[tuple[str, Tool]]:
        return [(one.plugin.id, tool) for one in self.contributions for tool in one.tools]

    def job_kinds(self) -> list[JobKind]:
        return [kind for one in self.contributions for kind in one.job_kinds]

    def quota_dimensions(self) -> list[QuotaDimension]:
        return [dimension for one in self.contributions for dimension in one.quota_dimensions]

    def services(self) -> dict[type[Any], Callable[[Any], Any]]:
        return {protocol: make for one in self.contributions for protocol, make in one.services.items()}

    def blob_stores(self) -> dict[str, BlobStoreKind]:
        return {kind.name: kind for one in self.contributions for kind in one.blob_stores}

    def blob_references(self) -> list[BlobReferences]:
        return [references for one in self.contributions for references in one.blob_references]

    def search_sources(self) -> list[SearchSource]:
        return [source for one in self.contributions for source in one.search_sources]

    def mounts(self) -> list[Mount]:
        return [mount for one in self.contributions for mount in one.mounts]

    def metrics(self) -> list[tuple[str, Metric]]:
        return [(one.plugin.id, metric) for one in self.contributions for metric in one.metrics]

    def samples(self) -> list[Samples]:
        return [samples for one in self.contributions for samples in one.samples]

    def migrations(self) -> list[tuple[str, Path]]:
        return [(one.plugin.id, one.migrations) for one in self.contributions if one.migrations is not None]

    def factories(self) -> list[Factory]:
        return [factory for one in self.contributions for factory in one.factories]

    def plugin_ids(self) -> set[str]:
        return {one.plugin.id for one in self.contributions}

    def statuses(self) -> list[PluginStatus]:
        return [one.status() for one in self.contributions] + self.refused


def mount(plugin_id: str, route: ExtensionRoute) -> BoundRoute:
    """An extension row as a row of the table: bearer, under the plugin's own prefix, answering 200."""

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
    )
    return BoundRoute(plugin_id, row, handler)
