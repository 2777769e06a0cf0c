"""`guildhall serve`: boot, listen, and stop cleanly on a signal."""

import asyncio
import os
import sys
from contextlib import ExitStack, closing
from functools import partial
from socket import socket

from guildhall_sdk.services.tenancy import Directory
from kernel.boot import Server
from kernel.cli.command_hosts import InstanceHost
from kernel.config import Settings
from kernel.faults import CommandRefused
from kernel.listening import AddressTaken, StartingApp, bound_socket, connection_limits, listen
from kernel.logs import configure_logging, get_logger
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import installed
from kernel.plugins.engines import engine_of
from kernel.plugins.setting_values import SettingValues
from libs import own_process
from libs.listener import QUIET_SECONDS, Drain, raise_descriptor_limit
from libs.modules import entry_points_of, forget_entry_points
from libs.own_process.supervision import ProcessGroup, ProcessSupervisor, ServerProcess, Supervision

# Whenever the event loop has something to do while a thread computes, it waits so long: by default 5 ms.
_SWITCH_SECONDS = 0.0005
#: Entry points: functions that take the environment, and return whether what is installed was changed.
_BEFORE_SERVE = "guildhall.before_serve"

FIRST_STEPS = """\
Nobody is here yet. Open {base_url} in a browser: the first person sets this instance up, and operates it.
Or without a browser:

  curl -s {base_url}/api/bootstrap -d '{{"username": "ada", "password": "choose a long one"}}'
"""


def serve(workers: int, settings: Settings) -> int:
    configure_logging(settings.log_level, sys.stderr)
    _prepare()
    if workers > 1:
        return _supervise(settings, workers)
    own_process.run(_serve(settings, own_process.OnlyProcess(partial(bound_socket, settings.bind))))
    return 0


def _prepare() -> None:
    """Runs what is to be done before plugins are imported; a fault in it stops nothing."""
    for entry, distribution, _ in entry_points_of(_BEFORE_SERVE):
        try:
            if entry.load()(os.environ):
                forget_entry_points()
        except Exception as error:
            get_logger("boot").error("serve.not_prepared", distribution=distribution, exc=error)


def _supervise(settings: Settings, workers: int) -> int:
    if (reason := engine_of(settings).one_process_only) is not None:
        raise CommandRefused(f"--workers {workers} {reason}, or leave --workers out")
    supervision = Supervision(
        count=workers,
        listener=bound_socket(settings.bind),
        serve=lambda process: own_process.run(_serve(settings, process)),
        hang_seconds=settings.hang_seconds,
        stop_signals=own_process.stop_signals(),
    )
    # Those that ship are imported now; others may do more when they are imported than a fork can bear.
    shipped = [candidate for candidate in installed() if candidate.source == "builtin"]
    admission = Admission(shipped, settings.plugins_blocked)
    host = InstanceHost(admission, settings, SettingValues({}, {}))
    return host.service(ProcessSupervisor).supervise(supervision)


async def _serve(settings: Settings, process: ServerProcess) -> None:
    """Listens from the start, so that whoever asks meanwhile hears that it starts, or waits.

    One of several that is not the first listens when it has started: the others answer meanwhile.
    """
    os.umask(0o077)
    sys.setswitchinterval(_SWITCH_SECONDS)
    raise_descriptor_limit()
    server = Server(settings, services={} if process.group is None else {ProcessGroup: process.group})
    stopping, at_once = server.life.stopping, asyncio.Event()
    process.watch_for_stop(stopping, at_once)
    begin = partial(
        listen,
        stopping=stopping,
        limits=connection_limits(settings.trusted_proxies),
        drain=Drain(settings.drain_seconds, QUIET_SECONDS, at_once),
        secure=settings.secure,
        shared=process.group is not None,
    )
    front = StartingApp()
    listening = list[asyncio.Task[None]]()
    with ExitStack() as sockets:
        sockets.enter_context(closing(process.listener))
        if process.is_first:
            listening.append(asyncio.create_task(begin(front, process.listener)))
        started = False
        try:
            own = _own_sockets(server, sockets, process)
            started = await own_process.finished_before(server.start(), stopping)
            if started:
                own = {name: bound for name, bound in own.items() if name in server.own_listeners}
                for name, bound in own.items():
                    listening.append(asyncio.create_task(begin(server.own_listeners[name], bound)))
                front.serve(server.app)
                await _welcome(server, process)
                process.report_started(own)
                if not process.is_first:
                    listening.append(asyncio.create_task(begin(front, process.listener)))
                await asyncio.gather(_wind_down(server, at_once), *listening)
        finally:
            stopping.set()
            at_once.set()
            await asyncio.gather(*listening, return_exceptions=True)
            if started:
                await server.stop()
    if started and server.background_works.left:
        own_process.leave()


async def _welcome(server: Server, process: ServerProcess) -> None:
    settings = server.settings
    own_process.freeze_memory()
    if not process.is_first:
        return
    async with server.data.read() as reader:
        first_run = not await server.service(Directory).has_users(reader)
    print(f"Guildhall {settings.version} on {settings.base_url}  (docs: {settings.base_url}/api/docs)")
    if first_run:
        print(FIRST_STEPS.format(base_url=settings.base_url))
    sys.stdout.flush()


def _own_sockets(server: Server, sockets: ExitStack, process: ServerProcess) -> dict[str, socket]:
    """Returns the sockets of adapters by name: bound here, or by the first of several processes.

    That comes before the migrations: who cannot serve has changed nothing. An adapter whose default address
    is taken has its prefix, so that a second server on one machine need not be told another address.
    """
    found: dict[str, socket] = {}
    for name, (row, address) in server.listener_addresses().items():
        try:
            if process.is_first:
                found[name] = bound_socket(address, row.variable)
            elif name in process.sockets:
                found[name] = process.sockets[name]
        except AddressTaken as taken:
            if server.setting_values.given(row.setting):
                raise
            get_logger("boot").warning("listener.skipped", reason=str(taken))
    for own in found.values():
        sockets.enter_context(closing(own))
    return found


async def _wind_down(server: Server, at_once: asyncio.Event) -> None:
    """Stops claiming jobs once the server is to stop, and answers all who wait for one."""
    await server.life.stopping.wait()
    winding = asyncio.ensure_future(server.declared.scheduler.wind_down())
    try:
        if not await own_process.done_before(winding, at_once):
            await server.declared.scheduler.wind_down(0)
        await winding
    except Exception as error:
        # The listeners must still drain; what the jobs hold lapses by itself.
        get_logger("jobs").error("jobs.not_wound_down", exc=error)
