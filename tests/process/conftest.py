"""`guildhall serve` in a process of its own, on a database with people in it."""

import asyncio
import json
import signal
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from guildhall_testing.people import People
from tests import commands
from tests.processes import free_port


@dataclass
class ServerProcess:
    """The running process; `lines` are what it logged, as they come."""

    running: commands.AsyncRunning
    base_url: str
    s3_url: str
    people: People
    lines: list[dict]
    errors: list[str]

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.base_url.removeprefix("http://").partition(":")
        return host, int(port)

    def logged(self, action: str) -> list[dict]:
        return [line for line in self.lines if line["action"] == action]

    def signal(self, number: int = signal.SIGTERM) -> None:
        self.running.send_signal(number)

    async def exit_code(self) -> int:
        async with asyncio.timeout(60):
            return await self.running.wait()

    def memory_bytes(self) -> int:
        status = Path(f"/proc/{self.running.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024

    async def _read_log(self) -> None:
        async for line in self.running.stderr:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                self.errors.append(line.decode())


async def ready_says(server, status: int) -> httpx.Response:
    """Until `/ready` answers with this status."""
    async with httpx.AsyncClient(base_url=server.base_url, trust_env=False) as http, asyncio.timeout(60):
        while (answer := await http.get("/ready")).status_code != status:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
        return answer


@asynccontextmanager
async def serving(site, words=("serve",), until_started=True, options=(), **settings):
    """`guildhall serve` on a site, with these options; it is killed in the end if it still runs."""
    bind, s3_bind = (f"127.0.0.1:{free_port()}" for _ in range(2))
    environ = {
        **commands.bare_environment(),
        **site.environment(),
        "SERVICE_BIND": bind,
        "SERVICE_S3_BIND": s3_bind,
        "SERVICE_RATE_LIMIT": "0",
        **settings,
    }
    running = await commands.start(environ, *words, *options)
    server = ServerProcess(running, f"http://{bind}", f"http://{s3_bind}", site.people, [], [])
    reading = asyncio.create_task(server._read_log())
    try:
        if until_started:
            async with asyncio.timeout(60):
                assert b"Guildhall" in await running.stdout.readline(), server.errors
        yield server
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
        await reading


@pytest.fixture
def serve(hall_sites, hall_database):
    """`async with serve(SERVICE_DRAIN_SECONDS="2") as server:`, each time on a site of its own."""

    @asynccontextmanager
    async def serve(words=("serve",), until_started=True, options=(), **settings):
        async with (
            hall_sites.lease(hall_database) as site,
            serving(site, words, until_started, options, **settings) as server,
        ):
            yield server

    return serve


@pytest.fixture
def bearer():
    """`bearer(server, person)`: an HTTP client of the server with the person's token."""

    def bearer(server, person, **options):
        return httpx.AsyncClient(
            base_url=server.base_url,
            headers={"Authorization": f"Bearer {person.token}"},
            trust_env=False,
            timeout=60,
            **options,
        )

    return bearer


@pytest.fixture
def plugin_folder(tmp_path):
    """`plugin_folder("pulse", source)`: a value for `SERVICE_PLUGINS` with this plugin in it."""

    def plugin_folder(plugin_id, source):
        home = tmp_path / "plugins" / plugin_id
        home.mkdir(parents=True)
        manifest = {"id": plugin_id, "name": plugin_id, "version": "1", "description": "A toy."}
        (home / "plugin.json").write_text(json.dumps({**manifest, "entry": "plugin.py"}))
        (home / "plugin.py").write_text(source)
        return str(home.parent)

    return plugin_folder
