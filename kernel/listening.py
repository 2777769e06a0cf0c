"""How this server listens: with its own refusals, log, turns and limits."""

import asyncio
import socket
from collections.abc import Sequence

from quart import Quart

from guildhall_sdk.errors import OperatorError
from guildhall_sdk.routes import Asgi
from kernel.http.replies import Refusal
from kernel.logs import get_logger
from libs import listener as wire
from libs.addresses import Network, Proxies, address_key
from libs.fair_slots import CONNECTION_HOLDER, ConnectionHolder
from libs.listener import ConnectionLimits, Drain, Policy

_log = get_logger("http")
_BY_TLS_ALONE = (b"strict-transport-security", b"max-age=31536000")
# They tell a proxy how we are; they do not tell that it still sends us work.
_PROBES = (b"/ready", b"/health")


class AddressTaken(OperatorError):
    """The address to listen on cannot be had, in one line."""


def bound_socket(address: str, setting: str = "SERVICE_BIND") -> socket.socket:
    """Returns a listening socket; port 0 takes any free one. Where it cannot be had, the setting is named."""
    try:
        return wire.bound_socket(address)
    except wire.AddressTaken as taken:
        raise AddressTaken(f"{setting}: {taken}") from None


def connection_limits(trusted_proxies: Sequence[Network] = ()) -> ConnectionLimits:
    """Returns the counter of all connections of this process. Trusted proxies speak for many addresses."""
    return ConnectionLimits(
        key_of=address_key,
        exempt=Proxies(trusted_proxies).trusts,
        hint="if this is a proxy of yours, name it in SERVICE_TRUSTED_PROXIES",
        log=_log,
    )


def _policy(*, secure: bool) -> Policy:
    return Policy(
        log=_log,
        refuse_bytes=Refusal.of_bytes,
        refuse_connection=Refusal.of_connection,
        new_holder=lambda address: ConnectionHolder(f"@{address}"),
        holder_key=CONNECTION_HOLDER,
        headers=(_BY_TLS_ALONE,) if secure else (),
        probes=_PROBES,
    )


async def listen(
    app: Asgi | Quart,
    listener: socket.socket,
    stopping: asyncio.Event,
    *,
    limits: ConnectionLimits | None = None,
    drain: Drain | None = None,
    secure: bool = False,
    shared: bool = False,
) -> None:
    """Serves until `stopping` is set, and then what is under way; `drain` says how long.

    `secure` tells browsers, with every answer there is, to come by TLS alone. A `shared` listener is one that
    other processes accept from as well.
    """
    await wire.listen(
        app,
        listener,
        stopping,
        policy=_policy(secure=secure),
        limits=limits or connection_limits(),
        drain=drain,
        shared=shared,
    )
