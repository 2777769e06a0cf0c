"""Installing: plugins put in place by pip, with consent, and the way back to the version before."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from builtin_plugins.installing.approvals import Approvals
from builtin_plugins.installing.handlers import ROUTES
from builtin_plugins.installing.journal import has_journal, plugins_folder
from guildhall_sdk import Command, Host, Plugin, Route, Setting, hookimpl
from guildhall_sdk.settings import one_of, path

PLUGIN = Plugin(
    id="installing",
    name="Installing",
    version="0.1.0",
    description="Installs plugins, upgrades them and goes back, and compares two versions of one.",
)

KEYS: Setting[Path | None] = Setting(
    name="keys",
    variable="SERVICE_PLUGINS_KEYS",
    help="a file with the public keys of authors whose wheels may be installed, one in base64 a line",
    default=None,
    parse=path,
)
SIGNED = Setting(
    name="signed",
    variable="SERVICE_PLUGINS_SIGNED",
    help="`require`: no wheel is installed, or gone back to, without a signature by one of these keys",
    default="optional",
    parse=one_of("optional", "require"),
)

HOLD, ALLOW = "hold", "allow"
WIDENED = Setting(
    name="widened",
    variable="SERVICE_PLUGINS_WIDENED",
    help="what happens to rights that a newer version of a plugin adds, where nobody agreed to them at the "
    "machine: `hold` keeps them back until an operator approves them",
    default=HOLD,
    parse=one_of(HOLD, ALLOW),
)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (KEYS, SIGNED, WIDENED)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Approvals: Approvals}


def _later(place: str) -> Any:
    """Imports what a command needs when it is run: a server runs none of them."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"{__name__}.{module}"), name)


def _run(place: str) -> Callable[[argparse.Namespace, Any], int]:
    return lambda options, host: int(_later(place)(options, host))


def _arguments(place: str) -> Callable[[argparse.ArgumentParser], None]:
    def add(parser: argparse.ArgumentParser) -> None:
        _later(place)(parser)

    return add


@hookimpl
def declare_commands() -> Sequence[Command]:
    return (
        Command(
            name="plugin install",
            help="install a plugin, or a newer version of one",
            run=_run("install_commands:install"),
            arguments=_arguments("install_commands:install_arguments"),
            despite_faults=True,
        ),
        Command(
            name="plugin rollback",
            help="go back to the version before the last install",
            run=_run("install_commands:rollback"),
            arguments=_arguments("install_commands:rollback_arguments"),
            despite_faults=True,
        ),
        Command(
            name="plugin diff",
            help="what a newer version of a plugin adds and takes away",
            standalone=_run("diff_commands:diff"),
            arguments=_arguments("diff_commands:diff_arguments"),
        ),
        Command(
            name="plugin keygen",
            help="make a key to sign wheels with",
            standalone=_run("sign_commands:keygen"),
            arguments=_arguments("sign_commands:keygen_arguments"),
        ),
        Command(
            name="plugin sign",
            help="sign a wheel",
            standalone=_run("sign_commands:sign_wheel"),
            arguments=_arguments("sign_commands:sign_arguments"),
        ),
    )


def before_serve(environ: Mapping[str, str]) -> bool:
    """Puts one whole version of each plugin in place; tells whether another one is installed now."""
    folder = plugins_folder(Path(environ.get("SERVICE_DATA") or "data"))
    return has_journal(folder) and bool(_later("starts:settle")(folder, environ))


@hookimpl
async def on_start(host: Host) -> None:
    approvals = host.service(Approvals)
    if await approvals.begin(hold=host.setting(WIDENED) == HOLD):
        host.background("following approvals", approvals.follow)
    folder = plugins_folder(host.settings.data)
    if has_journal(folder):
        watch = _later("starts:StartWatch")(host, folder)
        host.background("finding whether what was installed is good", watch.run)
