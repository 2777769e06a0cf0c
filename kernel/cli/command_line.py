"""A line of the command `guildhall`: which command it names, and what that one needs."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from guildhall_sdk.errors import OperatorError
from kernel import __version__
from kernel.config import OWN_COMMANDS, Settings


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; what goes wrong is one line on standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read it has read enough, such as `head`. What is still to be flushed goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OperatorError as error:
        print(f"guildhall: {error}", file=sys.stderr)
        return 2


def _run(words: Sequence[str]) -> int:
    """Imports what the command needs: one of ours its own module, and only a plugin's the plugins."""
    name = next(iter(words), "")
    if name and not name.startswith("-") and name not in OWN_COMMANDS:
        from kernel.cli.plugin_commands import run_command

        return run_command(name, words[1:])
    options = _parser(_needed(name)).parse_args(words)
    return int(options.run(options, Settings.from_environment(os.environ)))


def _needed(name: str) -> Sequence[str]:
    """Returns those of our own commands that a line with this first word needs; none for the version."""
    if name in OWN_COMMANDS:
        return [name]
    return () if name == "--version" else OWN_COMMANDS


class _Parser(argparse.ArgumentParser):
    def format_help(self) -> str:
        from kernel.cli.plugin_commands import reference

        return super().format_help() + "\ncommands of plugins:\n" + "\n".join(reference()) + "\n"


def _parser(names: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="guildhall", description="A team workspace server.")
    parser.add_argument("--version", action="version", version=f"guildhall {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command", parser_class=argparse.ArgumentParser)
    for name in names:
        import_module(f"kernel.cli.{name}").add_to(commands)
    return parser
