"""`guildhall serve`: boot, listen, and stop cleanly on a signal."""

import argparse
import asyncio
import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from guildhall_sdk import Setting
from guildhall_sdk.errors import OperatorError
from kernel.config import KERNEL_SETTINGS, Settings
from libs import own_process
from libs.command_line import Parser, entry, number_of
from libs.secret_values import as_text

if TYPE_CHECKING:
    import socket

    from guildhall_sdk.services.server import ProcessSupervisor, ServerProcess
    from kernel.boot import Server
    from kernel.plugins.setting_values import OwnedSetting

# Whenever the event loop has something to do while a thread computes, it waits so long: by default 5 ms.
_SWITCH_SECONDS = 0.0005
_MAX_WORKERS = 64
_NOTHING: tuple[Any, ...] = (None, "", (), {}, frozenset())

FIRST_STEPS = """\
Nobody is here yet. Open {base_url} in a browser: the first person sets this instance up, and operates it.
Or without a browser:

  curl -s {base_url}/api/bootstrap -d '{{"username": "ada", "password": "choose a long one"}}'
"""


def add_to(parser: Parser) -> None:
    parser.description = (
        "Starts the server with the settings below, brings the database to this version, and serves until "
        "SIGTERM or Ctrl-C."
    )
    parser.add_argument(
        "--workers",
        type=number_of("processes", 1, _MAX_WORKERS),
        default=1,
        metavar="N",
        help="run N server processes that share the sockets and a PostgreSQL; one that dies is replaced",
    )
    parser.set_defaults(run=run)
    parser.more_help = _reference


def _reference() -> Iterator[str]:
    """Yields a line or two for each setting, with its default and the plugin that owns it."""
    from kernel.cli.command_line import told_of_plugins
    from kernel.plugins.setting_values import owned_settings

    yield "settings, as environment variables:"
    for variable, setting in KERNEL_SETTINGS.items():
        yield from _entry(variable, "kernel", setting)
    yield from told_of_plugins(
        partial(Settings.from_environment, os.environ),
        lambda registry: (
            line for row in owned_settings(registry) for line in _entry(row.variable, row.owner, row.setting)
        ),
    )


def _entry(variable: str, owner: str, setting: Setting[Any]) -> Iterator[str]:
    default = "" if setting.default in _NOTHING else f" (default: {as_text(setting.default)})"
    default += f" (or {variable}_FILE: a file that holds it)" if setting.secret else ""
    return entry(f"{variable}  [{owner}]", setting.help + default)


class OneProcessOnly(OperatorError):
    """The database cannot be shared by several server processes, in one line."""


def run(options: argparse.Namespace, settings: Settings) -> int:
    gc.disable()  # nearly all that a boot makes stays: to look for what does not takes a tenth of it
    if options.workers > 1:
        return _supervise(settings, options.workers)
    own_process.run(_serve(settings))
    return 0


def _supervise(settings: Settings, workers: int) -> int:
    from kernel.plugins.engines import engine_of

    if (reason := engine_of(settings).one_process_only) is not None:
        raise OneProcessOnly(f"--workers {workers} {reason}, or leave --workers out")
    import kernel.boot  # noqa: F401 - once, before the processes are forked
    from guildhall_sdk.services.server import Supervision
    from kernel.listening import bound_socket
    from kernel.logs import configure_logging

    configure_logging(settings.log_level, sys.stderr)
    supervision = Supervision(
        count=workers,
        listener=bound_socket(settings.bind),
        serve=partial(_serve_supervised, settings),
        hang_seconds=settings.hang_seconds,
        stop_signals=own_process.stop_signals(),
    )
    return _supervisor(settings).supervise(supervision)


def _supervisor(settings: Settings) -> "ProcessSupervisor":
    """Returns the supervisor that a plugin which ships brings, once all of those are imported.

    Those of others may do more when they are imported than a fork can bear.
    """
    from guildhall_sdk.services.server import ProcessSupervisor
    from kernel.cli.command_hosts import InstanceHost
    from kernel.plugins.admission import Admission
    from kernel.plugins.discovery import installed
    from kernel.plugins.setting_values import SettingValues

    shipped = Admission()
    candidates = [candidate for candidate in installed() if candidate.source == "builtin"]
    shipped.admit_all(candidates, settings.plugins_blocked)
    return InstanceHost(shipped, settings, SettingValues({}, {})).service(ProcessSupervisor)


def _serve_supervised(settings: Settings, supervised: "ServerProcess") -> None:
    own_process.run(_serve(settings, supervised))


