"""What a listener asks of the server that owns it; the defaults will do for an application alone."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Headers = Sequence[tuple[bytes, bytes]]


class Refusal(Protocol):
    """The answer to what never reaches an application: no request at all, or one connection too many."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Headers: ...
    @property
    def body(self) -> bytes: ...


class Holder(Protocol):
    """Whoever a connection reads for: it may have to wait for its turn before what came is looked at."""

    async def take_turn(self) -> None: ...


class Log(Protocol):
    """A log whose lines are an action and its fields."""

    def info(self, action: str, /, **fields: Any) -> None: ...
    def warning(self, action: str, /, **fields: Any) -> None: ...
    def error(self, action: str, /, *, exc: BaseException | None = None, **fields: Any) -> None: ...


class PlainLog:
    """Writes to `logging` what happens to connections."""

    def __init__(self, name: str = "libs.listener") -> None:
        self._logger = logging.getLogger(name)

    def info(self, action: str, /, **fields: Any) -> None:
        self._logger.info("%s %s", action, fields)

    def warning(self, action: str, /, **fields: Any) -> None:
        self._logger.warning("%s %s", action, fields)

    def error(self, action: str, /, *, exc: BaseException | None = None, **fields: Any) -> None:
        self._logger.error("%s %s", action, fields, exc_info=exc)


class PlainRefusal(NamedTuple):
    """A refusal in plain text."""

    status: int
    text: str

    @property
    def body(self) -> bytes:
        return self.text.encode()

    @property
    def headers(self) -> Headers:
        length = str(len(self.body)).encode()
        return [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", length)]


def _no_request(status: int) -> Refusal:
    return PlainRefusal(status, "What came is not a request as HTTP/1.1 writes it.")


def _too_many() -> Refusal:
    return PlainRefusal(503, "Too many connections are open at once; close some, or try again shortly.")


class _NoTurns:
    async def take_turn(self) -> None:
        return


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Policy:
    """How a listener speaks for its server.

    `new_holder(address)` makes the holder of a connection; requests find it in `scope["state"]` under
    `holder_key`. `headers` go out with every answer there is. `probes` are the targets that ask how the
    server is: they do not tell that somebody still sends it work.
    """

    log: Log = field(default_factory=PlainLog)
    refuse_bytes: Callable[[int], Refusal] = _no_request
    refuse_connection: Callable[[], Refusal] = _too_many
    new_holder: Callable[[str], Holder] = lambda address: _NoTurns()
    holder_key: str = "holder"
    headers: Headers = ()
    probes: Collection[bytes] = ()


def raw_answer(refusal: Refusal, more: Headers) -> bytes:
    """Returns a refusal as bytes, for a connection that has no protocol yet."""
    lines = [*refusal.headers, (b"connection", b"close"), *more]
    head = b"".join(name + b": " + value + b"\r\n" for name, value in lines)
    return b"HTTP/1.1 %d \r\n" % refusal.status + head + b"\r\n" + refusal.body
