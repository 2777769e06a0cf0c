"""Listening on an address, from the first connection to the last."""

import asyncio
import socket

from quart import Quart

from guildhall_sdk import OperatorError
from guildhall_sdk.mounts import Asgi
from kernel.http.accepting import Acceptor
from kernel.http.draining import Drain
from kernel.http.limits import ConnectionLimits
from kernel.http.serving import Serving

_BACKLOG = 1024


class AddressTaken(OperatorError):
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


async def listen(
    app: Asgi | Quart,
    listener: socket.socket,
    stopping: asyncio.Event,
    *,
    limits: ConnectionLimits | None = None,
    drain: Drain | None = None,
    secure: bool = False,
) -> None:
    """Serves until `stopping` is set, and then what is under way; `drain` says how long."""
    serving = Serving(app, stopping, secure=secure)
    acceptor = Acceptor(listener, serving, limits or ConnectionLimits())
    try:
        await stopping.wait()
        await (drain or Drain()).run(acceptor, serving)
    finally:
        await acceptor.close()
