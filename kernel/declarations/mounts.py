"""What an application of another protocol must be to stand beside the API."""

from guildhall_sdk import Mount, Setting
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry


def check_mount(mount: Mount, plugin: LoadedPlugin, registry: Registry) -> None:
    if mount.bind is not None and mount.bind not in plugin.declared(Setting):
        raise PluginFault(f"mount {mount.name}: its bind must be a setting that declare_settings gives")
