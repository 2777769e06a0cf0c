"""Requests, read strictly, and answers, written whole, past what h11 and Hypercorn would do with each.

What two servers could read in two ways is refused.

h11 takes a line that ends in a bare LF, a header that goes on in the next line, and a length beside a
transfer coding. A proxy in front of us may read any of them differently, and where one of its requests
ends and the next begins would then be the sender's to choose.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from operator import itemgetter
from typing import Any

import h11
from h11._readers import ChunkedReader
from h11._receivebuffer import ReceiveBuffer
from hypercorn.protocol.events import StreamClosed
from hypercorn.protocol.http_stream import ASGIHTTPState, HTTPStream
from hypercorn.utils import suppress_body

# Each header as it is sent, in lower case, and its value.
Items = Sequence[tuple[bytes, bytes, bytes]]
_ABSOLUTE = re.compile(rb"https?://([^/?#@]+)", re.IGNORECASE)
_END = b"\r\n\r\n"
# A chunk costs more than the bytes in it: whoever sends so many has some of this length on average.
_CHUNKS_OF_ANY_SIZE = 1000
_OF_FRAMING = (b"connection", b"content-length", b"transfer-encoding")
_WITHOUT_BODY = (204, 304)
_CHUNKED = h11.Response(status_code=200, headers=[("Transfer-Encoding", "chunked")])
_LEAST_ON_AVERAGE = 16

SendAtOnce = Callable[[int, Items, bytes], Awaitable[None]]
SendBeginning = Callable[[int, Items, bytes], Awaitable[bool]]
SendPiece = Callable[[bytes], Awaitable[None]]

# What h11 lets pass in a value. Names are ours, and few: each is looked at once.
_IN_VALUES = bytes([0x09, *range(0x20, 0x7F), *range(0x80, 0x100)])
_MAX_NAMES = 1024
_MAX_DIGITS = 18
_names: dict[bytes, bytes] = {}
_value = itemgetter(1)  # of a header


class StrictBuffer(ReceiveBuffer):
    """Lines end with CR LF, and each is a line of its own; what is not so is refused as soon as it comes."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        if self._data.startswith(b"\r\n"):
            self._extract(2)
            return []
        looked = self._multiple_lines_search
        end = self._data.find(_END, max(0, looked - len(_END) + 1))
        stop = len(self._data) if end < 0 else end + len(_END)
        # The last character that came before may be the first half of a line's end.
        begin = looked - 1 if self._data[looked - 1 : looked] == b"\r" else looked
        if self._data.count(b"\n", begin, stop) > self._data.count(b"\r\n", begin, stop):
            raise h11.LocalProtocolError("a line ends with a bare line feed")
        if end < 0:
            self._multiple_lines_search = stop
            return None
        head = self._extract(stop)[: -len(_END)]
        if head.startswith((b" ", b"\t")) or b"\n " in head or b"\n\t" in head:
            raise h11.LocalProtocolError("a header goes on in the next line")
        return head.split(b"\r\n")

    def maybe_extract_at_most(self, count: int) -> bytearray | None:
        """Returns all there is of a body without copying it, which h11 does twice."""
        if not 0 < len(self._data) <= count:
            return super().maybe_extract_at_most(count)
        data, self._data = self._data, bytearray()
        return data


