"""HTTP/1.1 through Hypercorn and h11."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import h11
from h11._headers import Headers
from h11._writers import ChunkedWriter
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config
from hypercorn.events import RawData
from hypercorn.protocol.events import Event, Request, Response
from hypercorn.protocol.h11 import STREAM_ID, H11Protocol
from hypercorn.typing import AppWrapper, ASGIReceiveCallable, ASGISendCallable, ConnectionState, Scope

from libs.listener.messages import Items, StrictConnection, WholeAnswerStream, in_origin_form
from libs.listener.policy import Holder, Policy

_CLOSE = (b"connection", b"close")
_CLOSING = (b"connection", b"connection", b"close")
# Copying so much costs more than a write, and would be held twice by one who does not read.
_WORTH_A_WRITE = 32 * 1024
_REASONS = {status.value: status.phrase.encode("ascii") for status in HTTPStatus}


class Serving:
    """The application, how it is served, and whether the listener is stopping."""

    def __init__(self, app: Any, stopping: asyncio.Event, policy: Policy) -> None:
        self.app = ASGIWrapper(app)
        self.stopping = stopping
        self.policy = policy
        self.config = _ServingConfig(policy)
        self.context = WorkerContext(None)
        self.last_request_at = 0.0


class _ServingConfig(Config):
    """Hypercorn's settings, and the headers that go out with every answer there is."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.accesslog = None
        self.errorlog = logging.getLogger("hypercorn.error")
        self.include_server_header = False
        self.h11_max_incomplete_size = 32 * 1024
        self._always = [*policy.headers]
        self._made_at = 0
        self._made: Items = ()

    def response_headers(self, protocol: str) -> list[tuple[bytes, bytes]]:
        """Returns the headers of every answer."""
        return [(name, value) for name, _, value in self.own_headers()]

    def own_headers(self) -> Items:
        """Returns them as h11 keeps them, made once a second as only the date changes."""
        second = int(time.time())
        if second != self._made_at:
            pairs = [*super().response_headers("h11"), *self._always]
            self._made_at, self._made = second, [(name, name, value) for name, value in pairs]
        return self._made


