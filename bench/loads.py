"""Putting load on a server, from another process, and reading what it cost."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.servers import BenchFailed, Server

_CLIENT = Path(__file__).with_name("client.py")


@dataclass(frozen=True, slots=True)
class Load:
    """What one request cost: the server's CPU on average, the client's waiting in the median and at worst.

    `slowest_us` is the 99th percentile, `per_second` how many were answered in a second.
    """

    cpu_us: float
    latency_us: float
    slowest_us: float
    per_second: float


@dataclass(frozen=True, slots=True)
class Client:
    """Makes requests over keep-alive connections, without pipelining."""

    server: Server
    process: "subprocess.Popen[str]"

    def load(self, requests: int) -> Load:
        """Of what it was given, so many times."""
        return self._load(str(requests), requests)

    def load_each(self, requests: Sequence[bytes]) -> Load:
        """Of other requests, once each."""
        given = [base64.b64encode(request).decode("ascii") for request in requests]
        return self._load(json.dumps(given), len(requests))

    def _load(self, line: str, requests: int) -> Load:
        assert self.process.stdin is not None and self.process.stdout is not None
        before = self.server.cpu_seconds()
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        waited = self.process.stdout.readline().split()
        spent = self.server.cpu_seconds() - before
        if not waited:
            assert self.process.stderr is not None
            raise BenchFailed(self.process.stderr.read().strip())
        latency, slowest, seconds = map(float, waited)
        return Load(spent / requests * 1e6, latency * 1e6, slowest * 1e6, requests / seconds)


@contextmanager
def client(
    server: Server, request: bytes | Sequence[bytes], connections: int, port: int | None = None
) -> Iterator[Client]:
    """At the server's own port unless it has another; of several requests each connection repeats one."""
    given = [request] if isinstance(request, bytes) else request
    process = subprocess.Popen(
        [sys.executable, "-IS", _CLIENT, str(port or server.port), str(connections)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps([one.decode("ascii") for one in given]) + "\n")
            process.stdin.flush()
            yield Client(server, process)
        finally:
            process.kill()
