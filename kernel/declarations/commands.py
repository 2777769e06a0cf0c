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
    if command.arguments is not None:
        command.arguments(ArgumentParser(prog=command.name))
