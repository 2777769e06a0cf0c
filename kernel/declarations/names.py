"""Declarations that are little more than a name."""

from guildhall_sdk import Feature, Setting
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.mounts import Mount
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry
from libs.names import identifier_fault


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


def check_mount(mount: Mount, plugin: LoadedPlugin, registry: Registry) -> None:
    if mount.bind is not None and mount.bind not in plugin.declared(Setting):
        raise PluginFault(f"mount {mount.name}: its bind must be a setting that declare_settings gives")
