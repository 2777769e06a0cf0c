"""What a command must be for `guildhall` to run it."""

import inspect
import re
from argparse import ArgumentParser

from guildhall_sdk import Command
from kernel.commands import OWN_COMMANDS
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")


def check_command(command: Command, plugin: LoadedPlugin, registry: Registry) -> None:
    if not _NAME.fullmatch(command.name):
        raise PluginFault(f"the command {command.name!r} must be small letters, digits and hyphens")
    if command.name in OWN_COMMANDS:
        raise PluginFault(f"the command {command.name} is the server's own: give it another name")
    if not command.help or not command.help.isprintable():
        raise PluginFault(f"command {command.name}: its help must be one line of text")
    if (command.run is None) == (command.opened is None):
        raise PluginFault(f"command {command.name}: give it either run or opened")
    if command.run is not None and inspect.iscoroutinefunction(command.run):
        raise PluginFault(f"command {command.name}: run must be a plain function; opened is async")
    if command.opened is not None and not inspect.iscoroutinefunction(command.opened):
        raise PluginFault(f"command {command.name}: opened must be async")
    if command.arguments is not None:
        command.arguments(ArgumentParser(prog=command.name))
