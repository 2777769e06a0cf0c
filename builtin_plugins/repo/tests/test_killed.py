"""A server killed while it reads a document leaves no copy of it, wherever one looks."""

import asyncio
import os
import socket
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests import commands

CANARY = b"canary of a private document"
# Putting these marks in order takes far longer than the test.
ENDLESS = CANARY + ("a" + "\u0301" * 900_000 + "\u0323" * 900_000).encode()


@pytest.fixture
async def server(tmp_path):
    """A real one, and its address; its temporary folder is empty."""
    for name in ("data", "temporary"):
        (tmp_path / name).mkdir(mode=0o700)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environ = commands.bare_environment() | {
        "SERVICE_DATA": str(tmp_path / "data"),
        "SERVICE_BIND": address,
        "SERVICE_S3_BIND": "127.0.0.1:0",
        "SERVICE_LOG_LEVEL": "error",
        "TMPDIR": str(tmp_path / "temporary"),
    }
    process = await commands.start(environ, "serve")
    try:
        await asyncio.wait_for(process.stdout.readline(), 60)
        yield process, f"http://{address}"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def first_reader_of(server):
    """Waits for the child that reads; raises when the server is gone."""
    while True:
        os.kill(server, 0)
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                parent = int(stat.read_text().rpartition(")")[2].split()[1])
                if parent == server and b"reading.child" in stat.with_name("cmdline").read_bytes():
                    return int(stat.parent.name)


def copies(root):
    """Files with the canary in them, but for the blobs that the document is kept in."""
    for path in root.rglob("*"):
        if path.is_file() and "blobs" not in path.relative_to(root).parts and CANARY in path.read_bytes():
            yield path


async def test_a_kill_in_the_middle_of_reading_leaves_no_plain_copy(server, tmp_path):
    process, url = server
    person = {"username": "ada", "password": "difference engine"}
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        token = (await http.post("/api/bootstrap", json=person)).json()["token"]
        sent = await http.put(
            "/api/repo/private.txt",
            params={"visibility": "private"},
            content=ENDLESS,
            headers={"Authorization": f"Bearer {token}", "Content-Type": "text/plain"},
        )
    assert sent.status_code == 201, sent.text
    reader = os.pidfd_open(await asyncio.wait_for(asyncio.to_thread(first_reader_of, process.pid), 60))
    process.kill()
    await process.wait()
    assert list(copies(tmp_path)) == []
    assert any(CANARY in path.read_bytes() for path in (tmp_path / "data/blobs").rglob("*") if path.is_file())
    assert list((tmp_path / "data/scratch").iterdir()) == list((tmp_path / "temporary").iterdir()) == []
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(reader, ended.set)
    await asyncio.wait_for(ended.wait(), 60)
    loop.remove_reader(reader)
    os.close(reader)
