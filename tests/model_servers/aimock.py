"""`@copilotkit/aimock`: a model server that is none of ours, for as long as a test lasts."""

import asyncio
import json
import os
import re
import secrets
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

SERVER = Path(sys.prefix) / "model-servers/node_modules/@copilotkit/aimock/dist/cli.js"
KEY = f"sk-{secrets.token_hex(24)}"
_HUNG_UP = re.compile(r'^aimock_requests_total\{.*path="/v1/chat/completions".*status="destroyed"', re.M)
_PATIENCE_S = 60
#: Longer than any test: the rest of an answer that comes after this is never read.
_NEVER_MS = 3_600_000


@asynccontextmanager
async def running(*command, until, **environment):
    """Runs a server for as long as the block lasts; yields the line in which it says that it is ready."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**{name: os.environ[name] for name in ("PATH", "HOME")}, **environment},
    )
    try:
        async with asyncio.timeout(180):
            while until not in (line := (await process.stdout.readline()).decode()):
                assert line, "the server ended before it began"
        # Nobody may stop it by not reading what it says.
        reading = asyncio.create_task(process.stdout.read())
        yield line
        reading.cancel()
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def running_aimock(fixtures, *options):
    """Runs the server with what it answers, a file; yields its address as an endpoint of OpenAI's kind."""
    assert SERVER.exists(), "make setup installs it"
    command = ("node", str(SERVER), "-p", "0", "-f", str(fixtures), *options)
    async with running(*command, until="listening on ") as line:
        yield line.rpartition("listening on ")[2].strip() + "/v1"


def settings_for(url):
    """The settings that make it an instance's own model."""
    return {"SERVICE_MODEL_URL": url, "SERVICE_MODEL_NAME": "gpt-4o", "SERVICE_MODEL_KEY": KEY}


@dataclass(frozen=True)
class Aimock:
    """The server of a test: what it is to answer, what it was asked, and who hung up on it."""

    http: httpx.AsyncClient

    async def answer(self, question, response, *, hangs_after=None, **match):
        """Answers a question; `hangs_after` so many pieces nothing more comes, until the caller leaves."""
        fixture = {"match": {"userMessage": question, **match}, "response": response}
        if hangs_after is not None:
            delays = [*[0] * (hangs_after - 1), _NEVER_MS]
            timings = {"ttftMs": 0, "interChunkDelaysMs": delays, "totalDurationMs": _NEVER_MS}
            fixture["recordedTimings"] = timings
        (await self.http.post("/__aimock/fixtures", json={"fixtures": [fixture]})).raise_for_status()

    async def messages(self):
        """Returns the messages of the last turn that it was asked for."""
        return (await self.http.get("/__aimock/journal")).json()[-1]["body"]["messages"]

    async def hang_up(self):
        """Waits until it has seen a caller leave before the end of an answer."""
        async with asyncio.timeout(_PATIENCE_S):
            while not _HUNG_UP.search((await self.http.get("/metrics")).text):
                continue


@asynccontextmanager
async def open_aimock(folder):
    """Runs a server that has no answer yet; yields its address and itself."""
    (folder / "fixtures.json").write_text(json.dumps({"fixtures": []}))
    async with (
        running_aimock(folder / "fixtures.json", "-c", "3", "--metrics") as url,
        httpx.AsyncClient(base_url=url.removesuffix("/v1"), trust_env=False) as http,
    ):
        yield url, Aimock(http)