class StrictConnection(h11.Connection):
    """h11's own with the buffer of ours, which it has no setting for.

    It does not let Hypercorn tell a client that waits to go on at once, before the app has seen the head.
    """

    they_are_waiting_for_100_continue = False

    def __init__(self, max_head_bytes: int) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=max_head_bytes)
        self._receive_buffer = StrictBuffer()
        self.answers_a_head_request = False
        self._chunks = self._body_bytes = 0

    def whole_answer(self, status: int, reason: bytes, headers: Items, body: bytes) -> bytes | None:
        """Returns the bytes of a whole answer, and moves the connection past it; None where h11 must look.

        That is whatever changes the connection, or has another length than it says.
        """
        if not self._is_plain():
            return None
        lines, length = [b"HTTP/1.1 %d %b\r\n" % (status, reason)], None
        for name, lowered, value in headers:
            if lowered == b"connection":
                return None
            if lowered == b"content-length":
                length = value
            lines.append(b"%b: %b\r\n" % (name, value))
        if status in _WITHOUT_BODY:
            if body or length is not None:
                return None
        elif length is None or int(length) != len(body):
            return None
        before = dict(self._cstate.states)
        self._cstate.process_event(h11.SERVER, h11.Response)
        self._cstate.process_event(h11.SERVER, h11.EndOfMessage)
        self.client_is_waiting_for_100_continue = False
        self._respond_to_state_changes(before)
        return b"".join((*lines, b"\r\n"))

    def chunked_head(self, status: int, reason: bytes, headers: Items) -> bytes | None:
        """Returns the head of an answer that comes in chunks, which may then be sent; None as above."""
        if status in _WITHOUT_BODY or not self._is_plain():
            return None
        lines = [b"HTTP/1.1 %d %b\r\n" % (status, reason)]
        for name, lowered, value in headers:
            if lowered in _OF_FRAMING:
                return None
            lines.append(b"%b: %b\r\n" % (name, value))
        before = dict(self._cstate.states)
        self._cstate.process_event(h11.SERVER, h11.Response)
        self.client_is_waiting_for_100_continue = False
        self._respond_to_state_changes(before, _CHUNKED)
        return b"".join((*lines, b"Transfer-Encoding: chunked\r\n\r\n"))

    def _is_plain(self) -> bool:
        """Tells whether an answer goes the usual way, and another request may follow."""
        return (
            self.our_state is h11.SEND_RESPONSE
            and self._cstate.keep_alive
            and self.their_http_version == b"1.1"
            and self._request_method not in (b"HEAD", b"CONNECT")
            and not self._cstate.pending_switch_proposals
        )

    def next_event(self) -> Any:
        event: Any = super().next_event()
        kind = type(event)  # `isinstance` takes ten times as long for these: their base is an ABC
        if kind is h11.Request:
            self.answers_a_head_request = event.method == b"HEAD"
            if type(self._reader) is ChunkedReader:
                _check_framing(event)
            self._chunks = self._body_bytes = 0
        elif kind is h11.Data:
            self._chunks += event.chunk_start
            self._body_bytes += len(event.data)
            if self._chunks > _CHUNKS_OF_ANY_SIZE and self._body_bytes < self._chunks * _LEAST_ON_AVERAGE:
                raise h11.RemoteProtocolError("the body comes in chunks of a few bytes each")
        return event


def _check_framing(request: h11.Request) -> None:
    """Refuses a transfer coding where the length, or the end, is not its own to tell."""
    if any(name == b"content-length" for name, _ in request.headers):
        raise h11.RemoteProtocolError("a length and a transfer coding exclude each other")
    if request.http_version < b"1.1":
        raise h11.RemoteProtocolError("HTTP/1.0 knows no transfer coding")


def in_origin_form(request: h11.Request) -> h11.Request:
    """Turns a target with scheme and host, as for a proxy, into its path; its host is the one that counts."""
    absolute = _ABSOLUTE.match(request.target)
    if absolute is None:
        return request
    path = request.target[absolute.end() :]
    return h11.Request(
        method=request.method,
        target=path if path.startswith(b"/") else b"/" + path,
        headers=[(b"host", absolute[1]), *(one for one in request.headers if one[0] != b"host")],
        http_version=request.http_version,
    )


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
    # All values at once, with a zero around each, which none may have.
    values = b"\0".join([b"", *map(_value, pairs), b""])
    if values.translate(None, _IN_VALUES) != b"\0" * (len(pairs) + 1):
        return None
    if b"\0 " in values or b" \0" in values or b"\0\t" in values or b"\t\0" in values:
        return None
    items = []
    lengths = 0
    for name, value in pairs:
        lowered = _names.get(name) or _checked_name(name)
        if not lowered or lowered == b"transfer-encoding":
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
