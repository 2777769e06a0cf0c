"""An HTTP server that does as a test tells it."""

import asyncio
import json
from contextlib import suppress


class ToldServer:
    """An HTTP server of one connection per request: answers as `answer` says, keeps what it was sent."""

    def __init__(self):
        self.port = 0
        self._server = None
        self.reset()

    def reset(self):
        """Forgets what it was sent and told."""
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.status, self.headers, self.body = 200, {}, b"{}"
        self.silent = False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def sent(self):
        return json.loads(self.requests[-1][2])

    def answer(self, body, status=200, **headers):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.headers = status, {name.replace("_", "-"): text for name, text in headers.items()}

    def choose(self, request):
        """Decides what this request is answered."""

    async def start(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            line, *fields = head.strip().split("\r\n")
            headers = {name.lower(): text for name, text in (field.split(": ", 1) for field in fields)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.requests.append((line, headers, body))
            if self.silent:
                await reader.read()
                return
            self.choose(_json_of(body))
            sent = {"Content-Length": str(len(self.body)), "Connection": "close", **self.headers}
            out = "".join(f"{name}: {text}\r\n" for name, text in sent.items())
            writer.write(f"HTTP/1.1 {self.status} Said\r\n{out}\r\n".encode() + self.body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()


def _json_of(body):
    with suppress(ValueError):
        return json.loads(body)
    return {}
