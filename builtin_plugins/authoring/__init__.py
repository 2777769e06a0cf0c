"""Authoring: `guildhall plugin new` and what else the authors of plugins have in a terminal."""

import argparse
from collections.abc import Sequence

from guildhall_sdk import Command, Plugin, hookimpl
from guildhall_sdk.commands import StandaloneHost

PLUGIN = Plugin(
    id="authoring",
    name="Authoring",
    version="0.1.0",
    description="Writes new plugins, and brings them to the scaffold of a newer version.",
)


def _new_arguments(parser: argparse.ArgumentParser) -> None:
    # A server writes no plugins: what does is imported with the command.
    from builtin_plugins.authoring.new_commands import new_arguments

    new_arguments(parser)


def _new(options: argparse.Namespace, host: StandaloneHost) -> int:
    from builtin_plugins.authoring.new_commands import new

    return new(options, host)


def _update_arguments(parser: argparse.ArgumentParser) -> None:
    from builtin_plugins.authoring.update_commands import update_arguments

    update_arguments(parser)


def _update(options: argparse.Namespace, host: StandaloneHost) -> int:
    from builtin_plugins.authoring.update_commands import update

    return update(options, host)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return (
        Command(
            name="plugin new",
            help="write a plugin of your own, with its tests",
            standalone=_new,
            arguments=_new_arguments,
        ),
        Command(
            name="plugin update",
            help="bring your plugin to the scaffold of this version",
            standalone=_update,
            arguments=_update_arguments,
        ),
    )
