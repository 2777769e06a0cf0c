"""What sample content must be for a team to ask for it."""

import inspect

from guildhall_sdk import Samples
from kernel.declarations.names import check_name
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry


def check_samples(samples: Samples, plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("sample content", samples.name)
    if not inspect.iscoroutinefunction(samples.seed):
        raise PluginFault(f"sample content {samples.name}: its seed must be async")
