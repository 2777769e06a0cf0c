"""The files of the page, read once. A browser asks each time whether its copy is still the one."""

import hashlib
from functools import cache

from builtin_plugins.beta.page.rendering import FOLDER
from guildhall_sdk import Call, Reply

# Pages of other origins load the SDK, those in a sandbox too.
_FOR_ALL = {"Cross-Origin-Resource-Policy": "cross-origin"}


async def sdk_script(call: Call) -> Reply:
    return _file("beta-sdk.js", "text/javascript")


async def page_script(call: Call) -> Reply:
    return _file("page.js", "text/javascript")


async def page_style(call: Call) -> Reply:
    return _file("page.css", "text/css")


async def bare_style(call: Call) -> Reply:
    return _file("page-without-script.css", "text/css")


@cache
def _file(name: str, content_type: str) -> Reply:
    content = (FOLDER / name).read_bytes()
    return Reply(
        headers={"Cache-Control": "no-cache", **_FOR_ALL},
        etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        content=content,
        content_type=f"{content_type}; charset=utf-8",
    )


HANDLERS = {
    "sdk_script": sdk_script,
    "page_script": page_script,
    "page_style": page_style,
    "bare_style": bare_style,
}
