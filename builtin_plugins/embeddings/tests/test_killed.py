"""A server that is killed while it reads loses nothing, and finds each passage once."""

import asyncio
import socket

import httpx
import pytest

from tests import commands

pytest.importorskip("wordllama")
pytestmark = [pytest.mark.any_database, pytest.mark.long_form]

PERSON = {"username": "ada", "password": "difference engine"}
NOTES = 60


async def _serve(data):
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environ = commands.bare_environment() | {
        "SERVICE_DATA": str(data),
        "SERVICE_BIND": address,
        "SERVICE_S3_BIND": "127.0.0.1:0",
        "SERVICE_LOG_LEVEL": "error",
        "SERVICE_RATE_LIMIT": "0",
    }
    process = await commands.start(environ, "serve")
    await asyncio.wait_for(process.stdout.readline(), 60)
    return process, f"http://{address}"


async def _found(http, headers):
    """Returns the ids that a question finds, page by page."""
    found, cursor = [], None
    while True:
        query = {"q": "boats in the port", "mode": "meaning", "limit": 50}
        answer = await http.get(
            "/api/search", params=query | ({"cursor": cursor} if cursor else {}), headers=headers
        )
        body = answer.json()
        found += [item["id"] for item in body["items"] if "meaning" in item["found_by"]]
        cursor = body["next_cursor"]
        if cursor is None:
            return found


async def test_what_a_killed_server_had_begun_is_read_to_its_end(tmp_path):
    tmp_path.chmod(0o700)
    process, url = await _serve(tmp_path)
    notes, headers = [], {}
    try:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            token = (await http.post("/api/bootstrap", json=PERSON)).json()["token"]
            headers = {"Authorization": f"Bearer {token}"}
            for number in range(NOTES):
                note = {"title": f"Harbour {number}", "body": "Ships wait outside the harbour for the tide."}
                notes.append((await http.post("/api/notes", json=note, headers=headers)).json()["id"])
    finally:
        process.kill()
        await process.wait()
    process, url = await _serve(tmp_path)
    try:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http, asyncio.timeout(120):
            while sorted(await _found(http, headers)) != sorted(notes):  # each once
                pass
    finally:
        process.kill()
        await process.wait()
