"""How this server listens: with its own refusals, log, turns and limits."""

import asyncio
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from quart import Quart

from guildhall_sdk import InvalidRequest, Problem, TooLarge, Unavailable
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.ids import new_id
from guildhall_sdk.routes import Asgi, Receive, Send
from guildhall_sdk.services.server import NOT_READY, STARTING
from kernel.http.rows import header_lines, problem_reply
from kernel.logs import get_logger
from libs import listener as wire
from libs.addresses import Network, Proxies, address_key
from libs.asgi import Deferred
from libs.fair_slots import CONNECTION_HOLDER, ConnectionHolder
from libs.listener import ConnectionLimits, Drain, Policy
from libs.strict_json import encode_json

_log = get_logger("http")
_BY_TLS_ALONE = (b"strict-transport-security", b"max-age=31536000")
# They tell a proxy how we are; they do not tell that it still sends us work.
_PROBES = (b"/ready", b"/health")
_RETRY_SECONDS = 5


class AddressTaken(OperatorError):
    """The address to listen on cannot be had, in one line."""


class HeadTooLarge(TooLarge, status=431, title="The head of the request is too large"):
    """The lines before the body are more than are read."""


class UnknownCoding(InvalidRequest, status=501, title="The transfer coding is not known here"):
    """The body comes in a coding that is not read."""


_NO_REQUEST = InvalidRequest("What came is not a request as HTTP/1.1 writes it.")
_OTHER_FAULTS: Mapping[int, Problem] = {
    431: HeadTooLarge("The head of a request takes at most 32 KiB."),
    501: UnknownCoding("Of the transfer codings, chunked alone is known here."),
}


class Refusal(NamedTuple):
    """The answer to what never reaches an application: no request at all, or one connection too many."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @classmethod
    def of_bytes(cls, status: int) -> "Refusal":
        """Returns the refusal of what is not HTTP/1.1 as we take it."""
        return cls.of(_OTHER_FAULTS.get(status, _NO_REQUEST))

    @classmethod
    def of_connection(cls) -> "Refusal":
        """Returns the refusal of a connection more than there may be at once."""
        detail = "Too many connections are open at once; close some, or try again shortly."
        return cls.of(Unavailable(detail, headers={"Retry-After": str(_RETRY_SECONDS)}))

    @classmethod
    def of(cls, problem: Problem) -> "Refusal":
        request_id = new_id("req", time.time_ns() // 1_000_000)
        reply = problem_reply(problem, request_id)
        content = encode_json(reply.body)
        return cls(reply.status, tuple(header_lines(reply, content, request_id, private=False)), content)


class StartingApp(Deferred):
    """Stands in for the application until `serve` gives it: `/ready` says so, everybody else waits."""

    def __init__(self) -> None:
        super().__init__("/ready", _say_starting)


async def _say_starting(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    refusal = Refusal.of(Unavailable(STARTING.detail, code=NOT_READY, reason=STARTING.reason))
    await send({"type": "http.response.start", "status": refusal.status, "headers": refusal.headers})
    content = b"" if scope["method"] == "HEAD" else refusal.body
    await send({"type": "http.response.body", "body": content, "more_body": False})


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
