"""The description as JSON, and three files that show it. All of them can be asked for again cheaply."""

import hashlib
from functools import cache
from pathlib import Path

from builtin_plugins.api_docs.document import ApiDocument
from guildhall_sdk import Call, Reply

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
