"""The kinds of data that plugins declare: the hook of each, its type, and what must be true of it.

A new kind is a hook in `guildhall_sdk.hooks` and a row here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from guildhall_sdk import (
    Accepts,
    BlobReferences,
    BlobStoreKind,
    Command,
    CredentialKind,
    Event,
    Factory,
    Feature,
    JobKind,
    Metric,
    Mount,
    Pages,
    Permission,
    Preference,
    QuotaDimension,
    Samples,
    SearchSource,
    Setting,
    Subscription,
    Tool,
    ToolSource,
)
from kernel.declarations.contributions import check_accepts, check_contributions
from kernel.declarations.events import check_event, check_subscription
from kernel.declarations.job_kinds import check_job_kind
from kernel.declarations.names import (
    check_credential_kind,
    check_features,
    check_mount,
    check_name,
    check_samples,
)
from kernel.declarations.pages import check_pages
from kernel.declarations.permissions import check_named_permissions, check_permission
from kernel.declarations.quota_dimensions import check_dimension
from kernel.declarations.routes import check_routes
from kernel.declarations.services import check_services
from kernel.declarations.settings import check_command, check_preference, check_setting
from kernel.declarations.tools import check_tool, check_tool_source
from kernel.faults import PluginFault
from kernel.metrics import check_metric
from kernel.registry import CONTRIBUTION, LoadedPlugin, Registry

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
        hook="declare_settings",
        type=Setting,
        label="setting",
        check=check_setting,
    ),
    Declaration(
        hook="declare_preferences",
        type=Preference,
        label="preference",
        check=check_preference,
    ),
    Declaration(
        hook="declare_commands",
        type=Command,
        label="command",
        name=attrgetter("name"),
        check=check_command,
    ),
    Declaration(
        hook="declare_permissions",
        type=Permission,
        label="permission",
        name=attrgetter("name"),
        check=check_permission,
    ),
    Declaration(
        hook="declare_credential_kinds",
        type=CredentialKind,
        label="kind of credential",
        name=attrgetter("name"),
        check=check_credential_kind,
    ),
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
        hook="declare_tool_sources",
        type=ToolSource,
        label="tool source",
        name=attrgetter("name"),
        check=check_tool_source,
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
        check=check_mount,
    ),
    Declaration(
        hook="declare_pages",
        type=Pages,
        label="folder of pages",
        name=attrgetter("path"),
        check=check_pages,
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
        hook="declare_accepts",
        type=Accepts,
        label="accepted type",
        check=check_accepts,
    ),
    Declaration(
        hook="declare_contributions",
        type=CONTRIBUTION,
        label="contribution",
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
    check_features(plugin, registry)
    for declaration in DECLARATIONS:
        rows = plugin.declared(declaration.type)
        _check_names(declaration, rows, registry)
        if declaration.check is not None:
            for row in rows:
                declaration.check(row, plugin, registry)
    check_contributions(plugin, registry)
    check_services(plugin, registry)
    if plugin.source != "builtin":  # what ships names one another's, and is checked once all of it is there
        check_named_permissions(plugin, registry)


def _check_names(declaration: Declaration, rows: Sequence[Any], registry: Registry) -> None:
    if declaration.name is None:
        return
    owners = {declaration.name(row): f", by {owner} too" for owner, row in registry.owned(declaration.type)}
    for name in map(declaration.name, rows):
        if name in owners:
            raise PluginFault(f"the {declaration.label} {name} is declared twice{owners[name]}")
        owners[name] = ""