async def _serve(settings: Settings, supervised: "ServerProcess | None" = None) -> None:
    """Listens from the start, so that whoever asks meanwhile hears that it starts, or waits.

    One of several that is not the first listens when it has started: the others answer meanwhile.
    """
    from guildhall_sdk.services.server import ProcessGroup
    from kernel.boot import Server
    from kernel.http.app import StartingApp
    from kernel.listening import bound_socket, connection_limits, listen
    from kernel.logs import configure_logging
    from libs.listener import QUIET_SECONDS, Drain, raise_descriptor_limit

    configure_logging(settings.log_level, sys.stderr)
    os.umask(0o077)
    sys.setswitchinterval(_SWITCH_SECONDS)
    raise_descriptor_limit()
    server = Server(settings, services={} if supervised is None else {ProcessGroup: supervised.group})
    stopping, at_once = server.life.stopping, asyncio.Event()
    if supervised is None:
        own_process.stop_on_signals(stopping, at_once)
    else:
        supervised.stop_when_told(stopping, at_once)
    begin = partial(
        listen,
        stopping=stopping,
        limits=connection_limits(settings.trusted_proxies),
        drain=Drain(settings.drain_seconds, QUIET_SECONDS, at_once),
        secure=settings.secure,
        shared=supervised is not None,
    )
    front = StartingApp()
    listening = list[asyncio.Task[None]]()
    with contextlib.ExitStack() as sockets:
        listener = bound_socket(settings.bind) if supervised is None else supervised.listener
        sockets.enter_context(contextlib.closing(listener))
        if supervised is None or supervised.is_first:
            listening.append(asyncio.create_task(begin(front, listener)))
        started = False
        try:
            own = _own_sockets(server, sockets, supervised)
            started = await _start(server)
            if started:
                own = {name: bound for name, bound in own.items() if name in server.own_listeners}
                for name, bound in own.items():
                    _, app = server.own_listeners[name]
                    listening.append(asyncio.create_task(begin(app, bound)))
                front.serve(server.app)
                await _welcome(server, supervised)
                if supervised is not None:
                    supervised.tell_started(own)
                    if not supervised.is_first:
                        listening.append(asyncio.create_task(begin(front, listener)))
                await asyncio.gather(_wind_down(server, at_once), *listening)
        finally:
            stopping.set()
            at_once.set()
            await asyncio.gather(*listening, return_exceptions=True)
            if started:
                await server.stop()
    if started and server.background_works.left:
        own_process.leave()


async def _start(server: "Server") -> bool:
    """Starts the server; returns False where a signal came meanwhile."""
    starting = asyncio.ensure_future(server.start())
    if await own_process.done_before(starting, server.life.stopping):
        await starting
        return True
    starting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await starting
    return False


async def _welcome(server: "Server", supervised: "ServerProcess | None") -> None:
    from guildhall_sdk.services.tenancy import Directory

    settings = server.settings
    own_process.settle_memory()
    if supervised is not None and not supervised.is_first:
        return
    async with server.data.read() as reader:
        first_run = not await server.service(Directory).has_users(reader)
    print(f"Guildhall {settings.version} on {settings.base_url}  (docs: {settings.base_url}/api/docs)")
    if first_run:
        print(FIRST_STEPS.format(base_url=settings.base_url))
    sys.stdout.flush()


def _own_sockets(
    server: "Server", sockets: contextlib.ExitStack, supervised: "ServerProcess | None"
) -> "dict[str, socket.socket]":
    """Returns the sockets of adapters by name: bound here, or by the first of several processes.

    That comes before the migrations: who cannot serve has changed nothing.
    """
    if supervised is not None and not supervised.is_first:
        found = {name: own for name, own in supervised.sockets.items() if name in server.listener_settings()}
    else:
        found = {
            name: own
            for name, (row, address) in server.listener_settings().items()
            if (own := _own_socket(address, row, optional=not server.setting_values.given(row.setting)))
            is not None
        }
    for own in found.values():
        sockets.enter_context(contextlib.closing(own))
    return found


def _own_socket(address: str, row: "OwnedSetting", *, optional: bool) -> "socket.socket | None":
    """Binds the socket of an adapter; returns None where its default address is taken and its prefix will do.

    So a second server on one machine need not be told another address.
    """
    from kernel.listening import AddressTaken, bound_socket
    from kernel.logs import get_logger

    try:
        return bound_socket(address, row.variable)
    except AddressTaken as taken:
        if not optional:
            raise
        get_logger("boot").warning("listener.skipped", reason=str(taken))
        return None


async def _wind_down(server: "Server", at_once: asyncio.Event) -> None:
    """Stops claiming jobs once the server is to stop, and answers all who wait for one."""
    from kernel.logs import get_logger

    await server.life.stopping.wait()
    scheduler = server.declared.scheduler
    winding = asyncio.ensure_future(scheduler.wind_down())
    try:
        if not await own_process.done_before(winding, at_once):
            await scheduler.wind_down(0)
        await winding
    except Exception as error:
        # The listeners must still drain; what the jobs hold lapses by itself.
        get_logger("jobs").error("jobs.not_wound_down", exc=error)
