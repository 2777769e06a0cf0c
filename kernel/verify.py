"""The boot proof: rows and handlers agree, and what a row names exists."""

import inspect
import re
from collections.abc import Sequence
from functools import cache

from guildhall_sdk import PERMISSIONS, Auth, BlobStore, JobKind
from guildhall_sdk.quotas import QUOTA_KINDS
from guildhall_sdk.services import (
    ApiDescription,
    AuditTrail,
    Credentials,
    Directory,
    Executors,
    Features,
    Jobs,
    Metrics,
    Passwords,
    Plugins,
    Quotas,
    RateLimits,
    Readiness,
    Scratch,
    Tools,
    Vault,
    Workers,
)
from kernel.faults import PluginFault
from kernel.metrics import check_metric
from kernel.registry import BoundRoute, Contribution, Registry

#: What a plugin can ask for whichever plugins there are.
KERNEL_SERVICES = frozenset(
    {
        ApiDescription,
        AuditTrail,
        BlobStore,
        Credentials,
        Directory,
        Executors,
        Features,
        Jobs,
        Metrics,
        Passwords,
        Plugins,
        Quotas,
        RateLimits,
        Readiness,
        Scratch,
        Tools,
        Vault,
        Workers,
    }
)
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_LITERAL = re.compile(r"[A-Za-z0-9._~-]+")
_PARAMETER = re.compile(r"[:*][a-z][a-z0-9_]*")
_TOOL = re.compile(r"[a-z][a-z0-9_]{0,63}")
_KIND = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_DIMENSION = re.compile(r"(?=.{1,64}$)[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+")


def prove(contribution: Contribution, registry: Registry) -> None:
    """Raises `PluginFault`, naming the row, when the contribution cannot stand beside the rest."""
    if contribution.unrouted:
        raise PluginFault(f"the handler {contribution.unrouted[0]} has no row")
    features = {feature.name for feature in [*registry.features(), *contribution.features]}
    for bound in (*contribution.routes, *contribution.extension_routes):
        _prove_row(bound, features)
    for bound in contribution.routes:
        if re.match(r"/api/x/[^:*]", bound.row.path):
            raise PluginFault(f"row {bound.name}: /api/x/ is for declare_extension_routes")
    for bound in contribution.extension_routes:
        _prove_mounted(bound, contribution.plugin.id)
    _prove_reachable(registry, contribution)
    _prove_names("feature", [f.name for f in registry.features()], [f.name for f in contribution.features])
    _prove_names("tool", [t.name for _, t in registry.tools()], [t.name for t in contribution.tools])
    _prove_tools(contribution)
    _prove_job_kinds(contribution, registry)
    _prove_dimensions(contribution, registry)
    _prove_names("blob store", list(registry.blob_stores()), [s.name for s in contribution.blob_stores])
    _prove_names(
        "search source",
        [source.type for source in registry.search_sources()],
        [source.type for source in contribution.search_sources],
    )
    for source in contribution.search_sources:
        if not _TOOL.fullmatch(source.type):
            raise PluginFault(f"the search source {source.type!r} must be small letters, digits and _")
    _prove_names("mount", [m.prefix for m in registry.mounts()], [m.prefix for m in contribution.mounts])
    _prove_services(contribution, registry)
    _prove_metrics(contribution, registry)
    _prove_samples(contribution, registry)


def _prove_services(contribution: Contribution, registry: Registry) -> None:
    """A service has one provider: what others have captured must not change under them."""
    providers = {protocol: one.plugin.id for one in registry.contributions for protocol in one.services}
    for protocol in contribution.services:
        provider = "the kernel" if protocol in KERNEL_SERVICES else providers.get(protocol)
        if provider is not None:
            raise PluginFault(
                f"the service {protocol.__name__} is declared by {contribution.plugin.id}, "
                f"but {provider} provides it already"
            )


