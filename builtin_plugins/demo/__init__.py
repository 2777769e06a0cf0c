"""`guildhall demo`: a hall with people, files, notes, runs and sign-ups in it, to look around in.

It is a client like any other: what it makes, it makes over the API of a server that it starts.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from guildhall_sdk import Command, Plugin, hookimpl
from guildhall_sdk.commands import StandaloneHost

PLUGIN = Plugin(
    id="demo",
    name="Demonstration",
    version="0.1.0",
    description="A hall to look around in, with two companies and what they work on.",
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Starts a server in a folder of its own, fills it over its API with two companies, six people "
        "and what they work on, says who can sign in, and serves until Ctrl-C. Nothing else is touched."
    )
    parser.add_argument("--port", type=int, default=8080, help="8080; another one where that is taken")
    parser.add_argument("--keep", action="store_true", help="leave the temporary folder there, and say where")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="a folder to keep it in; one with a demo is served again"
    )


@hookimpl
def declare_commands() -> Sequence[Command]:
    return (
        Command(
            name="demo",
            help="a hall to look around in: companies, people, files, runs",
            standalone=_demo,
            arguments=_arguments,
        ),
        Command(
            name="dev",
            help="serve a plugin from its source, in a hall with people",
            standalone=_dev,
            arguments=_dev_arguments,
        ),
    )


def _demo(options: argparse.Namespace, host: StandaloneHost) -> int:
    # A server runs no demo: what makes one is imported with the command.
    from builtin_plugins.demo.commands import demo

    return demo(options, host)


def _dev_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serves plugins from their sources, in a hall with two companies and six people that is thrown away. "
        "A saved file starts the server again; what keeps a plugin out stands in the terminal and at the "
        "address of the hall."
    )
    parser.add_argument(
        "path", nargs="+", type=Path, help="a project with a pyproject.toml, or a folder with a plugin.json"
    )
    parser.add_argument("--port", type=int, default=8080, help="8080; another one where that is taken")
    parser.add_argument("--no-browser", action="store_true", help="do not open the hall in a browser")


def _dev(options: argparse.Namespace, host: StandaloneHost) -> int:
    from builtin_plugins.demo.dev_commands import dev

    return dev(options, host)
