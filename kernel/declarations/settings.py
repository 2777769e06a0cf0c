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
from libs.names.owned import OwnedNames, claim_fault

_COMMAND_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}(?: [a-z][a-z0-9-]{0,63})?")


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
    server = OwnedNames("the server", None, [*KERNEL_SETTINGS])
    others = [server, *(_owned_by(one) for one in registry.plugins if one.declared(Setting))]
    if (fault := claim_fault("setting", variable, _owned_by(plugin), others)) is not None:
        raise PluginFault(fault)


def _owned_by(plugin: LoadedPlugin) -> OwnedNames:
    variables = [variable_of(setting, plugin.id) for setting in plugin.declared(Setting)]
    return OwnedNames(plugin.id, prefix_of(plugin.id), variables)


def check_command(command: Command, plugin: LoadedPlugin, registry: Registry) -> None:
    if not _COMMAND_NAME.fullmatch(command.name):
        raise PluginFault(f"the command {command.name!r} must be small letters, digits and hyphens")
    if command.name in OWN_COMMANDS and plugin.source != "builtin":
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
