"""What tools, job kinds, search sources and the like hang on must be declared by somebody."""

from guildhall_sdk import Feature
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry


def check_features(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault`, naming what hangs on a feature that is not there; routes are judged as rows."""
    known = {feature.name for feature in [*registry.declared(Feature), *plugin.declared(Feature)]}
    for name, what in plugin.named_features():
        if name not in known:
            raise PluginFault(f"{what}: nobody declares the feature {name}")
