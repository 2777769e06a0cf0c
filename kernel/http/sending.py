"""Putting a reply on the wire, with the headers that every answer carries."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from guildhall_sdk import Reply
from guildhall_sdk.streams import close
from kernel.http.decoding import encode_json

Send = Callable[[dict[str, Any]], Awaitable[None]]

_SECURITY: Mapping[bytes, bytes] = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
}
_PAGE: Mapping[bytes, bytes] = {
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
}
_PRIVATE = {b"cache-control": b"private, no-store", b"vary": b"Authorization"}
_PUBLIC = {b"cache-control": b"no-store"}


class Sender:
    """Knows what is the same for every answer of this server."""

    def __init__(self) -> None:
        self._private = {**_SECURITY, **_PRIVATE}
        self._public = {**_SECURITY, **_PUBLIC}

    async def send(self, send: Send, reply: Reply, *, request_id: str, private: bool, head: bool) -> None:
        headers = dict(self._private if private else self._public)
        headers[b"x-request-id"] = request_id.encode()
        if reply.content_type.startswith("text/html"):
            headers.update(_PAGE)
        for name, value in reply.headers.items():
            headers[name.lower().encode()] = value.encode("latin-1", "replace")
        if reply.etag is not None:
            headers[b"etag"] = reply.etag.encode()
        if reply.stream is not None:
            headers[b"content-type"] = reply.content_type.encode()
            await _start(send, reply.status, headers)
            await _stream(send, reply, head)
            return
        content = reply.content or b""
        if content or reply.status not in (204, 304):
            headers[b"content-type"] = reply.content_type.encode()
            headers[b"content-length"] = str(len(content)).encode()
        await _start(send, reply.status, headers)
        await send({"type": "http.response.body", "body": b"" if head else content, "more_body": False})


def encoded(reply: Reply) -> Reply:
    """The reply with its body as bytes; what is no JSON shows here, while another answer is possible."""
    if reply.content is not None or reply.stream is not None or reply.status in (204, 304):
        return reply
    return replace(reply, content=encode_json(reply.body))


async def _start(send: Send, status: int, headers: Mapping[bytes, bytes]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers.items())})


async def _stream(send: Send, reply: Reply, head: bool) -> None:
    assert reply.stream is not None
    try:
        if not head:
            async for chunk in reply.stream:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        await close(reply.stream)
    await send({"type": "http.response.body", "body": b"", "more_body": False})
