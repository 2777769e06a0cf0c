"""The description as JSON, written once, and three files that show it; each has an ETag."""

import asyncio
import hashlib
from functools import cache
from pathlib import Path

from builtin_plugins.api_docs.openapi import RouteTableDescription
from guildhall_sdk import Call, Host, Reply
from libs.fair_slots import RESULTS
from libs.strict_json import encode_steps, encode_text

_HEADERS = {"Cache-Control": "no-cache"}


class ApiDocument:
    """The OpenAPI document as it is answered, written once for as long as the server runs.

    The plugins, and with them the rows, are the same until a restart.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = asyncio.Lock()
        self._reply: Reply | None = None

    async def reply(self) -> Reply:
        """Returns the answer; the first caller waits until it is written, piece by piece on a thread."""
        if self._reply is None:
            async with self._lock:
                if self._reply is None:
                    self._reply = await self._write()
        return self._reply

    async def _write(self) -> Reply:
        document = self._host.service(RouteTableDescription).openapi()
        text = await RESULTS.run_steps(f"{id(document):x}", encode_steps(document, encode_text))
        content = text.encode("utf-8", "replace")
        return Reply(content=content, headers=_HEADERS, etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"')


_PAGE = Path(__file__).with_name("page")
_CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


async def openapi(call: Call) -> Reply:
    return await call.service(ApiDocument).reply()


async def page(call: Call) -> Reply:
    return _file("index.html", "text/html", csp=_CSP)


async def script(call: Call) -> Reply:
    return _file("app.js", "text/javascript")


async def stylesheet(call: Call) -> Reply:
    return _file("app.css", "text/css")


@cache
def _file(name: str, content_type: str, csp: str | None = None) -> Reply:
    """Returns a file that was read once; a browser asks each time whether its copy is still the one."""
    content = (_PAGE / name).read_bytes()
    headers = {"Cache-Control": "no-cache", **({"Content-Security-Policy": csp} if csp else {})}
    return Reply(
        headers=headers,
        etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        content=content,
        content_type=f"{content_type}; charset=utf-8",
    )
