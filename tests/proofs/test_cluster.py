"""Three servers of two processes each, PostgreSQL under Patroni, an object store: one after the other fails.

Under a mixed load: what was acknowledged is there at the end, every effect once, and nothing is another's.
"""

import asyncio
import base64
import os
import secrets
import signal
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import quantiles

import boto3
import httpx
import pytest

from tests import commands
from tests.processes import free_port
from tests.proofs.databases import TTL_SECONDS, Cluster
from tests.proofs.front import Front
from tests.proofs.load import WORKFLOW, Company, Load, verify
from tests.proofs.programs import PATRONI, ROOT, clock_library, needed

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.long_form,
    needed("etcd", "haproxy"),
    pytest.mark.skipif(not PATRONI.exists(), reason="Patroni is not here: `make proofs` fetches it"),
]
PROCESSES = 2
HANG_SECONDS = 5
STORE_AWAY_SECONDS = 20
# Of a thousand runs, by the three deaths: what was under way in one process, and not in all.
MOST_REPEATED = 8
BUCKET = "guildhall"
STORE_KEY = {"S3_ACCESS_KEY_ID": "proof", "S3_SECRET_ACCESS_KEY": "proof-of-the-cluster"}


class Server:
    """`guildhall serve --workers` with a data folder of its own, as on a machine of its own."""

    def __init__(self, folder: Path, number: int, settings: dict[str, str]) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self._log = folder / f"server-{number}.log"
        self._environ = {
            **commands.bare_environment(),
            **settings,
            "SERVICE_DATA": str(folder / f"data-{number}"),
            "SERVICE_BIND": self.address,
            "SERVICE_S3_BIND": f"127.0.0.1:{free_port()}",
        }
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, **more: str) -> None:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "kernel.cli", "serve", "--workers", str(PROCESSES)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env={**self._environ, **more},
                start_new_session=True,
            )
        await self.ready()

    async def ready(self) -> None:
        async with httpx.AsyncClient(trust_env=False, timeout=5) as http, asyncio.timeout(120):
            while True:
                try:
                    if (await http.get(f"http://{self.address}/ready")).status_code == 200:
                        return
                except httpx.HTTPError:
                    assert self._process is None or self._process.returncode is None, self.said()
                await asyncio.sleep(0.1)

    def workers(self) -> list[int]:
        """The processes that it looks after."""
        assert self._process is not None
        return [
            int(pid)
            for path in Path(f"/proc/{self._process.pid}/task").glob("*/children")
            for pid in path.read_text().split()
        ]

    async def kill(self) -> None:
        """All of it at once, as a machine that loses its power."""
        assert self._process is not None
        for pid in (self._process.pid, *self.workers()):
            os.kill(pid, signal.SIGKILL)
        await self._process.wait()

    async def stop(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(60):
                    await self._process.wait()
            except TimeoutError:
                await self.kill()

    def said(self) -> str:
        return self._log.read_text("utf-8", "replace")[-3000:]


class Site:
    """All of it, and what it took."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Cluster()
        self.store_port = free_port()
        self.servers: list[Server] = []
        self.front: Front
        self._begun = time.monotonic()
        self._store: subprocess.Popen[bytes] | None = None

    def print(self, line: str) -> None:
        """Says at once what a failure took, whether or not the proof succeeds."""
        sys.__stdout__.write(f"\n  {time.monotonic() - self._begun:5.0f} s  {line}")
        sys.__stdout__.flush()

    def start_store(self) -> None:
        words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.store_port)]
        with (self.folder / "store.log").open("wb") as log:
            self._store = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        store = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{self.store_port}",
            region_name="us-east-1",
            aws_access_key_id=STORE_KEY["S3_ACCESS_KEY_ID"],
            aws_secret_access_key=STORE_KEY["S3_SECRET_ACCESS_KEY"],
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                store.create_bucket(Bucket=BUCKET)
                return
            except Exception:
                assert time.monotonic() < deadline, (self.folder / "store.log").read_text()
                time.sleep(0.2)

    async def start(self) -> None:
        self.start_store()
        await self.database.start()
        key = base64.b64encode(secrets.token_bytes(32)).decode()
        settings = {
            **STORE_KEY,
            "S3_BUCKET": BUCKET,
            "SERVICE_BLOB_STORE": "s3",
            "SERVICE_DATABASE_URL": self.database.url,
            "SERVICE_DATABASE_POOL": "6",
            "SERVICE_SECRET_KEY": key,
            "SERVICE_RATE_LIMIT": "0",
            "SERVICE_EMBEDDINGS": "0",
            "SERVICE_LEASE_SECONDS": "10",
            "SERVICE_HANG_SECONDS": str(HANG_SECONDS),
            "SERVICE_DRAIN_SECONDS": "5",
            "SERVICE_TRUSTED_PROXIES": "127.0.0.1",
        }
        self.servers = [Server(self.folder, number, settings) for number in range(3)]
        self.front = Front(
            self.folder, [server.address for server in self.servers], f"127.0.0.1:{self.store_port}"
        )
        self.front.start()
        settings["S3_ENDPOINT"] = self.front.store_url
        for server in self.servers:
            server._environ["S3_ENDPOINT"] = self.front.store_url
        await self.servers[0].start()  # it migrates
        await asyncio.gather(*(server.start() for server in self.servers[1:]))

    async def stop(self) -> None:
        await asyncio.gather(*(server.stop() for server in self.servers))
        if self.servers:
            self.front.stop()
        if self._store is not None:
            self._store.kill()
            self._store.wait()
        self.database.stop()


async def _companies(url: str) -> list[Company]:
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as http:

        async def post(path: str, body: object, token: str = "") -> dict[str, str]:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            answer = await http.post(path, json=body, headers=headers)
            assert answer.is_success, answer.text
            return answer.json()

        operator = await post("/api/bootstrap", {"username": "ada", "password": "difference engine"})
        companies = []
        for name in ("acme", "globex"):
            body = {"name": name, "slug": name, "owner": {"username": f"{name}-owner"}}
            owner = await post("/api/orgs", body, operator["token"])
            companies.append(Company(name, owner["token"]))
            await post("/api/workflows", WORKFLOW, owner["token"])
        return companies


async def test_what_was_acknowledged_outlives_every_failure_and_is_there_once(tmp_path, capfd):
    site = Site(tmp_path)
    async with AsyncExitStack() as stack, asyncio.timeout(570):
        stack.enter_context(capfd.disabled())
        stack.push_async_callback(site.stop)
        await site.start()
        load = Load(site.front.url, await _companies(site.front.url))
        running = asyncio.create_task(load.run())
        try:
            await _all_that_fails(site, load)
        finally:
            load.stop()
            await running
        wrong = list(load.wrong)
        async with httpx.AsyncClient(base_url=site.front.url, trust_env=False, timeout=60) as http:
            for company in load.companies:
                wrong += await verify(http, company)
        site.print(_sum_of(load))
        assert wrong == [], "\n".join(wrong)
        assert sum(company.repeated for company in load.companies) <= MOST_REPEATED


async def _all_that_fails(site: Site, load: Load) -> None:
    first, second, third = site.servers
    await load.progress(50)

    async def measured(what: str, since: float) -> None:
        await load.progress(50)
        times = [seconds for at, seconds in load.served if at >= since]
        site.print(
            f"{what}: {len(times)} acknowledged, longest silence {load.longest_silence(since):.1f} s, "
            f"p99 {quantiles(times, n=100)[98]:.2f} s"
        )

    begun = time.monotonic()
    await load.progress(300)
    await measured("quiet", begun)

    begun = time.monotonic()
    await first.kill()
    await load.progress(100)
    await first.start()
    await measured("a server killed and started", begun)

    begun = time.monotonic()
    frozen = second.workers()[-1]
    os.kill(frozen, signal.SIGSTOP)
    async with asyncio.timeout(60):
        while frozen in second.workers():  # noqa: ASYNC110 - until whoever looks after it has had enough
            await asyncio.sleep(0.1)
    await measured("a process frozen, and replaced", begun)

    begun = time.monotonic()
    site.front.leave_out_store(True)
    await asyncio.sleep(STORE_AWAY_SECONDS)
    site.front.leave_out_store(False)
    await measured(f"the object store away for {STORE_AWAY_SECONDS} s", begun)

    begun = time.monotonic()
    for server in site.servers:
        await server.stop()
        await server.start()
    await measured("rolling restart of three", begun)

    begun = time.monotonic()
    dead = await site.database.primary()
    dead.kill()
    await site.database.other(dead).says("/primary", seconds=3 * TTL_SECONDS)
    elected = time.monotonic() - begun
    await load.progress(100)
    await measured(f"the primary dead (another led after {elected:.1f} s)", begun)

    begun = time.monotonic()
    dead.start()
    await dead.says("/sync")
    await measured("the old primary back, as standby", begun)

    library = clock_library()
    if library is None:
        site.print("a clock an hour off: not tried, there is no libfaketime here")
        return
    begun = time.monotonic()
    await third.stop()
    await third.start(LD_PRELOAD=str(library), FAKETIME="+1h", FAKETIME_DONT_FAKE_MONOTONIC="1")
    await load.progress(200)
    await measured("a server whose clock is an hour ahead", begun)


def _sum_of(load: Load) -> str:
    done = [
        f"{sum(len(getattr(company, what)) for company in load.companies)} {what}"
        for what in ("notes", "files", "jobs", "runs")
    ]
    retried = sum(company.retried for company in load.companies)
    repeated = sum(company.repeated for company in load.companies)
    answers = dict(load.statuses)
    faults = f"{retried} runs tried again, {repeated} tools called twice"
    return f"{', '.join(done)} acknowledged; {faults}; {answers=}"
