"""What job kinds, events, subscriptions, engines, adapters, features and services must be."""

import re
from dataclasses import fields
from inspect import iscoroutinefunction

from guildhall_sdk import Event, Feature, JobKind, Setting, Subscription
from guildhall_sdk.dimensions import Dimension
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.routes import Adapter
from kernel.faults import PluginFault, require
from kernel.registry import LoadedPlugin, Registry
from libs.records import record_fault
from libs.sql_binds import names_in

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PART = r"[a-z][a-z0-9_]{0,63}"
_MAX_ATTEMPTS = 100
_MAX_SECONDS = 24 * 3600
_OF_ROWS = ("api", "http")
_KERNEL_SERVICES = """
    AuditTrail Computing Credentials DatabaseEngine DatabaseHealth Directory Events Features InstanceFacts
    JobLimits JobRetention Jobs KernelMetrics Passwords PluginStorage Plugins Roles SchemaUpgrade Scratch
    ServerLife Validators Vault WorkerRegistry Workers
"""
#: The services of the SDK that a plugin can ask for whichever plugins there are.
KERNEL_SERVICES = frozenset(_KERNEL_SERVICES.split())


def check_job_kind(kind: JobKind, plugin: LoadedPlugin, registry: Registry) -> None:
    # What ships with the server may name its own kinds without the x.
    prefixes = (f"x.{plugin.id}.", *((f"{plugin.id}.",) if plugin.source == "builtin" else ()))
    prefix = next((prefix for prefix in prefixes if kind.name.startswith(prefix)), None)
    if prefix is None or not _NAME.fullmatch(kind.name.removeprefix(prefix)):
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
    """Raises `PluginFault`, naming what hangs on a feature that is not there."""
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


def check_event(event: Event, plugin: LoadedPlugin, registry: Registry) -> None:
    prefix = f"{plugin.id}."
    names = [event.name.removeprefix(prefix)] if event.name.startswith(prefix) else []
    # What ships with the server names its own events without the plugin.
    names += [event.name] if plugin.source == "builtin" else []
    if not any(re.fullmatch(rf"{_PART}\.{_PART}", name) for name in names):
        raise PluginFault(f"the event {event.name!r} must be named {plugin.id}.<noun>.<verb>")
    fault = record_fault(event.type)
    rules = {
        "it needs a doc line that says when it happens": event.doc.strip(),
        str(fault): fault is None,
    }
    require(f"event {event.name}", rules)
    if clash := {"team_id", *(one.name for one in fields(event.type))} & set(event.facts):
        raise PluginFault(f"event {event.name}: {min(clash)} cannot be the name of a fact")


def check_subscription(subscription: Subscription, plugin: LoadedPlugin, registry: Registry) -> None:
    name = subscription.name
    if not _NAME.fullmatch(name):
        raise PluginFault(f"the subscription {name!r} must be small letters, digits, - and _")
    if sum(one.name == name for one in plugin.declared(Subscription)) > 1:
        raise PluginFault(f"the subscription {name} is declared twice")
    events = {one.name: one for one in (*registry.declared(Event), *plugin.declared(Event))}
    event = events.get(subscription.event)
    known = set() if event is None else {one.name for one in fields(event.type)}
    facts = () if event is None else event.facts
    where = next((field for field in subscription.where if field not in known), None)
    binds = () if subscription.wanted is None else names_in(*subscription.wanted.texts())
    bind = next((bind for bind in binds if bind not in {"team_id", *known, *facts}), None)
    rules = {
        "the handler must be async": iscoroutinefunction(subscription.handler),
        f"max_attempts must be 1 to {_MAX_ATTEMPTS}": 1 <= subscription.max_attempts <= _MAX_ATTEMPTS,
        f"timeout_seconds must be 1 to {_MAX_SECONDS}": 1 <= subscription.timeout_seconds <= _MAX_SECONDS,
        f"nobody declares the event {subscription.event}; name the plugin that does in requires, or make the "
        "subscription optional": event is not None or subscription.optional,
        f"the event {subscription.event} has no field {where}": event is None or where is None,
        f"its query asks for :{bind}, which is neither a field nor a fact of the event "
        f"{subscription.event}": event is None or bind is None,
    }
    require(f"subscription {name}", rules)
