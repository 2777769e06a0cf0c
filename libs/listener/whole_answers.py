"""Answers whose body comes in one piece: head, body and end leave in one write, and are looked at once."""

from collections.abc import Awaitable, Callable
from typing import Any

import h11
from hypercorn.protocol.events import StreamClosed
from hypercorn.protocol.http_stream import ASGIHTTPState, HTTPStream
from hypercorn.utils import suppress_body

from libs.listener.heads import Items

SendAtOnce = Callable[[int, Items, bytes], Awaitable[None]]
SendBeginning = Callable[[int, Items, bytes], Awaitable[bool]]
SendPiece = Callable[[bytes], Awaitable[None]]

# What h11 lets pass in a value. Names are ours, and few: each is looked at once.
_IN_VALUES = bytes([0x09, *range(0x20, 0x7F), *range(0x80, 0x100)])
_MAX_NAMES = 1024
_MAX_DIGITS = 18
_names: dict[bytes, bytes] = {}


class WholeAnswerStream(HTTPStream):
    """Hypercorn's stream of one request, but for an answer that is all there with its first message.

    Such an answer goes past Hypercorn's and h11's own events for head, body and end, whose checks cost a
    quarter of a small answer. Whatever is not plain takes their way. So do the pieces of one that comes in
    many, of which each would cost as much again, and its head.
    """

    def __init__(
        self,
        *arguments: Any,
        send_at_once: SendAtOnce,
        send_beginning: SendBeginning,
        send_piece: SendPiece,
        **named: Any,
    ) -> None:
        super().__init__(*arguments, **named)
        self._send_at_once = send_at_once
        self._send_beginning = send_beginning
        self._send_piece = send_piece
        self._start: Any = None

    async def app_send(self, message: Any) -> None:
        if self._start is None:
            if (
                message is not None
                and message["type"] == "http.response.start"
                and self.state is ASGIHTTPState.REQUEST
            ):
                self._start = message
                return
            if message is not None and self._is_piece(message):
                await self._send_piece(message["body"])
                return
            await super().app_send(message)
            return
        start, self._start = self._start, None
        if message is not None and message["type"] == "http.response.body":
            begins = bool(message.get("more_body"))
            if await (self._try_to_begin if begins else self._try_to_send_at_once)(start, message):
                return
        await super().app_send(start)
        await super().app_send(message)

    def _is_piece(self, message: Any) -> bool:
        return (
            self.state is ASGIHTTPState.RESPONSE
            and message["type"] == "http.response.body"
            and bool(message.get("more_body"))
            and type(message.get("body")) is bytes
            and not suppress_body(self.scope["method"], int(self.response["status"]))
        )

    async def _try_to_begin(self, start: Any, message: Any) -> bool:
        status, body, headers = start["status"], message.get("body", b""), plain_headers(start)
        if headers is None or not body or type(body) is not bytes:
            return False
        # The state first: whoever waits for room to write may hear that the caller is gone.
        self.response, self.state = start, ASGIHTTPState.RESPONSE
        if await self._send_beginning(status, headers, body):
            return True
        self.state = ASGIHTTPState.REQUEST
        return False

    async def _try_to_send_at_once(self, start: Any, message: Any) -> bool:
        status, body, headers = start["status"], message.get("body", b""), plain_headers(start)
        if headers is None or type(body) is not bytes:
            return False
        await self._send_at_once(
            status, headers, b"" if suppress_body(self.scope["method"], status) else body
        )
        self.response = start
        self.state = ASGIHTTPState.CLOSED
        await self.send(StreamClosed(stream_id=self.stream_id))
        return True


def plain_headers(start: Any) -> Items | None:
    """Returns the headers that an answer starts with, as h11 keeps them.

    None stands for what Hypercorn or h11 should look at themselves.
    """
    pairs = start.get("headers", [])
    # What can be read only once is left to Hypercorn to read.
    if start.get("trailers") or start["status"] < 200 or not isinstance(pairs, list | tuple):
        return None
    items = []
    lengths = 0
    for name, value in pairs:
        lowered = _names.get(name) or _checked_name(name)
        if not lowered or value.translate(None, _IN_VALUES) or value != value.strip():
            return None
        if lowered == b"transfer-encoding":
            return None
        if lowered == b"content-length":
            lengths += 1
            if not value.isdigit() or len(value) > _MAX_DIGITS:
                return None
        items.append((name, lowered, value))
    return items if lengths < 2 else None


def _checked_name(name: bytes) -> bytes | None:
    try:
        h11.Response(status_code=200, headers=[(name, b"0")])
    except h11.LocalProtocolError:
        return None
    if len(_names) < _MAX_NAMES:
        _names[name] = name.lower()
    return name.lower()
