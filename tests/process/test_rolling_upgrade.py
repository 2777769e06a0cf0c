"""Two servers are replaced by a newer version, one after the other, under a load that loses no request."""

import asyncio
import signal
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests import commands
from tests.processes import free_port

pytestmark = pytest.mark.hall_databases("postgresql")
ROOT = Path(__file__).resolve().parents[2]
NO_REUSE = httpx.Limits(max_keepalive_connections=0)
PAUSE_SECONDS = 0.1
OLD, NEW = "0.1.9", "9.9.9"
STEPS = [
    "CREATE TABLE shelf_items (id $ID PRIMARY KEY, old_name TEXT);",
    "ALTER TABLE shelf_items ADD COLUMN name TEXT;",
    "-- contract\nALTER TABLE shelf_items DROP COLUMN old_name;",
]
PLUGIN = """
from pathlib import Path
from guildhall_sdk import Migrations, Plugin, hookimpl
PLUGIN = Plugin("shelf", "Shelf", "1.0", "Has a table.")
@hookimpl
def declare_migrations():
    return Migrations(Path(__file__).with_name("migrations"))
"""


class Version:
    """A version of the program, with the plugin as it was then."""

    def __init__(self, folder, version, steps):
        home = folder / version / "shelf"
        (home / "migrations").mkdir(parents=True)
        (home / "plugin.json").write_text(
            '{"id": "shelf", "name": "Shelf", "version": "1", "description": "A toy.", "entry": "plugin.py"}'
        )
        (home / "plugin.py").write_text(PLUGIN)
        for number, text in enumerate(steps, start=1):
            (home / "migrations" / f"{number:04d}_items.sql").write_text(text)
        self.version, self.plugins = version, f"{ROOT / 'plugins'}:{home.parent}"

    async def run(self, site, *words, **settings):
        environ = {**commands.bare_environment(), **site.environment(), "SERVICE_PLUGINS": self.plugins}
        of_version = ("-m", "tests.process.of_version", self.version)
        return await commands.start({**environ, **settings}, *of_version, *words)

    async def command(self, site, *words):
        done = await self.run(site, *words)
        printed, errors = await done.communicate()
        return done.returncode, printed.decode() + errors.decode()

    @asynccontextmanager
    async def serving(self, site, balancer):
        """Serves until the block ends; the balancer knows it from its start to its end."""
        bind = f"127.0.0.1:{free_port()}"
        settings = {"SERVICE_BIND": bind, "SERVICE_S3_BIND": f"127.0.0.1:{free_port()}"}
        process = await self.run(site, "serve", SERVICE_RATE_LIMIT="0", **settings)
        try:
            assert b"Guildhall" in await process.stdout.readline()
            balancer.addresses.append(f"http://{bind}")
            yield f"http://{bind}"
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
            balancer.addresses.remove(f"http://{bind}")


class Balancer:
    """Sends each request to a server in turn; where a connection is refused, to the next one."""

    def __init__(self, http, token):
        self.http, self.token = http, token
        self.addresses = []
        self.turn = 0
        self.statuses = Counter()

    async def request(self, method, path, json=None):
        for _ in range(50):
            self.turn += 1
            address = self.addresses[self.turn % len(self.addresses)]
            headers = {"Authorization": f"Bearer {self.token}"}
            try:
                answer = await self.http.request(method, address + path, json=json, headers=headers)
            except httpx.ConnectError:  # it was never sent
                await asyncio.sleep(0.01)
                continue
            self.statuses[answer.status_code] += 1
            return answer
        raise AssertionError("no server takes a connection")


async def load(balancer, stopping, written):
    """Reads and writes notes, and has a model asked by a job, until it is to stop."""
    number = 0
    while not stopping.is_set():
        await asyncio.sleep(PAUSE_SECONDS)  # servers start meanwhile, on few cores
        number += 1
        made = await balancer.request("POST", "/api/notes", {"title": f"Note {number}", "body": "Words."})
        assert made.status_code == 201, made.text
        written.append(made.json()["id"])
        read = await balancer.request("GET", f"/api/notes/{written[-1]}")
        assert read.status_code == 200, read.text
        asked = await balancer.request("POST", "/api/ai/chat", {"prompt": "Hello?"})
        assert asked.status_code == 200, asked.text


async def test_a_rolling_upgrade_loses_no_request_and_takes_away_nothing_that_is_needed(
    hall_sites, hall_database, tmp_path
):
    old, new = Version(tmp_path, OLD, STEPS[:1]), Version(tmp_path, NEW, STEPS)
    async with (
        hall_sites.lease(hall_database) as site,
        httpx.AsyncClient(trust_env=False, timeout=60, limits=NO_REUSE) as http,
        AsyncExitStack() as kept,
        asyncio.timeout(540),
    ):
        balancer = Balancer(http, site.people.acme.team.people["admin"].token)
        first, second = AsyncExitStack(), AsyncExitStack()
        await first.enter_async_context(old.serving(site, balancer))
        await second.enter_async_context(old.serving(site, balancer))
        stopping, written = asyncio.Event(), []
        loads = [asyncio.create_task(load(balancer, stopping, written)) for _ in range(2)]
        await kept.enter_async_context(new.serving(site, balancer))  # it adds its column beside the old ones
        code, printed = await new.command(site, "upgrade", "status")
        assert code == 0 and "shelf: 0003_items.sql" in printed, printed
        assert f"running: {OLD}" in printed and f"running: {NEW}" in printed
        await first.aclose()
        await kept.enter_async_context(new.serving(site, balancer))
        await second.aclose()
        code, printed = await new.command(site, "upgrade", "rollback")
        assert code == 0 and f"open, to {OLD}" in printed, printed
        code, printed = await new.command(site, "upgrade", "finish")
        assert code == 0 and "applied shelf: 0003_items.sql" in printed, printed
        stopping.set()
        await asyncio.gather(*loads)
        assert {*balancer.statuses} == {200, 201} and len(written) > 10
        for note in written[:: max(1, len(written) // 20)]:
            assert (await balancer.request("GET", f"/api/notes/{note}")).status_code == 200
