"""A line of the command `guildhall`: `serve`, or one that a plugin declares.

Plugins are imported for theirs and for `--help`, never for `serve`.
"""

import argparse
import asyncio
import gc
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from guildhall_sdk import Command, Problem, Setting
from guildhall_sdk.errors import OperatorError
from kernel import __version__
from kernel.config import KERNEL_SETTINGS, OWN_COMMANDS, Settings
from kernel.faults import CommandRefused, PluginFault
from libs.command_line import Parser, entry, exit_code_of, number_of, show_group, split_name, unknown
from libs.secret_values import as_text

if TYPE_CHECKING:
    from kernel.plugins.admission import Admission
    from kernel.registry import LoadedPlugin, Registry

#: What says which plugins there are; the rest of a server's settings need not be right, nor be here.
_OF_PLUGINS = ("SERVICE_PLUGINS", "SERVICE_PLUGINS_BLOCKED", "SERVICE_BLOB_STORE")
_MAX_WORKERS = 64
_NOTHING: tuple[Any, ...] = (None, "", (), {}, frozenset())


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; what goes wrong is one line on standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return exit_code_of(partial(_run, words), "guildhall", OperatorError)


def _run(words: Sequence[str]) -> int:
    """Imports what the command needs: `serve` the server, and only a plugin's command the plugins."""
    name = next(iter(words), "")
    if name and not name.startswith("-") and name != "serve":
        return _run_command(words)
    workers = _parser().parse_args(words).workers
    settings = Settings.from_environment(os.environ)
    gc.disable()  # nearly all that a boot makes stays: to look for what does not takes a tenth of it
    from kernel.cli.serve import serve

    return serve(workers, settings)


def _parser() -> Parser:
    parser = Parser(prog="guildhall", description="A team workspace server.")
    parser.more_help = _reference
    parser.add_argument("--version", action="version", version=f"guildhall {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    serve = {name: commands.add_parser(name, help=line) for name, line in OWN_COMMANDS.items()}["serve"]
    serve.description = (
        "Starts the server with the settings below, brings the database to this version, and serves until "
        "SIGTERM or Ctrl-C."
    )
    serve.more_help = _settings_reference
    serve.add_argument(
        "--workers",
        type=number_of("processes", 1, _MAX_WORKERS),
        default=1,
        metavar="N",
        help="run N server processes that share the sockets and a PostgreSQL; one that dies is replaced",
    )
    return parser


def _reference() -> Iterator[str]:
    """Yields a line for each command, and one for each plugin that may have some and is out."""
    yield "commands of plugins:"
    yield from _lines_of_plugins(
        _plugin_settings,
        lambda registry: (
            f"  {command.name:19} {command.help} [{owner}]"
            for owner, command in registry.owned(Command)
            if command.name not in OWN_COMMANDS
        ),
    )


def _settings_reference() -> Iterator[str]:
    """Yields a line or two for each setting, with its default and the plugin that owns it."""
    from kernel.plugins.setting_values import owned_settings

    yield "settings, as environment variables:"
    for variable, setting in KERNEL_SETTINGS.items():
        yield from _entry(variable, "kernel", setting)
    yield from _lines_of_plugins(
        partial(Settings.from_environment, os.environ),
        lambda registry: (
            line for row in owned_settings(registry) for line in _entry(row.variable, row.owner, row.setting)
        ),
    )


def _entry(variable: str, owner: str, setting: Setting[Any]) -> Iterator[str]:
    default = "" if setting.default in _NOTHING else f" (default: {as_text(setting.default)})"
    default += f" (or {variable}_FILE: a file that holds it)" if setting.secret else ""
    return entry(f"{variable}  [{owner}]", setting.help + default)


def _lines_of_plugins(
    settings: Callable[[], Settings], lines_of: "Callable[[Registry], Iterable[str]]"
) -> Iterator[str]:
    """Yields the lines of the plugins that are let in, and one for each that is out."""
    from kernel.plugins.admission import admit

    try:
        registry = admit(settings()).registry
    except OperatorError as refusal:
        yield f"  (those of plugins cannot be told: {refusal})"
        return
    yield from lines_of(registry)
    for status in registry.refused:
        yield f"  (those of {status.id} cannot be told: it is {status.status})"


def _run_command(words: Sequence[str]) -> int:
    """Runs the plugin's command that the words name; raises `CommandRefused` where there is none."""
    from kernel.plugins.admission import admit

    admission = admit(_plugin_settings(), strict=False)
    plugin, command, words = _find(words, admission)
    parser = Parser(prog=f"guildhall {command.name}", description=command.help)
    try:
        if command.arguments is not None:
            command.arguments(parser)
        code = _run_declared(command, parser.parse_args(words), plugin, admission)
        if not isinstance(code, int | None):
            raise PluginFault(f"its exit code must be a whole number, not {code!r}")
        return code or 0
    except (OperatorError, BrokenPipeError):
        raise
    except Problem as refusal:
        raise CommandRefused(refusal.detail) from None
    except Exception as error:
        _report_failure(error, command.name, plugin.id)
        return 1


def _plugin_settings() -> Settings:
    return Settings.from_environment({name: os.environ[name] for name in _OF_PLUGINS if name in os.environ})


def _find(words: Sequence[str], admission: "Admission") -> "tuple[LoadedPlugin, Command, Sequence[str]]":
    """Returns the command that the words begin with, whose it is, and the words behind its name."""
    found = {
        command.name: (plugin, command)
        for plugin in admission.registry.plugins
        for command in plugin.declared(Command)
    }
    name, rest = split_name(words, found)
    if name in found:
        if not found[name][1].despite_faults:
            admission.checked()
        return *found[name], rest
    show_group("guildhall", words, {one: command.help for one, (_, command) in found.items()}, OWN_COMMANDS)
    admission.checked()
    for status in admission.registry.refused:
        print(f"guildhall: the plugin {status.id} is {status.status}: {status.reason}", file=sys.stderr)
    raise CommandRefused(unknown(name, ["serve", *found]))


def _run_declared(
    command: Command, options: argparse.Namespace, plugin: "LoadedPlugin", admission: "Admission"
) -> int | None:
    from kernel.cli.command_hosts import InstanceHost, MachineHost, opened_host
    from kernel.plugins.setting_values import SettingValues, read_settings

    if command.standalone is not None:
        return command.standalone(options, MachineHost(admission.registry))
    settings = Settings.from_environment(os.environ)
    read = not command.despite_faults
    values = read_settings(admission.registry, settings.others) if read else SettingValues({}, {})
    host = InstanceHost(admission, settings, values)
    if command.run is not None:
        return command.run(options, host)
    assert command.opened is not None
    work = command.opened

    async def run_opened() -> int | None:
        async with opened_host(host, plugin) as opened:
            return await work(options, opened)

    return asyncio.run(run_opened())


def _report_failure(error: Exception, name: str, plugin_id: str) -> None:
    """Prints a traceback for the author of the plugin, and one line for the operator."""
    from kernel.plugins.reasons import reason_of
    from libs.redaction import redact

    traceback.print_exception(error)
    reason = redact(reason_of(error))
    print(f"guildhall: the command {name} of the plugin {plugin_id} failed: {reason}", file=sys.stderr)
