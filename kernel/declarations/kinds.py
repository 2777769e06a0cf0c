"""What job kinds, engines, adapters, features and services must be."""

import re
from inspect import iscoroutinefunction

from guildhall_sdk import Feature, JobKind, Setting
from guildhall_sdk.dimensions import Dimension
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.routes import Adapter
from kernel.faults import PluginFault, require
from kernel.registry import LoadedPlugin, Registry

_KIND_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_OF_ROWS = ("api", "http")
_KERNEL_SERVICES = """
    AuditTrail Computing Credentials DatabaseEngine DatabaseHealth Directory Events Features InstanceFacts
    JobLimits JobRetention Jobs KernelMetrics Passwords Plugins Roles Scratch ServerLife Validators Vault
    WorkerRegistry Workers
"""
#: The services of the SDK that a plugin can ask for whichever plugins there are.
KERNEL_SERVICES = frozenset(_KERNEL_SERVICES.split())


def check_job_kind(kind: JobKind, plugin: LoadedPlugin, registry: Registry) -> None:
    # What ships with the server may name its own kinds without the x.
    prefixes = (f"x.{plugin.id}.", *((f"{plugin.id}.",) if plugin.source == "builtin" else ()))
    prefix = next((prefix for prefix in prefixes if kind.name.startswith(prefix)), None)
    if prefix is None or not _KIND_NAME.fullmatch(kind.name.removeprefix(prefix)):
        raise PluginFault(f"the job kind {kind.name!r} must be named x.{plugin.id}.<name>")
    dimensions = [*registry.declared(Dimension), *plugin.declared(Dimension)]
    reservable = {dimension.name for dimension in dimensions if dimension.kind != "stock"}
    unknown = next((name for name in kind.reserves if name not in reservable), None)
    runs_here = kind.handler is not None
    is_remote = kind.validator is not None or kind.worker is not None
    rules = {
        "the handler must be async": not runs_here or iscoroutinefunction(kind.handler),
        "without a handler it is remote, and needs a validator": runs_here or kind.validator is not None,
        "validator and worker are for kinds without a handler": not (runs_here and is_remote),
        "without a handler nobody here could stop it": runs_here or not kind.stoppable,
        "its worker must be async": kind.worker is None or iscoroutinefunction(kind.worker),
        "its ended must be async": kind.ended is None or iscoroutinefunction(kind.ended),
        f"{unknown} is no dimension that can be reserved": unknown is None,
        "its validator must be a function": kind.validator is None or callable(kind.validator),
    }
    require(f"job kind {kind.name}", rules)


def check_engine(engine: DatabaseEngine, plugin: LoadedPlugin, registry: Registry) -> None:
    listed = not isinstance(engine.schemes, str) and engine.schemes and engine.dialects
    require(f"database engine {engine.name}", {"give lists of its schemes and of its dialects": listed})
    if taken := registry.engines().keys() & set(engine.schemes):
        raise PluginFault(f"database engine {engine.name}: {min(taken)}:// is another's already")


def check_features(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault`, naming what hangs on a feature that is not there; rows are checked as such."""
    known = {feature.name for feature in [*registry.declared(Feature), *plugin.declared(Feature)]}
    for name, what in plugin.named_features():
        require(what, {f"nobody declares the feature {name}": name in known})


def check_adapter(adapter: Adapter, plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault` for an adapter that nothing serves, or whose settings are another's."""
    settings = (None, *plugin.declared(Setting))
    is_own = adapter.name == plugin.id or adapter.name.startswith(f"{plugin.id}_")
    below = adapter.prefix[:1] == "/" and adapter.prefix.split("/")[1] != "api"
    rules = {
        f"its name must be {plugin.id}, or begin with {plugin.id}_": is_own,
        "the log and the counts of rows have this name; take another": adapter.name not in _OF_ROWS,
        "its prefix must begin with / and leave /api to rows": below,
        "it brings either a protocol or an app": (adapter.protocol is None) != (adapter.app is None),
        "at / it brings an app; a protocol stands below a prefix": adapter.prefix != "/" or adapter.app,
        "its bind must be a setting that declare_settings gives": adapter.bind in settings,
        "its rate_limit must be a setting that declare_settings gives": adapter.rate_limit in settings,
    }
    require(f"adapter {adapter.name}", rules)


def check_services(plugin: LoadedPlugin, registry: Registry) -> None:
    """Refuses a second provider of a service: what others have captured must not change under them."""
    providers = {protocol: one.id for one in registry.plugins for protocol in one.services}
    for protocol in plugin.services:
        is_kernels = protocol.__module__.startswith("guildhall_sdk.") and protocol.__name__ in KERNEL_SERVICES
        provider = "the kernel" if is_kernels else providers.get(protocol)
        if provider is not None:
            raise PluginFault(
                f"the service {protocol.__name__} is declared by {plugin.id}, "
                f"but {provider} provides it already"
            )
