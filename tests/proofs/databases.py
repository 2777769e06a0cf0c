"""A primary and a standby of PostgreSQL under Patroni, whose decisions stand in an etcd."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import yaml

from guildhall_testing import postgres
from tests.processes import free_port
from tests.proofs.programs import PATRONI, environment, program

USER = "guildhall"
#: How long a primary that says nothing any more keeps its place; Patroni takes no less.
TTL_SECONDS = 20
_START_SECONDS = 90


class Member:
    """One PostgreSQL with its Patroni."""

    def __init__(self, cluster: "Cluster", name: str) -> None:
        self.name, self._cluster = name, cluster
        self.port, self.api = free_port(), f"http://127.0.0.1:{(api := free_port())}"
        self.data = cluster.folder / name / "data"
        self._settings = cluster.folder / f"{name}.yaml"
        self._patroni: subprocess.Popen[bytes] | None = None
        access = [f"host {database} all 127.0.0.1/32 trust" for database in ("all", "replication")]
        person = {"username": USER, "password": "unused"}
        self._settings.write_text(
            yaml.safe_dump(
                {
                    "scope": "hall",
                    "name": name,
                    "restapi": {"listen": f"127.0.0.1:{api}", "connect_address": f"127.0.0.1:{api}"},
                    "etcd3": {"hosts": f"127.0.0.1:{cluster.etcd_port}"},
                    "bootstrap": {
                        "dcs": {
                            "ttl": TTL_SECONDS,
                            "loop_wait": 1,
                            "retry_timeout": 3,
                            "primary_start_timeout": 0,
                            "synchronous_mode": True,
                            "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 100}},
                        },
                        "initdb": [
                            {"encoding": "UTF8"},
                            {"locale": "C"},
                            {"locale-provider": "builtin"},
                            {"builtin-locale": "C.UTF-8"},
                            "data-checksums",
                        ],
                    },
                    "postgresql": {
                        "listen": f"127.0.0.1:{self.port}",
                        "connect_address": f"127.0.0.1:{self.port}",
                        "data_dir": str(self.data),
                        "bin_dir": str(cluster.binaries),
                        "pgpass": str(cluster.folder / f"{name}.pgpass"),
                        "authentication": {"superuser": person, "replication": person, "rewind": person},
                        "parameters": {
                            "unix_socket_directories": str(cluster.folder),
                            "shared_buffers": "64MB",
                            "wal_log_hints": "on",
                        },
                        "pg_hba": access,
                    },
                }
            )
        )

    def start(self) -> None:
        with (self._cluster.folder / f"{self.name}.log").open("ab") as log:
            self._patroni = subprocess.Popen(
                [self._cluster.python, "-m", "patroni", str(self._settings)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment(HOME=str(self._cluster.folder), PYTHONPATH=str(self._cluster.patroni)),
                cwd=self._cluster.folder,
                start_new_session=True,
                **self._cluster.identity,
            )

    def kill(self) -> None:
        """Ends both outright, as a machine that loses its power."""
        assert self._patroni is not None
        self._patroni.kill()
        self._patroni.wait()
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def stop(self) -> None:
        if self._patroni is None or self._patroni.poll() is not None:
            return
        self._patroni.terminate()
        try:
            self._patroni.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    async def says(self, path: str, seconds: float = _START_SECONDS) -> None:
        """Waits until its Patroni answers 200 there: `/primary`, `/replica` or `/sync`."""
        async with httpx.AsyncClient(trust_env=False, timeout=5) as http, asyncio.timeout(seconds):
            while not await self._answers(http, path):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.1)

    async def _answers(self, http: httpx.AsyncClient, path: str) -> bool:
        try:
            return (await http.get(self.api + path)).status_code == 200
        except httpx.HTTPError:
            return False


class Cluster:
    """Two members; `url` is for a server that goes to whichever is the primary."""

    def __init__(self) -> None:
        # Where whom they run as may go; in a folder of the tests' it may not.
        self.folder = Path(tempfile.mkdtemp(prefix="guildhall-patroni-", dir="/tmp"))
        self.identity = postgres._unprivileged_identity(self.folder)
        self.binaries = postgres._reachable_binaries(self.folder)
        self.python = _python(self.identity)
        self.patroni = self.folder / "patroni"
        shutil.copytree(PATRONI, self.patroni)
        self.etcd_port = free_port()
        self._etcd: subprocess.Popen[bytes] | None = None
        self.members = [Member(self, name) for name in ("a", "b")]
        for place in (self.folder, *self.folder.glob("*.yaml")):
            if self.identity:
                os.chown(place, self.identity["user"], self.identity["group"])

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return f"postgresql://{USER}@{hosts}/hall"

    async def start(self) -> None:
        self._start_etcd()
        first, second = self.members
        first.start()
        await first.says("/primary")
        second.start()
        await second.says("/sync")
        self.run("createdb", first, "hall")

    def _start_etcd(self) -> None:
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{free_port()}"
        words = ["--data-dir", str(self.folder / "etcd"), "--name", "one"]
        words += ["--listen-client-urls", client, "--advertise-client-urls", client]
        words += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        words += ["--initial-cluster", f"one={peer}"]
        with (self.folder / "etcd.log").open("wb") as log:
            self._etcd = subprocess.Popen(
                [str(program("etcd")), *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment(),
                start_new_session=True,
                **self.identity,
            )

    def run(self, name: str, member: Member, *words: str) -> str:
        """Runs a program of PostgreSQL against a member, and returns what it printed."""
        reach = ["-h", "127.0.0.1", "-p", str(member.port), "-U", USER]
        done = subprocess.run(
            [self.binaries / name, *reach, *words], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    async def primary(self) -> Member:
        """Returns the member that leads."""
        async with httpx.AsyncClient(trust_env=False, timeout=5) as http:
            for member in self.members:
                if await member._answers(http, "/primary"):
                    return member
        raise AssertionError("nobody leads")

    def other(self, member: Member) -> Member:
        return next(one for one in self.members if one is not member)

    def stop(self) -> None:
        for member in reversed(self.members):
            member.stop()
        if self._etcd is not None:
            self._etcd.kill()
            self._etcd.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _python(identity: dict[str, Any]) -> str:
    """Returns an interpreter that whom PostgreSQL runs as may start: ours may lie in somebody's home."""
    for python in (sys.executable, "/usr/bin/python3"):
        with suppress(OSError):
            if subprocess.run([python, "-c", ""], **identity).returncode == 0:
                return python
    raise RuntimeError("Patroni needs an interpreter that everybody may start: install Debian's python3")
