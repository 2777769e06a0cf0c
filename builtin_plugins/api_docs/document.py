"""The description as bytes, which anybody may ask for without signing in."""

import asyncio
import hashlib

from guildhall_sdk import Host, Reply
from guildhall_sdk.services.description import ApiDescription
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
        document = self._host.service(ApiDescription).openapi()
        text = await RESULTS.run_steps(f"{id(document):x}", encode_steps(document, encode_text))
        content = text.encode("utf-8", "replace")
        return Reply(content=content, headers=_HEADERS, etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"')
