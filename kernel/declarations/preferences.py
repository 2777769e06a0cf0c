"""What a preference must be for the kernel to keep it."""

import json

from guildhall_sdk import Preference
from guildhall_sdk.preferences import MAX_PREFERENCE_BYTES
from kernel.declarations.names import check_name
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry


def check_preference(preference: "Preference[object]", plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("preference", preference.name)
    label = f"preference {preference.name}"
    if not preference.help or not preference.help.isprintable():
        raise PluginFault(f"{label}: its help must be one line of text")
    if preference.holder not in ("team", "company"):
        raise PluginFault(f"{label}: its holder must be team or company, not {preference.holder!r}")
    if [own.name for own in plugin.declared(Preference)].count(preference.name) > 1:
        raise PluginFault(f"the {label} is declared twice")
    _check_json(f"{label}: its schema", preference.schema)
    _check_json(f"{label}: its default", preference.default)


def _check_json(what: str, value: object) -> None:
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise PluginFault(f"{what} must be JSON") from None
    if len(text) > MAX_PREFERENCE_BYTES:
        raise PluginFault(f"{what} must be at most {MAX_PREFERENCE_BYTES} bytes as JSON")
