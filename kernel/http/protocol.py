"""How we speak HTTP/1.1 through Hypercorn."""

from typing import Any

import h11
from hypercorn.events import RawData
from hypercorn.protocol.h11 import H11Protocol


class PlainProtocol(H11Protocol):
    """HTTP/1.1 and nothing that it can be upgraded to.

    Hypercorn never ends a connection that goes over to HTTP/2 in the clear and falls silent, nor one
    whose WebSocket handshake is malformed. We offer neither.

    The head of an answer leaves together with what follows it: one write instead of two. A stream
    that has nothing to say yet, but wants its head out, begins with an empty chunk.
    """

    _held = b""

    async def _check_protocol(self, event: h11.Request) -> None:
        return

    async def _create_stream(self, request: h11.Request) -> None:
        if any(name == b"upgrade" for name, _ in request.headers):
            request = h11.Request(
                method=request.method,
                target=request.target,
                headers=[(name, value) for name, value in request.headers if name != b"upgrade"],
                http_version=request.http_version,
            )
        await super()._create_stream(request)

    async def _send_h11_event(self, event: Any) -> None:
        try:
            data = self._held + (self.connection.send(event) or b"")
        except h11.LocalProtocolError:
            if self.connection.their_state != h11.ERROR:
                raise
            return
        self._held = data if isinstance(event, h11.Response) else b""
        if not self._held and data:
            await self.send(RawData(data=data))
