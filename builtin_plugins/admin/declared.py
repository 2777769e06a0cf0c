"""What sample content and plugin data must be for an operator to ask for the one and remove the other."""

import inspect

from guildhall_sdk.factories import Samples
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.plugin import PluginData
from libs.names import identifier_fault


def samples_fault(samples: Samples, declarer: Declarer) -> str | None:
    """Returns what is wrong with sample content, or None."""
    if (fault := identifier_fault("sample content", samples.name)) is not None:
        return fault
    if not inspect.iscoroutinefunction(samples.seed):
        return f"sample content {samples.name}: its seed must be async"
    return None


def plugin_data_fault(data: PluginData, declarer: Declarer) -> str | None:
    """Returns what is wrong with plugin data, or None."""
    if not data.name or not data.name.isprintable():
        return "plugin data: its name must be one line of text, such as labels"
    for label, work in (("count", data.count), ("remove", data.remove)):
        if not inspect.iscoroutinefunction(work):
            return f"plugin data {data.name}: its {label} must be async"
    return None
