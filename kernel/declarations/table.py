"""The kinds of data that plugins declare: the hook of each, its type, and what must be true of it.

A new kind is a hook in `guildhall_sdk.hooks` and a row here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from guildhall_sdk import (
    BlobReferences,
    BlobStoreKind,
    Event,
    Factory,
    Feature,
    JobKind,
    Metric,
    Mount,
    QuotaDimension,
    Samples,
    SearchSource,
    Subscription,
    Tool,
)
from kernel.declarations.events import check_event
from kernel.declarations.job_kinds import check_job_kind
from kernel.declarations.names import check_name
from kernel.declarations.quota_dimensions import check_dimension
from kernel.declarations.routes import check_routes
from kernel.declarations.samples import check_samples
from kernel.declarations.services import check_services
from kernel.declarations.subscriptions import check_subscription
from kernel.declarations.tools import check_tool
from kernel.faults import PluginFault
from kernel.metrics import check_metric
from kernel.registry import LoadedPlugin, Registry

Check = Callable[[Any, LoadedPlugin, Registry], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One kind. `name` gives what no two rows of the whole server may share."""

    hook: str
    type: type[Any]
    label: str
    name: Callable[[Any], str] | None = None
    check: Check | None = None


DECLARATIONS: Sequence[Declaration] = (
    Declaration(
        hook="declare_features",
        type=Feature,
        label="feature",
        name=attrgetter("name"),
    ),
    Declaration(
        hook="declare_quota_dimensions",
        type=QuotaDimension,
        label="quota dimension",
        name=attrgetter("name"),
        check=check_dimension,
    ),
    Declaration(
        hook="declare_tools",
        type=Tool,
        label="tool",
        name=attrgetter("name"),
        check=check_tool,
    ),
    Declaration(
        hook="declare_job_kinds",
        type=JobKind,
        label="job kind",
        name=attrgetter("name"),
        check=check_job_kind,
    ),
    Declaration(
        hook="declare_events",
        type=Event,
        label="event",
        name=attrgetter("name"),
        check=check_event,
    ),
    Declaration(
        hook="declare_subscriptions",
        type=Subscription,
        label="subscription",
        check=check_subscription,
    ),
    Declaration(
        hook="declare_blob_stores",
        type=BlobStoreKind,
        label="blob store",
        name=attrgetter("name"),
    ),
    Declaration(
        hook="declare_blob_references",
        type=BlobReferences,
        label="blob references",
    ),
    Declaration(
        hook="declare_search_sources",
        type=SearchSource,
        label="search source",
        name=attrgetter("type"),
        check=lambda source, plugin, registry: check_name("search source", source.type),
    ),
    Declaration(
        hook="declare_mounts",
        type=Mount,
        label="mount",
        name=attrgetter("prefix"),
    ),
    Declaration(
        hook="declare_metrics",
        type=Metric,
        label="metric",
        # `things_total` and `things` are one family to some readers.
        name=lambda metric: metric.name.removesuffix("_total"),
        check=lambda metric, plugin, registry: check_metric(metric),
    ),
    Declaration(
        hook="declare_samples",
        type=Samples,
        label="sample content",
        name=attrgetter("name"),
        check=check_samples,
    ),
    Declaration(
        hook="declare_factories",
        type=Factory,
        label="factory",
    ),
)


def check_plugin(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault`, naming what is wrong, when the plugin cannot stand beside the rest."""
    check_routes(plugin, registry)
    for declaration in DECLARATIONS:
        rows = plugin.declared(declaration.type)
        _check_names(declaration, rows, registry)
        if declaration.check is not None:
            for row in rows:
                declaration.check(row, plugin, registry)
    check_services(plugin, registry)


def _check_names(declaration: Declaration, rows: Sequence[Any], registry: Registry) -> None:
    if declaration.name is None:
        return
    taken = {declaration.name(row) for row in registry.declared(declaration.type)}
    for name in map(declaration.name, rows):
        if name in taken:
            raise PluginFault(f"the {declaration.label} {name} is declared twice")
        taken.add(name)
