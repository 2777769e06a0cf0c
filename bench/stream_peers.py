"""A model that costs little, and a bare app that passes its stream through.

`stream_peers.py endpoint PORT` is an OpenAI-compatible endpoint on plain asyncio. It streams as many deltas
as the `max_tokens` of a request says, each by itself; where the prompt is `HOLD`, one a second without end.
`stream_peers.py quart PORT ENDPOINT` is Quart and httpx as their manuals show them: no authentication, no
database, no metering, nothing judged.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.peers import PATH, serve
from bench.servers import Server, free_port, plain_environment, running

HOLD = "hold"
STREAM_PATH = "/api/ai/chat/stream"
# So long that each delta is read by itself, and so short that a run is soon over.
_PAUSE_SECONDS = 0.004
_HELD_PAUSE_SECONDS = 1.0
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@contextmanager
def endpoint(folder: Path) -> Iterator[Server]:
    with _program("endpoint", folder) as server:
        yield server


@contextmanager
def bare_app(folder: Path, model: Server) -> Iterator[Server]:
    with _program("quart", folder, str(model.port)) as server:
        yield server


@contextmanager
def _program(kind: str, folder: Path, *arguments: str) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "bench.stream_peers", kind, str(port), *arguments]
    with running(command, port, PATH, folder, plain_environment()) as server:
        yield server


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _event(delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [choice],
    }
    return _chunk(b"data: " + json.dumps(chunk).encode() + b"\n\n")


_DELTA, _LAST = _event({"content": " word"}), _event({}, "stop") + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET"):
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
                continue
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await _stream(writer, json.loads(await reader.readexactly(length)))
    writer.close()


async def _stream(writer: asyncio.StreamWriter, request: dict[str, Any]) -> None:
    held = request["messages"][-1]["content"] == HOLD
    writer.write(_HEAD + _DELTA)
    for _ in range(1 << 31 if held else request["max_tokens"] - 1):
        await asyncio.sleep(_HELD_PAUSE_SECONDS if held else _PAUSE_SECONDS)
        writer.write(_DELTA)
        await writer.drain()
    writer.write(_LAST)


async def _serve_endpoint(port: int) -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", port, backlog=2048)
    await server.serve_forever()


def _bare_quart(model: str) -> Any:
    import httpx
    from quart import Quart, make_response, request

    app = Quart("peer")
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    client = httpx.AsyncClient(limits=limits, timeout=None, trust_env=False)

    @app.get(PATH)
    async def whoami() -> Any:
        return {"user": {"id": "usr_1", "username": "ada"}, "permissions": []}

    @app.post(STREAM_PATH)
    async def stream() -> Any:
        asked = await request.get_json()
        message = {"role": "user", "content": asked["prompt"]}
        body = {"messages": [message], "max_tokens": asked["max_tokens"], "stream": True}

        async def events() -> AsyncIterator[bytes]:
            async with client.stream("POST", f"{model}/chat/completions", json=body) as got:
                async for line in got.aiter_lines():
                    if not line.startswith("data:") or line.endswith("[DONE]"):
                        continue
                    text = json.loads(line[5:])["choices"][0]["delta"].get("content")
                    if text:
                        yield f"event: delta\ndata: {json.dumps({'text': text})}\n\n".encode()
            yield b"event: done\ndata: {}\n\n"

        response = await make_response(events(), {"Content-Type": "text/event-stream"})
        response.timeout = None  # type: ignore[union-attr]
        return response

    return app


if __name__ == "__main__":
    kind, port = sys.argv[1], int(sys.argv[2])
    if kind == "endpoint":
        asyncio.run(_serve_endpoint(port))
    else:
        asyncio.run(serve(_bare_quart(f"http://127.0.0.1:{sys.argv[3]}/v1"), port))
