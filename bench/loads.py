"""Putting load on a server, from another process, and reading what it cost."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.servers import BenchFailed, Server

_CLIENT = Path(__file__).with_name("client.py")


@dataclass(frozen=True, slots=True)
class Load:
    """What one request cost: the server's CPU on average, the client's waiting in the median and at worst.

    `slowest_us` is the 99th percentile.
    """

    cpu_us: float
    latency_us: float
    slowest_us: float


@dataclass(frozen=True, slots=True)
class Client:
    """Repeats one request over keep-alive connections, without pipelining."""

    server: Server
    process: "subprocess.Popen[str]"

    def load(self, requests: int) -> Load:
        assert self.process.stdin is not None and self.process.stdout is not None
        before = self.server.cpu_seconds()
        self.process.stdin.write(f"{requests}\n")
        self.process.stdin.flush()
        waited = self.process.stdout.readline().split()
        spent = self.server.cpu_seconds() - before
        if not waited:
            assert self.process.stderr is not None
            raise BenchFailed(self.process.stderr.read().strip())
        latency, slowest = (float(seconds) * 1e6 for seconds in waited)
        return Load(spent / requests * 1e6, latency, slowest)


@contextmanager
def client(server: Server, request: bytes, connections: int) -> Iterator[Client]:
    process = subprocess.Popen(
        [sys.executable, "-IS", _CLIENT, str(server.port), str(connections)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request.decode("ascii")) + "\n")
            yield Client(server, process)
        finally:
            process.kill()
