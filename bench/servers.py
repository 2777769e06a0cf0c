"""Servers under measurement: started, watched from outside, and stopped whatever happens."""

import ctypes
import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_START_SECONDS = 120.0  # where others work too
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.002
_LOOK_SECONDS = 0.2
_IDLE_SHARE = 0.03


class BenchFailed(Exception):
    """A subject cannot be measured, in one line."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server and how to reach it; `children` are the processes that it has beside its first."""

    port: int
    process: "subprocess.Popen[bytes]"
    seconds_to_ready: float
    children: tuple[int, ...] = ()

    def cpu_seconds(self) -> float:
        """User and system time of all its threads so far, to the nanosecond."""
        return sum(map(_cpu_seconds, (self.process.pid, *self.children)))

    def wait_until_idle(self) -> None:
        """Until it has nothing to do any more for whoever asked before."""
        deadline = time.perf_counter() + _START_SECONDS
        before = self.cpu_seconds()
        while time.perf_counter() < deadline:
            time.sleep(_LOOK_SECONDS)
            now = self.cpu_seconds()
            if now - before < _LOOK_SECONDS * _IDLE_SHARE:
                return
            before = now
        raise BenchFailed("a server never came to rest")

    def resident_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def forget_peak(self) -> None:
        """Lets `peak_mib` begin anew."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5", "ascii")

    def peak_mib(self) -> float:
        """The highest that its resident memory has been."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """One call outside the measurement; the decoded answer."""
        return self._call(method, path, None if body is None else json.dumps(body), token, {})

    def put(self, path: str, text: str, media_type: str, token: str) -> Any:
        """Keeps a file, outside the measurement; the decoded answer."""
        return self._call("PUT", path, text.encode(), token, {"Content-Type": media_type})

    def _call(
        self, method: str, path: str, body: str | bytes | None, token: str | None, headers: dict[str, str]
    ) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_START_SECONDS)
        try:
            credential = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request(method, path, body, {**headers, **credential})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status not in (200, 201, 202):
            raise BenchFailed(f"{method} {path} answered {answer.status}: {text.decode('utf-8', 'replace')}")
        return json.loads(text)


def _cpu_seconds(pid: int) -> float:
    clock = ctypes.c_int()
    if ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise BenchFailed("a server ended while it was measured")
    return time.clock_gettime(clock.value)


def with_children(server: Server, count: int) -> Server:
    """The server once it has so many child processes, which count as its own."""
    listing = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    deadline = time.perf_counter() + _START_SECONDS
    while len(children := tuple(map(int, listing.read_text("ascii").split()))) < count:
        if time.perf_counter() > deadline:
            raise BenchFailed(f"a server has {len(children)} processes and not {count}")
        time.sleep(_POLL_SECONDS)
    return replace(server, children=children)


def get(path: str, token: str | None = None) -> bytes:
    """The bytes of a request."""
    credential = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n{credential}\r\n"
    return head.encode("ascii")


def post(path: str, body: Any, token: str) -> bytes:
    """The bytes of a request with a body."""
    content = json.dumps(body)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
    head += f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n{content}".encode("ascii")


@contextmanager
def running(
    command: Sequence[str], port: int, ready_path: str, folder: Path, environment: Mapping[str, str]
) -> Iterator[Server]:
    """The server from exec until the end of the block; its output goes to a file in `folder`."""
    log = folder / f"{port}.log"
    with log.open("wb") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        while not _is_ready(port, ready_path):
            if process.poll() is not None or time.perf_counter() - started > _START_SECONDS:
                last_lines = log.read_text("utf-8", "replace").strip().splitlines()[-5:]
                raise BenchFailed(f"{Path(command[0]).name} did not start: " + "\n".join(last_lines))
            time.sleep(_POLL_SECONDS)
        yield Server(port, process, time.perf_counter() - started)
    finally:
        _stop(process)


def _is_ready(port: int, path: str) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as connection:
            connection.sendall(get(path))
            return connection.recv(12) == b"HTTP/1.1 200"
    except OSError:
        return False


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def plain_environment() -> dict[str, str]:
    """Ours without the settings of whoever runs the bench."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