class PlainProtocol(H11Protocol):
    """HTTP/1.1 and nothing that it can be upgraded to.

    Hypercorn never ends a connection that goes over to HTTP/2 in the clear and falls silent, nor one
    whose WebSocket handshake is malformed. We offer neither.

    The head of an answer leaves together with what follows it: one write instead of two. A stream
    that has nothing to say yet, but wants its head out, begins with what its reader passes over.

    An answer that is the last one of its connection says so: of a listener that is stopping, and to a request
    whose body has not come to its end by then, behind which no other can be read.
    """

    config: _ServingConfig
    connection: StrictConnection
    _held = b""

    def __init__(
        self,
        serving: Serving,
        task_group: TaskGroup,
        client: tuple[str, int] | None,
        holder: Holder,
        server: tuple[str, int] | None,
        send: Callable[[Any], Awaitable[None]],
        is_lost: Callable[[], bool],
    ) -> None:
        state = ConnectionState({serving.policy.holder_key: holder})
        super().__init__(
            serving.app,
            serving.config,
            serving.context,
            task_group,
            connection_state=state,
            ssl=False,
            client=client,
            server=server,
            send=send,
        )
        self.connection = StrictConnection(self.config.h11_max_incomplete_size)
        self._serving = serving
        self._is_lost = is_lost

    async def stream_send(self, event: Event) -> None:
        if isinstance(event, Response) and self._is_last() and _CLOSE not in event.headers:
            event = replace(event, headers=[*event.headers, _CLOSE])
        await super().stream_send(event)

    def _is_last(self) -> bool:
        """Tells whether the connection ends with the answer that begins now; Hypercorn counts for itself."""
        return self._serving.stopping.is_set() or self.connection.their_state is h11.SEND_BODY

    async def _send_at_once(self, status: int, headers: Items, body: bytes) -> None:
        items = [*headers, *self.config.own_headers()]
        # As `_is_last`, which would be one call more on the way of every answer.
        is_last = self._serving.stopping.is_set() or self.connection.their_state is h11.SEND_BODY
        is_last = is_last or self.keep_alive_requests >= self.config.keep_alive_max_requests
        if is_last and not any(one[1:] == _CLOSE for one in items):
            items.append(_CLOSING)
        if self._is_lost():
            await asyncio.sleep(0)  # as below: let it be told
            return
        reason = _REASONS.get(status, b"Other")
        head = self.connection.whole_answer(status, reason, items, body)
        if head is not None:
            parts = [head, body]
        else:
            try:
                parts = self._serialize_with_h11(
                    h11.Response(status_code=status, headers=Headers(items), reason=reason), body
                )
            except h11.LocalProtocolError:
                if self.connection.their_state != h11.ERROR:
                    raise
                return
        for part in parts if len(body) > _WORTH_A_WRITE else [b"".join(parts)]:
            await self.send(RawData(data=part))

    def _serialize_with_h11(self, response: h11.Response, body: bytes) -> list[bytes]:
        """Returns the bytes of an answer whose framing h11 chooses."""
        head = self.connection.send(response)
        data = self.connection.send(h11.Data(data=body)) if body else b""
        return [part for part in (head, data, self.connection.send(h11.EndOfMessage())) if part]

    async def _send_beginning(self, status: int, headers: Items, data: bytes) -> bool:
        """Sends the head of a chunked answer and its first part; False where Hypercorn has to send it."""
        is_last = self._is_last() or self.keep_alive_requests >= self.config.keep_alive_max_requests
        if is_last or self._is_lost():
            return False
        items = [*headers, *self.config.own_headers()]
        head = self.connection.chunked_head(status, _REASONS.get(status, b"Other"), items)
        if head is None:
            return False
        self._held = head
        await self._send_piece(data)
        return True

    async def _send_piece(self, data: bytes) -> None:
        """Sends a part of a chunked body with the frame that h11 would put around it."""
        if type(self.connection._writer) is not ChunkedWriter or not 0 < len(data) <= _WORTH_A_WRITE:
            await self._send_h11_event(h11.Data(data=data))
        elif self._is_lost():
            await asyncio.sleep(0)  # as below: let it be told
        else:
            held, self._held = self._held, b""
            await self.send(RawData(data=b"%b%x\r\n%b\r\n" % (held, len(data), data)))

    async def _check_protocol(self, event: h11.Request) -> None:
        return

    async def _create_stream(self, request: h11.Request) -> None:
        if request.target not in self._serving.policy.probes:
            self._serving.last_request_at = asyncio.get_running_loop().time()
        if not request.target.startswith(b"/"):
            request = in_origin_form(request)
        # Past the headers' own iteration, which looks each of them up by its number.
        headers = [(name, value) for _, name, value in request.headers._full_items if name != b"upgrade"]
        app = self.app
        if self.connection.client_is_waiting_for_100_continue:
            app = DeferredContinue(app, self._send_continue)
        self.stream = WholeAnswerStream(
            app,
            self.config,
            self.context,
            self.task_group,
            ssl=self.ssl,
            client=self.client,
            server=self.server,
            send=self.stream_send,
            stream_id=STREAM_ID,
            send_at_once=self._send_at_once,
            send_beginning=self._send_beginning,
            send_piece=self._send_piece,
        )
        await self.stream.handle(
            Request(
                stream_id=STREAM_ID,
                headers=headers,
                http_version=request.http_version.decode("ascii"),
                method=request.method.decode("ascii").upper(),
                raw_path=request.target,
                state=self.connection_state,
            )
        )
        self.keep_alive_requests += 1
        await self.context.mark_request()

    async def _send_continue(self) -> None:
        """Sends 100 with its reason phrase, without which some clients go on waiting."""
        if self.connection.client_is_waiting_for_100_continue:
            await self._send_h11_event(
                h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
            )

    async def _send_h11_event(self, event: Any) -> None:
        if isinstance(event, h11.Response):
            # Hypercorn leaves it out; a client that waited to send its body may not know a final answer then.
            object.__setattr__(event, "reason", _REASONS.get(event.status_code, b"Other"))
        if self._is_lost():
            # An answer that stops in its middle is no fault of the application then; but one that never waits
            # for anything must let it be told, and everybody else go on.
            await asyncio.sleep(0)
            return
        try:
            data = self.connection.send(event) or b""
        except h11.LocalProtocolError:
            if self.connection.their_state != h11.ERROR:
                raise
            return
        if isinstance(event, h11.Response):
            self._held = data
            return
        held, self._held = self._held, b""
        if len(data) > _WORTH_A_WRITE:
            await self.send(RawData(data=held))
        else:
            data = held + data
        if data:
            await self.send(RawData(data=data))

    async def _send_error_response(self, status_code: int) -> None:
        """Refuses bytes that are no request; no application has seen them."""
        refusal = self._serving.policy.refuse_bytes(status_code)
        headers = [*refusal.headers, _CLOSE, *self.config.response_headers("h11")]
        await self._send_h11_event(h11.Response(status_code=status_code, headers=headers))
        if not self.connection.answers_a_head_request:
            await self._send_h11_event(h11.Data(data=refusal.body))
        await self._send_h11_event(h11.EndOfMessage())


class DeferredContinue:
    """The app of one request whose sender waits: `go_on` is called when the app first asks for the body.

    An app that has begun to answer by then has refused it; what it still reads, it throws away.
    """

    def __init__(self, app: AppWrapper, go_on: Callable[[], Awaitable[None]]) -> None:
        self._app = app
        self._go_on = go_on

    async def __call__(
        self,
        scope: Scope,
        receive: ASGIReceiveCallable,
        send: ASGISendCallable,
        sync_spawn: Callable[..., Any],
        call_soon: Callable[..., Any],
    ) -> None:
        waits = True

        async def receive_after_continue() -> Any:
            nonlocal waits
            if waits:
                waits = False
                await self._go_on()
            return await receive()

        async def send_without_continue(message: Any) -> None:
            nonlocal waits
            waits = False
            await send(message)

        await self._app(scope, receive_after_continue, send_without_continue, sync_spawn, call_soon)
