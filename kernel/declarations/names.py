"""Declarations that are little more than a name."""

from guildhall_sdk import Feature, Setting
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.routes import Adapter
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry
from libs.names import identifier_fault

_OF_ROWS = ("api", "http")


def check_name(label: str, name: str) -> None:
    if (fault := identifier_fault(label, name)) is not None:
        raise PluginFault(fault)


def check_engine(engine: DatabaseEngine, plugin: LoadedPlugin, registry: Registry) -> None:
    if isinstance(engine.schemes, str) or not engine.schemes or not engine.dialects:
        raise PluginFault(f"database engine {engine.name}: give lists of its schemes and of its dialects")
    if taken := registry.engines().keys() & set(engine.schemes):
        raise PluginFault(f"database engine {engine.name}: {min(taken)}:// is another's already")


def check_features(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault`, naming what hangs on a feature that is not there; routes are judged as rows."""
    known = {feature.name for feature in [*registry.declared(Feature), *plugin.declared(Feature)]}
    for name, what in plugin.named_features():
        if name not in known:
            raise PluginFault(f"{what}: nobody declares the feature {name}")


def check_adapter(adapter: Adapter, plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault` for an adapter that nothing serves, or whose settings are another's."""
    label = f"adapter {adapter.name}"
    if adapter.name != plugin.id and not adapter.name.startswith(f"{plugin.id}_"):
        raise PluginFault(f"{label}: its name must be {plugin.id}, or begin with {plugin.id}_")
    if adapter.name in _OF_ROWS:
        raise PluginFault(f"{label}: the log and the counts of rows have this name; take another")
    if adapter.prefix[:1] != "/" or adapter.prefix.split("/")[1] == "api":
        raise PluginFault(f"{label}: its prefix must begin with / and leave /api to rows")
    if (adapter.protocol is None) == (adapter.app is None):
        raise PluginFault(f"{label}: it brings either a protocol or an app")
    if adapter.prefix == "/" and adapter.app is None:
        raise PluginFault(f"{label}: at / it brings an app; a protocol stands below a prefix")
    for field, setting in (("bind", adapter.bind), ("rate_limit", adapter.rate_limit)):
        if setting is not None and setting not in plugin.declared(Setting):
            raise PluginFault(f"{label}: its {field} must be a setting that declare_settings gives")
