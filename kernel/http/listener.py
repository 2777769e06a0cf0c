"""Hypercorn, set up the way this server wants it."""

import asyncio
import logging
import socket

import hypercorn.asyncio.tcp_server
import hypercorn.protocol
from hypercorn.asyncio import serve
from hypercorn.config import Config
from quart import Quart

from kernel.http.idling import begin_all, install
from kernel.http.protocol import PlainProtocol

GRACE_SECONDS = 3.0
_BACKLOG = 1024
# What asyncio takes from a socket in one go; Hypercorn would hand it on in four pieces.
_RECEIVED_AT_ONCE = 256 * 1024


class AddressTaken(Exception):
    """The address to listen on cannot be had, in one line."""


def bound_socket(address: str) -> socket.socket:
    """A listening socket; port 0 takes any free one."""
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), int(port)))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise AddressTaken(f"cannot listen on {address}: {error.strerror or error}") from None
    return listener


async def listen(app: Quart, listener: socket.socket, stopping: asyncio.Event) -> None:
    """Serves until `stopping` is set; requests under way are finished first."""
    hypercorn.protocol.H11Protocol = PlainProtocol  # type: ignore[attr-defined]  # no setting does it
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.include_server_header = False
    config.graceful_timeout = GRACE_SECONDS
    config.backlog = _BACKLOG
    config.h11_max_incomplete_size = 32 * 1024
    install()
    hypercorn.asyncio.tcp_server.MAX_RECV = _RECEIVED_AT_ONCE

    async def told_to_stop() -> None:
        await stopping.wait()
        begin_all()

    await serve(app, config, shutdown_trigger=told_to_stop)