def _prove_row(bound: BoundRoute, features: set[str]) -> None:
    row = bound.row
    if row.method not in METHODS:
        raise PluginFault(f"row {bound.name}: the method must be one of {', '.join(sorted(METHODS))}")
    if not row.doc:
        raise PluginFault(f"row {bound.name}: the doc line is missing")
    _prove_path(bound)
    if row.permission is not None and row.permission not in PERMISSIONS:
        raise PluginFault(f"row {bound.name}: there is no permission {row.permission}")
    if row.feature is not None and row.feature not in features:
        raise PluginFault(f"row {bound.name}: nobody declares the feature {row.feature}")
    _prove_access(bound)
    if not inspect.iscoroutinefunction(bound.handler):
        raise PluginFault(f"row {bound.name}: the handler {row.handler} must be async")


def _prove_access(bound: BoundRoute) -> None:
    """The class of a row alone admits nobody to a plane, and asks nothing of a caller without a name."""
    row = bound.row
    if row.auth in (Auth.SUPERADMIN, Auth.ORG_ADMIN) and (row.permission is None or row.judged):
        raise PluginFault(
            f"row {bound.name}: the class {row.auth.value} wants a permission that is not judged"
        )
    if row.auth in (Auth.PUBLIC, Auth.PROVISION) and (row.permission or row.feature or row.session_only):
        raise PluginFault(
            f"row {bound.name}: the class {row.auth.value} knows no caller, so it takes no permission, "
            "feature or session"
        )


def _prove_path(bound: BoundRoute) -> None:
    path = bound.row.path
    segments = path.split("/")[1:]
    if not path.startswith("/") or (path != "/" and "" in segments):
        raise PluginFault(f"row {bound.name}: the path must start with / and have no empty segment")
    names = [segment[1:] for segment in segments if segment[:1] in (":", "*")]
    for position, segment in enumerate(segments):
        if segment and not (_LITERAL.fullmatch(segment) or _PARAMETER.fullmatch(segment)):
            raise PluginFault(f"row {bound.name}: {segment!r} is not a segment, :name or *name")
        if segment.startswith("*") and position != len(segments) - 1:
            raise PluginFault(f"row {bound.name}: {segment} takes the rest of the path and must stand last")
    if len(set(names)) != len(names):
        raise PluginFault(f"row {bound.name}: a parameter stands there twice")


def _prove_mounted(bound: BoundRoute, plugin_id: str) -> None:
    if not bound.row.path.startswith(f"/api/x/{plugin_id}/"):
        raise PluginFault(f"row {bound.name}: the path of an extension route must start with /")
    if bound.row.path.startswith(f"/api/x/{plugin_id}/bundle/"):
        raise PluginFault(f"row {bound.name}: the path prefix bundle/ is reserved")
    if bound.row.permission is None:
        raise PluginFault(f"row {bound.name}: the permission is missing")


def _prove_reachable(registry: Registry, contribution: Contribution) -> None:
    """No row may stand behind one that already takes everything it would match."""
    before: list[BoundRoute] = registry.routes()
    for bound in (*contribution.routes, *contribution.extension_routes):
        for earlier in before:
            if earlier.row.method == bound.row.method and _covers(earlier.row.path, bound.row.path):
                raise PluginFault(
                    f"row {bound.name} can never be reached: {earlier.name} of {earlier.plugin_id} "
                    "matches all it would"
                )
        before.append(bound)


@cache
def _covers(earlier: str, later: str) -> bool:
    first, second = earlier.split("/")[1:], later.split("/")[1:]
    for position, segment in enumerate(first):
        if segment.startswith("*"):
            return len(second) > position
        if position >= len(second) or second[position].startswith("*"):
            return False
        if not segment.startswith(":") and segment != second[position]:
            return False
    return len(first) == len(second)


def _prove_names(what: str, taken: Sequence[str], new: Sequence[str]) -> None:
    seen = set(taken)
    for name in new:
        if name in seen:
            raise PluginFault(f"the {what} {name} is declared twice")
        seen.add(name)


