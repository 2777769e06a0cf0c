"""The settings of the server and of its plugins, as `guildhall serve --help` lists them."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.settings import as_text
from kernel.config import KERNEL_SETTINGS, Settings

_WIDTH = 110
_NOTHING: tuple[Any, ...] = (None, "", (), {}, frozenset())


def reference(environ: Mapping[str, str]) -> Iterator[str]:
    """Yields a line or two for each setting, with its default and the plugin that owns it."""
    from kernel.plugins.admission import admit
    from kernel.plugins.setting_values import owned_settings

    yield "settings, as environment variables:"
    for variable, setting in KERNEL_SETTINGS.items():
        yield from _entry(variable, "kernel", setting)
    try:
        registry = admit(Settings.from_environment(environ)).registry
    except OperatorError as refusal:
        yield f"  (those of plugins cannot be told: {refusal})"
        return
    for row in owned_settings(registry):
        yield from _entry(row.variable, row.owner, row.setting)
    for status in registry.refused:
        yield f"  (those of {status.id} cannot be told: it is {status.status})"


def _entry(variable: str, owner: str, setting: Setting[Any]) -> Iterator[str]:
    default = "" if setting.default in _NOTHING else f" (default: {as_text(setting.default)})"
    default += f" (or {variable}_FILE: a file that holds it)" if setting.secret else ""
    yield f"  {variable}  [{owner}]"
    yield from wrap(setting.help + default, _WIDTH, initial_indent="      ", subsequent_indent="      ")
