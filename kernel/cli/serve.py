"""`guildhall serve`: boot, listen, and stop cleanly on a signal."""

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from kernel.config import Settings

if TYPE_CHECKING:
    import socket

    from quart import Quart

    from kernel.boot import Server

# Whenever the event loop has something to do while a thread computes, it waits so long: by default 5 ms.
_SWITCH_SECONDS = 0.0005

FIRST_STEPS = """\
Nobody is here yet. Open {base_url} in a browser: the first person sets this instance up, and operates it.
Or without a browser:

  curl -s {base_url}/api/bootstrap -d '{{"username": "ada", "password": "choose a long one"}}'
"""


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("serve", help="start the server")
    parser.set_defaults(run=run, judges_settings=True)
    parser.format_help = partial(_help, parser.format_help)  # type: ignore[method-assign]


def _help(usage: Callable[[], str]) -> str:
    """Returns the help with the settings of plugins, which are imported for it."""
    from kernel.cli.settings import reference

    return usage() + "\n" + "\n".join(reference(os.environ)) + "\n"


def run(options: argparse.Namespace, settings: Settings) -> int:
    gc.disable()  # nearly all that a boot makes stays: to look for what does not takes a tenth of it
    asyncio.run(_serve(settings))
    return 0


async def _serve(settings: Settings) -> None:
    """Listens from the start, so that whoever asks meanwhile hears that it starts, or waits."""
    from kernel.boot import Server
    from kernel.http.app import StartingApp
    from kernel.http.listener import (
        QUIET_SECONDS,
        ConnectionLimits,
        Drain,
        bound_socket,
        listen,
        raise_descriptor_limit,
    )
    from kernel.logs import configure_logging

    configure_logging(settings.log_level, sys.stderr)
    os.umask(0o077)
    sys.setswitchinterval(_SWITCH_SECONDS)
    raise_descriptor_limit()
    server = Server(settings)
    stopping, at_once = server.readiness.stopping, asyncio.Event()
    _stop_on_signals(stopping, at_once)
    limits = ConnectionLimits(settings.trusted_proxies)
    drain = Drain(settings.drain_seconds, QUIET_SECONDS, at_once)
    front = StartingApp()
    with contextlib.ExitStack() as sockets:
        listener = sockets.enter_context(contextlib.closing(bound_socket(settings.bind)))
        listening = [
            asyncio.create_task(
                listen(front, listener, stopping, limits=limits, drain=drain, secure=settings.secure)
            )
        ]
        started = False
        try:
            started = await _start(server)
            if started:
                for own, app in _own_sockets(server, sockets):
                    serving = listen(app, own, stopping, limits=limits, drain=drain, secure=settings.secure)
                    listening.append(asyncio.create_task(serving))
                front.serve(server.app)
                await _welcome(server)
                await asyncio.gather(_wind_down(server, at_once), *listening)
        finally:
            stopping.set()
            at_once.set()
            await asyncio.gather(*listening, return_exceptions=True)
            if started:
                await server.stop()
    if started and server.background_works.left:
        _leave()


async def _start(server: "Server") -> bool:
    """Starts the server; returns False where a signal came meanwhile."""
    starting = asyncio.ensure_future(server.start())
    stopped = asyncio.ensure_future(server.readiness.until_stopping())
    await asyncio.wait({starting, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not starting.done():
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await starting
        return False
    await starting
    return True


async def _welcome(server: "Server") -> None:
    from guildhall_sdk.services import Directory

    settings = server.settings
    _settle_memory()
    async with server.data.read() as reader:
        first_run = not await server.service(Directory).has_users(reader)
    print(f"Guildhall {settings.version} on {settings.base_url}  (docs: {settings.base_url}/api/docs)")
    if first_run:
        print(FIRST_STEPS.format(base_url=settings.base_url))
    sys.stdout.flush()


def _own_sockets(server: "Server", sockets: contextlib.ExitStack) -> "list[tuple[socket.socket, Quart]]":
    return [
        (sockets.enter_context(contextlib.closing(own)), app)
        for name, (address, app) in server.own_listeners.items()
        if (own := _own_socket(address, optional=name not in server.chosen_listeners)) is not None
    ]


def _own_socket(address: str, *, optional: bool) -> "socket.socket | None":
    """Binds the socket of a mount; returns None where its default address is taken and its prefix will do.

    So a second server on one machine need not be told another address.
    """
    from kernel.http.listener import AddressTaken, bound_socket
    from kernel.logs import get_logger

    try:
        return bound_socket(address)
    except AddressTaken as taken:
        if not optional:
            raise
        get_logger("boot").warning("listener.skipped", reason=str(taken))
        return None


async def _wind_down(server: "Server", at_once: asyncio.Event) -> None:
    """Stops claiming jobs once the server is to stop, and answers all who wait for one."""
    from kernel.logs import get_logger

    await server.readiness.until_stopping()
    scheduler = server.declared.scheduler
    winding = asyncio.ensure_future(scheduler.wind_down())
    hurry = asyncio.ensure_future(at_once.wait())
    try:
        await asyncio.wait({winding, hurry}, return_when=asyncio.FIRST_COMPLETED)
        if not winding.done():
            await scheduler.wind_down(0)
        await winding
    except Exception as error:
        # The listeners must still drain; what the jobs hold lapses by itself.
        get_logger("jobs").error("jobs.not_wound_down", exc=error)
    finally:
        hurry.cancel()


def _leave() -> None:
    """Ends the process when all is closed; the event loop would wait for work that does not end."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _settle_memory() -> None:
    """Takes what the boot made out of the garbage collector's sight, as it stays anyway.

    What does not is some hundred kilobytes: to look for it takes a twentieth of the boot.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def _stop_on_signals(stopping: asyncio.Event, at_once: asyncio.Event) -> None:
    """Stops at the first signal when what is under way has finished, and at the second at once."""

    def stop() -> None:
        if stopping.is_set():
            at_once.set()
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
