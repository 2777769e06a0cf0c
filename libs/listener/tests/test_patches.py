"""The patches for Hypercorn: each applies to the installed one, which still lacks what it brings."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hypercorn
import pytest

PATCHES = Path(__file__).parents[1] / "patches"

TALK = """
import asyncio, json, sys
import hypercorn.config
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.events import RawData
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.typing import ConnectionState

hypercorn.config.time = lambda: 1_000_000_000.5

async def reads(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 404, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})

async def refuses(scope, receive, send):
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})

async def talk(app, request):
    writes = []
    async def send(event):
        if isinstance(event, RawData) and event.data:
            writes.append(event.data.decode("latin-1"))
    async with TaskGroup(asyncio.get_running_loop()) as tasks:
        protocol = H11Protocol(
            ASGIWrapper(app), hypercorn.config.Config(), WorkerContext(None), tasks, ConnectionState({}),
            False, None, None, send,
        )
        await protocol.handle(RawData(request))
    return writes

def dates_formatted():
    made, format_date_time = [], hypercorn.config.format_date_time
    hypercorn.config.format_date_time = lambda at: made.append(at) or format_date_time(at)
    config = hypercorn.config.Config()
    headers = {tuple(config.response_headers("h11")) for _ in range(5)}
    return [len(made), len(headers)]

GET = b"GET / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"
PUT = b"PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 2\\r\\nExpect: 100-continue\\r\\n\\r\\n"
print(json.dumps({
    "answer": asyncio.run(talk(reads, GET)),
    "broken": asyncio.run(talk(reads, b"no request\\r\\n\\r\\n")),
    "refused": asyncio.run(talk(refuses, PUT)),
    "dates": dates_formatted(),
}))
"""


@pytest.fixture(scope="module")
def stock():
    return _talk({})


@pytest.fixture
def patched(tmp_path):
    """`patched("name")`: what Hypercorn says with this patch."""

    def talk(name):
        shutil.copytree(Path(hypercorn.__file__).parent, tmp_path / "hypercorn")
        applied = ["git", "apply", "--unsafe-paths", str(PATCHES / f"{name}.patch")]
        subprocess.run(applied, cwd=tmp_path, check=True, capture_output=True)
        return _talk({"PYTHONPATH": str(tmp_path)})

    return talk


def _talk(environ):
    command, environ = [sys.executable, "-c", TALK], {**os.environ, **environ}
    return json.loads(subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout)


def _status_lines(writes):
    return [line for line in "".join(writes).split("\r\n") if line.startswith("HTTP/1.1")]


def test_every_patch_is_tried_here():
    tried = {"reason-phrases", "continue-on-receive", "date-once-a-second", "head-with-body"}
    assert {path.stem for path in PATCHES.glob("*.patch")} == tried


def test_a_status_has_its_reason_phrase(stock, patched):
    assert _status_lines(stock["answer"]) == ["HTTP/1.1 404 "]
    found = patched("reason-phrases")
    assert _status_lines(found["answer"]) == ["HTTP/1.1 404 Not Found"]
    assert _status_lines(found["broken"]) == ["HTTP/1.1 400 Bad Request"]
    assert _status_lines(found["refused"])[0] == "HTTP/1.1 100 Continue"


def test_who_is_refused_by_the_head_is_not_told_to_go_on(stock, patched):
    assert _status_lines(stock["refused"]) == ["HTTP/1.1 100 ", "HTTP/1.1 413 "]
    assert _status_lines(patched("continue-on-receive")["refused"]) == ["HTTP/1.1 413 "]


def test_the_date_is_formatted_once_a_second(stock, patched):
    assert stock["dates"] == [5, 1]
    assert patched("date-once-a-second")["dates"] == [1, 1]


def test_the_head_leaves_together_with_the_body(stock, patched):
    assert len(stock["answer"]) == 2
    (written,) = patched("head-with-body")["answer"]
    assert written == "".join(stock["answer"])
