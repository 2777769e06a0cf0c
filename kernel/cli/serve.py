"""`guildhall serve`: boot, listen, and stop cleanly on a signal."""

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import sys
from typing import TYPE_CHECKING

from kernel.config import DEFAULT_S3_BIND, Settings

if TYPE_CHECKING:
    import socket

    from kernel.boot import Server

FIRST_STEPS = """\
Nobody is here yet. Create the first person, who operates this instance:

  curl -s {base_url}/api/bootstrap -d '{{"username": "ada", "password": "choose a long one"}}'
"""


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("serve", help="start the server")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    asyncio.run(_serve(settings))
    return 0


async def _serve(settings: Settings) -> None:
    from guildhall_sdk.services import Directory
    from kernel.boot import Server
    from kernel.http.listener import bound_socket, listen
    from kernel.logs import configure_logging

    configure_logging(settings.log_level, sys.stderr)
    os.umask(0o077)
    server = Server(settings)
    with contextlib.ExitStack() as sockets:
        listener = sockets.enter_context(contextlib.closing(bound_socket(settings.bind)))
        await server.start()
        others = [
            (sockets.enter_context(contextlib.closing(own)), app)
            for address, app in server.own_listeners.values()
            if (own := _own_socket(address)) is not None
        ]
        stopping = _stop_on_signals()
        _settle_memory()
        async with server.data.read() as reader:
            first_run = not await server.service(Directory).has_users(reader)
        print(f"Guildhall {settings.version} on {settings.base_url}  (docs: {settings.base_url}/api/docs)")
        if first_run:
            print(FIRST_STEPS.format(base_url=settings.base_url))
        sys.stdout.flush()
        try:
            async with asyncio.TaskGroup() as listening:
                listening.create_task(_wind_down(server, stopping))
                for other, app in others:
                    listening.create_task(listen(app, other, stopping))
                listening.create_task(listen(server.app, listener, stopping))
        finally:
            await server.stop()


def _own_socket(address: str) -> "socket.socket | None":
    """A second server on one machine need not be told where: what stands below a path too can do without."""
    from kernel.http.listener import AddressTaken, bound_socket
    from kernel.logs import get_logger

    try:
        return bound_socket(address)
    except AddressTaken as taken:
        if address != DEFAULT_S3_BIND:
            raise
        get_logger("boot").warning("listener.skipped", reason=str(taken))
        return None


async def _wind_down(server: "Server", stopping: asyncio.Event) -> None:
    """Whoever waits for a job is told that there is none, so that nothing holds up the stop."""
    await stopping.wait()
    await server.workforce.scheduler.wind_down()


def _settle_memory() -> None:
    """What the boot made stays: the collector need not look at it again with every few requests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def _stop_on_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    return stopping
