"""The settings of all plugins with their values, read once from the environment."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from guildhall_sdk import Setting
from guildhall_sdk.routes import Adapter
from kernel.config import KERNEL_SETTINGS, PREFIX, SettingsError, given_text, names_of, read_setting
from kernel.declarations.settings import prefix_of, variable_of
from kernel.logs import get_logger
from kernel.plugins.reasons import place_of
from kernel.registry import Registry

Value = TypeVar("Value")
_log = get_logger("boot")


class OwnedSetting(NamedTuple):
    """A setting, the plugin that declares it, and the variable that it is read from."""

    owner: str
    variable: str
    setting: Setting[Any]


@dataclass(frozen=True, slots=True, eq=False)
class SettingValues:
    """The values that `host.setting(…)` returns.

    `texts` are those that the operator set, `unread` the names that only a plugin which is out can explain.
    """

    values: Mapping[Setting[Any], Any]
    texts: Mapping[Setting[Any], str]
    unread: Sequence[str] = ()

    def value(self, setting: Setting[Value]) -> Value:
        try:
            found: Value = self.values[setting]
        except KeyError:
            raise LookupError(
                f"no plugin declares the setting {setting.name!r}: give this very object in declare_settings"
            ) from None
        return found

    def given(self, setting: Setting[Any]) -> bool:
        return setting in self.texts

    def warn(self) -> None:
        """Logs the names that nobody reads."""
        for name in self.unread:
            _log.warning("setting.unread", setting=name, reason="the plugin that may declare it is out")


def owned_settings(registry: Registry) -> list[OwnedSetting]:
    return [
        OwnedSetting(owner, variable_of(setting, owner), setting)
        for owner, setting in registry.owned(Setting)
    ]


def read_settings(registry: Registry, others: Mapping[str, str]) -> SettingValues:
    """Reads what plugins declare; raises `SettingsError` for the first that is unknown or malformed."""
    unread = unread_names(registry, others)
    values: dict[Setting[Any], Any] = {}
    given: dict[Setting[Any], str] = {}
    for row in owned_settings(registry):
        values[row.setting] = row.setting.default
        if (found := given_text(row.variable, row.setting, others)) is not None:
            given[row.setting] = found
            values[row.setting] = _read(row, found)
    return SettingValues(values, given, unread)


def listener_addresses(registry: Registry, values: SettingValues) -> dict[str, tuple[OwnedSetting, str]]:
    """Returns the setting and the address of each adapter that has its own, by the adapter's name."""
    rows = {row.setting: row for row in owned_settings(registry)}
    binds = {one.name: one.bind for one in registry.declared(Adapter) if one.bind is not None}
    return {name: (rows[bind], values.value(bind)) for name, bind in binds.items()}


def check_addresses(bind: str, registry: Registry, values: SettingValues) -> None:
    """Raises `SettingsError` where an operator gave two listeners one address."""
    taken = {bind: "SERVICE_BIND"}
    for row, address in listener_addresses(registry, values).values():
        if address in taken and values.given(row.setting) and not address.endswith(":0"):
            raise SettingsError(f"{row.variable}: is the same as {taken[address]}; give it another port")
        taken.setdefault(address, row.variable)


def _read(row: OwnedSetting, given: str) -> Any:
    try:
        return read_setting(row.variable, row.setting, given)
    except SettingsError:
        raise
    except (Exception, SystemExit) as error:
        # Not its message, which may repeat the value.
        reason = type(error).__name__ + place_of(error)
        raise SettingsError(f"{row.variable}: the plugin {row.owner} failed to read it: {reason}") from error


def unread_names(registry: Registry, others: Mapping[str, str]) -> list[str]:
    """Returns names that nobody can explain as their plugin is out; raises for an unknown one.

    A name is the plugin's with the longest prefix that fits. What ships with the server may have names beyond
    its prefix: while one of these plugins is out, no name is known to be wrong.
    """
    rows = owned_settings(registry)
    known = {name for row in rows for name in names_of(row.variable, row.setting)}
    out = {prefix_of(status.id) for status in registry.refused}
    prefixes = out | {prefix_of(row.owner) for row in rows}
    unread = sorted(name for name in others if name.startswith(PREFIX) and name not in known)
    if not any(status.source == "builtin" for status in registry.refused):
        for name in unread:
            owner = max((prefix for prefix in prefixes if name.startswith(prefix)), key=len, default=None)
            if owner not in out:
                raise SettingsError(f"{name}: there is no such setting; {_hint(name, known)}")
    return unread


def _hint(name: str, known: set[str]) -> str:
    near = difflib.get_close_matches(name, [*KERNEL_SETTINGS, *sorted(known)], 1)
    return f"did you mean {near[0]}?" if near else "`guildhall serve --help` lists all"
