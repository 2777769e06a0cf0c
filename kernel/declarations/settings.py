"""What settings and commands must be, and which variable a setting is read from."""

import re
from argparse import ArgumentParser
from inspect import iscoroutinefunction
from typing import Any

from guildhall_sdk import Command, Setting
from kernel.config import KERNEL_SETTINGS, OWN_COMMANDS, PREFIX
from kernel.faults import PluginFault, require
from kernel.registry import LoadedPlugin, Registry
from libs.names import identifier_fault

_COMMAND_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")


def prefix_of(plugin_id: str) -> str:
    """Returns the prefix of a plugin's variables: `SERVICE_BOOK_SHELF_` for `book-shelf`."""
    return f"{PREFIX}{plugin_id.upper().replace('-', '_')}_"


def variable_of(setting: Setting[Any], plugin_id: str) -> str:
    return setting.variable or f"{prefix_of(plugin_id)}{setting.name.upper()}"


def check_setting(setting: Setting[Any], plugin: LoadedPlugin, registry: Registry) -> None:
    if (fault := identifier_fault("setting", setting.name)) is not None:
        raise PluginFault(fault)
    variable, is_builtin = variable_of(setting, plugin.id), plugin.source == "builtin"
    are_functions = callable(setting.parse) and (setting.check is None or callable(setting.check))
    rules = {
        "its help must be one line of text": setting.help and setting.help.isprintable(),
        "parse and check must be functions": are_functions,
        f"its name must be {prefix_of(plugin.id)}<NAME>": setting.variable is None or is_builtin,
    }
    require(f"setting {variable}", rules)
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
    given = [name for name in ("run", "opened", "standalone") if getattr(command, name) is not None]
    name = next(iter(given), "run")
    is_async = iscoroutinefunction(getattr(command, name))
    rules = {
        "its help must be one line of text": command.help and command.help.isprintable(),
        "give it one of run, opened and standalone": len(given) == 1,
        "opened must be async": name != "opened" or is_async,
        f"{name} must be a plain function; opened is async": name == "opened" or not is_async,
        "despite_faults is for a command with run": name == "run" or not command.despite_faults,
    }
    require(f"command {command.name}", rules)
    if command.arguments is not None and plugin.source != "builtin":  # those that ship are tested
        command.arguments(ArgumentParser(prog=command.name))