def _prove_tools(contribution: Contribution) -> None:
    for tool in contribution.tools:
        if not _TOOL.fullmatch(tool.name):
            raise PluginFault(f"the tool name {tool.name!r} must be small letters, digits and _")
        if tool.permission not in PERMISSIONS:
            raise PluginFault(f"tool {tool.name}: there is no permission {tool.permission}")
        if (tool.handler is None) == (tool.hosted is None):
            raise PluginFault(f"tool {tool.name}: it needs a handler or a hosted one, not both")
        if not inspect.iscoroutinefunction(tool.handler or tool.hosted):
            raise PluginFault(f"tool {tool.name}: the handler must be async")


def _prove_job_kinds(contribution: Contribution, registry: Registry) -> None:
    new = contribution.job_kinds
    _prove_names("job kind", [kind.name for kind in registry.job_kinds()], [kind.name for kind in new])
    plugin_id = contribution.plugin.id
    dimensions = [*registry.quota_dimensions(), *contribution.quota_dimensions]
    reservable = {dimension.name for dimension in dimensions if dimension.kind != "stock"}
    # What ships with the server may name its own kinds without the x.
    prefixes = (f"x.{plugin_id}.", *((f"{plugin_id}.",) if contribution.source == "builtin" else ()))
    for kind in new:
        prefix = next((prefix for prefix in prefixes if kind.name.startswith(prefix)), None)
        if prefix is None or not _KIND.fullmatch(kind.name.removeprefix(prefix)):
            raise PluginFault(f"the job kind {kind.name!r} must be named x.{plugin_id}.<name>")
        if kind.handler is not None and not inspect.iscoroutinefunction(kind.handler):
            raise PluginFault(f"job kind {kind.name}: the handler must be async")
        if kind.handler is None and kind.validator is None:
            raise PluginFault(f"job kind {kind.name}: without a handler it is remote, and needs a validator")
        if kind.handler is not None and (kind.validator is not None or kind.worker is not None):
            raise PluginFault(f"job kind {kind.name}: validator and worker are for kinds without a handler")
        if kind.worker is not None and not inspect.iscoroutinefunction(kind.worker):
            raise PluginFault(f"job kind {kind.name}: its worker must be async")
        _prove_ended(kind)
        for name in kind.reserves:
            if name not in reservable:
                raise PluginFault(f"job kind {kind.name}: {name} is no quota dimension that can be reserved")
        if kind.validator is not None and not callable(kind.validator):
            raise PluginFault(f"job kind {kind.name}: its validator must be a function")


def _prove_ended(kind: JobKind) -> None:
    if kind.ended is not None and not inspect.iscoroutinefunction(kind.ended):
        raise PluginFault(f"job kind {kind.name}: its ended must be async")


def _prove_dimensions(contribution: Contribution, registry: Registry) -> None:
    new = contribution.quota_dimensions
    _prove_names("quota dimension", [d.name for d in registry.quota_dimensions()], [d.name for d in new])
    for dimension in new:
        if not _DIMENSION.fullmatch(dimension.name):
            raise PluginFault(f"the quota dimension {dimension.name!r} must be words with dots: ai.requests")
        if dimension.kind not in QUOTA_KINDS:
            raise PluginFault(f"quota dimension {dimension.name}: there is no kind {dimension.kind}")


def _prove_metrics(contribution: Contribution, registry: Registry) -> None:
    """`things_total` and `things` are one family to some readers."""
    taken = [metric.name.removesuffix("_total") for _, metric in registry.metrics()]
    _prove_names("metric", taken, [metric.name.removesuffix("_total") for metric in contribution.metrics])
    for metric in contribution.metrics:
        check_metric(metric)


def _prove_samples(contribution: Contribution, registry: Registry) -> None:
    new = contribution.samples
    _prove_names("sample content", [samples.name for samples in registry.samples()], [s.name for s in new])
    for samples in new:
        if not _TOOL.fullmatch(samples.name):
            raise PluginFault(f"the sample content {samples.name!r} must be small letters, digits and _")
        if samples.permission not in PERMISSIONS:
            raise PluginFault(f"sample content {samples.name}: there is no permission {samples.permission}")
        if not inspect.iscoroutinefunction(samples.seed):
            raise PluginFault(f"sample content {samples.name}: its seed must be async")
