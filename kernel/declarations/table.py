"""The kinds of data that plugins declare: the hook of each, its type, and what must be true of it.

A new kind is a hook in `guildhall_sdk.hooks` and a row here.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from guildhall_sdk import (
    Accepts,
    BlobReferences,
    BlobStoreKind,
    Command,
    CredentialKind,
    Dimension,
    Event,
    Factory,
    Feature,
    JobKind,
    Metric,
    Mount,
    Pages,
    Permission,
    Preference,
    Samples,
    SearchSource,
    Setting,
    Subscription,
    Tool,
    ToolSource,
)
from guildhall_sdk.dataclass import dataclass
from guildhall_sdk.engines import DatabaseEngine
from guildhall_sdk.plugin_data import PluginData
from kernel.declarations.contributions import check_accepts, check_contributions
from kernel.declarations.dimensions import check_dimension
from kernel.declarations.events import check_event, check_subscription
from kernel.declarations.functions import check_functions
from kernel.declarations.job_kinds import check_job_kind
from kernel.declarations.names import (
    check_credential_kind,
    check_engine,
    check_features,
    check_mount,
    check_name,
    check_plugin_data,
    check_samples,
)
from kernel.declarations.pages import check_pages
from kernel.declarations.permissions import check_named_permissions, check_permission
from kernel.declarations.routes import check_routes
from kernel.declarations.services import check_services
from kernel.declarations.settings import check_command, check_preference, check_setting
from kernel.declarations.tools import check_tool, check_tool_source
from kernel.faults import PluginFault
from kernel.metrics.measurements import check_metric
from kernel.registry import CONTRIBUTION, LoadedPlugin, Registry

Check = Callable[[Any, LoadedPlugin, Registry], None]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One kind. `name` gives what no two rows of the whole server may share."""

    hook: str
    type: type[Any]
    label: str
    check: Check | None = None
    name: Callable[[Any], str] | None = None


_name = attrgetter("name")

DECLARATIONS: Sequence[Declaration] = (
    Declaration("declare_settings", Setting, "setting", check_setting),
    Declaration("declare_preferences", Preference, "preference", check_preference),
    Declaration("declare_commands", Command, "command", check_command, _name),
    Declaration("declare_permissions", Permission, "permission", check_permission, _name),
    Declaration(
        "declare_credential_kinds", CredentialKind, "kind of credential", check_credential_kind, _name
    ),
    Declaration("declare_features", Feature, "feature", name=_name),
    Declaration("declare_dimensions", Dimension, "dimension", check_dimension, _name),
    Declaration("declare_tools", Tool, "tool", check_tool, _name),
    Declaration("declare_tool_sources", ToolSource, "tool source", check_tool_source, _name),
    Declaration("declare_job_kinds", JobKind, "job kind", check_job_kind, _name),
    Declaration("declare_events", Event, "event", check_event, _name),
    Declaration("declare_subscriptions", Subscription, "subscription", check_subscription),
    Declaration("declare_engines", DatabaseEngine, "database engine", check_engine, _name),
    Declaration("declare_blob_stores", BlobStoreKind, "blob store", name=_name),
    Declaration("declare_blob_references", BlobReferences, "blob references"),
    Declaration(
        "declare_search_sources",
        SearchSource,
        "search source",
        lambda source, plugin, registry: check_name("search source", source.type),
        attrgetter("type"),
    ),
    Declaration("declare_mounts", Mount, "mount", check_mount, attrgetter("prefix")),
    Declaration("declare_pages", Pages, "folder of pages", check_pages, attrgetter("path")),
    Declaration(
        "declare_metrics",
        Metric,
        "metric",
        lambda metric, plugin, registry: check_metric(metric),
        # `things_total` and `things` are one family to some readers.
        lambda metric: metric.name.removesuffix("_total"),
    ),
    Declaration("declare_accepts", Accepts, "accepted type", check_accepts),
    Declaration("declare_contributions", CONTRIBUTION, "contribution"),
    Declaration("declare_samples", Samples, "sample content", check_samples, _name),
    Declaration("declare_plugin_data", PluginData, "plugin data", check_plugin_data, _name),
    Declaration("declare_factories", Factory, "factory"),
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
    if plugin.source != "builtin":  # what ships is tested, and names what comes later
        check_functions(plugin)
        check_named_permissions(plugin, registry)


def _check_names(declaration: Declaration, rows: Sequence[Any], registry: Registry) -> None:
    if declaration.name is None or not rows:
        return
    owners = {declaration.name(row): f", by {owner} too" for owner, row in registry.owned(declaration.type)}
    for name in map(declaration.name, rows):
        if name in owners:
            raise PluginFault(f"the {declaration.label} {name} is declared twice{owners[name]}")
        owners[name] = ""
