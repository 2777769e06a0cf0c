"""The application that is mounted at `/`, beside pages that stand there too."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk.mounts import Asgi, Receive, Send

_READS = ("GET", "HEAD")
_NOT_FOUND = 404


async def asked_alone(app: Asgi, scope: Mapping[str, Any], receive: Receive, send: Send) -> bool:
    """Lets the application answer, whatever it is."""
    await app(scope, receive, send)
    return True


async def asked_before_pages(app: Asgi, scope: Mapping[str, Any], receive: Receive, send: Send) -> bool:
    """Lets the application answer; returns False where it finds nothing to read and pages may have it."""
    if scope["method"] not in _READS:
        return await asked_alone(app, scope, receive, send)
    found = True

    async def send_what_was_found(message: Mapping[str, Any]) -> None:
        nonlocal found
        if message["type"] == "http.response.start" and message["status"] == _NOT_FOUND:
            found = False
        if found:
            await send(message)

    await app(scope, receive, send_what_was_found)
    return found
