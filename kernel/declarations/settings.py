"""What settings and commands must be, and which variable a setting is read from."""

import inspect
import re
from argparse import ArgumentParser
from typing import Any

from guildhall_sdk import Command, Setting
from kernel.config import KERNEL_SETTINGS, OWN_COMMANDS, PREFIX
from kernel.declarations.names import check_name
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_COMMAND_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")


def prefix_of(plugin_id: str) -> str:
    """Returns the prefix of a plugin's variables: `SERVICE_BOOK_SHELF_` for `book-shelf`."""
    return f"{PREFIX}{plugin_id.upper().replace('-', '_')}_"


def variable_of(setting: Setting[Any], plugin_id: str) -> str:
    return setting.variable or f"{prefix_of(plugin_id)}{setting.name.upper()}"


def check_setting(setting: Setting[Any], plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("setting", setting.name)
    variable = variable_of(setting, plugin.id)
    if not setting.help or not setting.help.isprintable():
        raise PluginFault(f"setting {variable}: its help must be one line of text")
    if not callable(setting.parse) or not (setting.check is None or callable(setting.check)):
        raise PluginFault(f"setting {variable}: parse and check must be functions")
    if setting.variable is not None and plugin.source != "builtin":
        raise PluginFault(f"setting {variable}: its name must be {prefix_of(plugin.id)}<NAME>")
    _check_unclaimed(variable, plugin, registry)
    for other in registry.plugins:
        if other.declared(Setting):
            _check_apart(variable, plugin, other)


def _check_unclaimed(variable: str, plugin: LoadedPlugin, registry: Registry) -> None:
    owners = [owner for owner, other in registry.owned(Setting) if variable_of(other, owner) == variable]
    if variable in KERNEL_SETTINGS:
        owners = ["the server"]
    if owners:
        raise PluginFault(
            f"the setting {variable} is declared by {plugin.id}, but {owners[0]} declares it already"
        )
    if [variable_of(own, plugin.id) for own in plugin.declared(Setting)].count(variable) > 1:
        raise PluginFault(f"the setting {variable} is declared twice")


def _check_apart(variable: str, plugin: LoadedPlugin, other: LoadedPlugin) -> None:
    """Refuses a variable that could be another plugin's: only one of `a` and `a-b` has `SERVICE_A_B_…`."""
    own, theirs = prefix_of(plugin.id), prefix_of(other.id)
    if theirs.startswith(own) and variable.startswith(theirs):
        raise PluginFault(
            f"the setting {variable} would pass for one of {other.id}, whose settings begin with {theirs}"
        )
    names = (variable_of(one, other.id) for one in other.declared(Setting))
    taken = next((name for name in names if name.startswith(own)), None)
    if own.startswith(theirs) and taken is not None:
        raise PluginFault(
            f"its settings begin with {own}, and so does {taken} of {other.id}: give {plugin.id} another id"
        )


def check_command(command: Command, plugin: LoadedPlugin, registry: Registry) -> None:
    if not _COMMAND_NAME.fullmatch(command.name):
        raise PluginFault(f"the command {command.name!r} must be small letters, digits and hyphens")
    if command.name in OWN_COMMANDS:
        raise PluginFault(f"the command {command.name} is the server's own: give it another name")
    if not command.help or not command.help.isprintable():
        raise PluginFault(f"command {command.name}: its help must be one line of text")
    given = {
        name: work for name in ("run", "opened", "standalone") if (work := getattr(command, name)) is not None
    }
    if len(given) != 1:
        raise PluginFault(f"command {command.name}: give it one of run, opened and standalone")
    ((name, work),) = given.items()
    if name == "opened" and not inspect.iscoroutinefunction(work):
        raise PluginFault(f"command {command.name}: opened must be async")
    if name != "opened" and inspect.iscoroutinefunction(work):
        raise PluginFault(f"command {command.name}: {name} must be a plain function; opened is async")
    if command.despite_faults and name != "run":
        raise PluginFault(f"command {command.name}: despite_faults is for a command with run")
    if command.arguments is not None and plugin.source != "builtin":  # those that ship are tested
        command.arguments(ArgumentParser(prog=command.name))
