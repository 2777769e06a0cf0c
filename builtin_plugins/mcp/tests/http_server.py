"""An MCP server by streamable HTTP that misbehaves as its attributes say, in the test's own process."""

import asyncio
import gzip
import json
from contextlib import asynccontextmanager


class HttpServer:
    def __init__(self) -> None:
        #: The status of every answer, where it is not a good one.
        self.status = 200
        #: What is put in front of the JSON of a call's answer.
        self.padding = 0
        #: How many values a call's answer holds, whether it comes as an event, and whether it is compressed.
        self.values = 0
        self.as_event = False
        self.compressed = False
        #: Whether the connection ends within a call's answer.
        self.broken = False
        #: How often an event stream was asked for; each ends at once and asks to be opened again at once.
        self.event_streams = 0
        self.initialized = 0
        #: How often a tool was called, and what an answer waits for.
        self.calls = 0
        self.answers = asyncio.Event()
        self.answers.set()
        self.session = "session-1"
        self.headers_seen: dict[str, str] = {}
        self.url = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                method, headers = _parsed(head)
                self.headers_seen = headers
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                if b'"tools/call"' in body and headers.get("mcp-session-id") == self.session:
                    self.calls += 1
                    await self.answers.wait()
                writer.write(self._answer(method, headers, body))
                await writer.drain()
                if method == "GET" or (self.broken and b'"tools/call"' in body):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, method: str, headers: dict[str, str], body: bytes) -> bytes:
        if method == "GET":
            self.event_streams += 1
            if headers.get("mcp-session-id") != self.session:
                return _response(404, b"")
            return (
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
                b'retry: 0\nid: 1\ndata: {"jsonrpc":"2.0","method":"notifications/cancelled"}\n\n'
            )
        if self.status != 200:
            return _response(self.status, b"")
        message = json.loads(body) if body else {}
        if message.get("id") is None:
            return _response(202, b"")
        if message["method"] == "initialize":
            self.initialized += 1
        elif headers.get("mcp-session-id") != self.session:
            return _response(404 if "mcp-session-id" in headers else 400, b"")
        result = self._result(message["method"])
        reply = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        if self.compressed and message["method"] == "tools/call":
            return _response(200, gzip.compress(reply), self.session, "content-encoding: gzip\r\n")
        if self.as_event and message["method"] == "tools/call":
            return _response(200, b"data: %b\n\n" % reply, self.session, kind="text/event-stream")
        if self.broken and message["method"] == "tools/call":
            return _response(200, reply, self.session)[:-5]
        return _response(200, reply, self.session)

    def _result(self, method: str) -> dict:
        if method == "initialize":
            info = {"name": "http", "version": "1"}
            return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        if method == "tools/list":
            return {"tools": [{"name": "say", "inputSchema": {"type": "object"}}]}
        structured = {"structuredContent": {"all": [[]] * self.values}} if self.values else {}
        return {"content": [{"type": "text", "text": "said" + " " * self.padding}], **structured}


def _parsed(head: bytes) -> tuple[str, dict[str, str]]:
    first, *lines = head.decode().strip().split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    return first.split(" ")[0], {name.lower(): value for name, value in pairs}


def _response(
    status: int, body: bytes, session: str = "", more: str = "", *, kind: str = "application/json"
) -> bytes:
    extra = f"mcp-session-id: {session}\r\n{more}" if session else ""
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


@asynccontextmanager
async def http_server():
    one = HttpServer()
    listener = await asyncio.start_server(one.handle, "127.0.0.1", 0)
    one.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/mcp"
    async with listener:
        yield one
