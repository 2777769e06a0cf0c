"""Our server with a model behind it, a bare pass-through beside it, and clients that read streams of both."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.guildhall import Founder, found, guildhall
from bench.servers import BenchFailed, Server, post
from bench.stream_peers import HOLD, STREAM_PATH, bare_app, endpoint

OURS, BARE = "ours", "a bare pass-through"
_CLIENT = Path(__file__).with_name("stream_client.py")


@dataclass(frozen=True, slots=True)
class Streamed:
    """What some streams came to: CPU of the server per delta, seconds to the first one of a stream."""

    cpu_us: float
    first_us: float


@dataclass(frozen=True, slots=True)
class StreamClient:
    """Reads streams of one server, from another process."""

    server: Server
    token: str
    process: "subprocess.Popen[str]"

    def stream(self, streams: int, tokens: int) -> Streamed:
        before = self.server.cpu_seconds()
        deltas, first, _ = self._tell(request=self._request("go on", tokens), streams=streams)
        if deltas != streams * tokens:
            raise BenchFailed(f"{deltas} deltas came of {streams * tokens}")
        return Streamed((self.server.cpu_seconds() - before) / deltas * 1e6, first * 1e6)

    def hold(self, streams: int) -> None:
        self._tell(request=self._request(HOLD, 1024), streams=streams, hold=True)

    def release(self) -> None:
        self._tell(release=True)

    def _request(self, prompt: str, tokens: int) -> str:
        return post(STREAM_PATH, {"prompt": prompt, "max_tokens": tokens}, self.token).decode("ascii")

    def _tell(self, **wanted: object) -> tuple[int, float, float]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(wanted) + "\n")
        self.process.stdin.flush()
        told = self.process.stdout.readline().split()
        if not told:
            assert self.process.stderr is not None
            raise BenchFailed(self.process.stderr.read().strip())
        return int(told[0]), float(told[1]), float(told[2])


@dataclass(frozen=True, slots=True)
class Streaming:
    """What runs: our server and whoever set it up, the endpoint, and a client for us and for the bare app."""

    ours: Server
    founder: Founder
    model: Server
    clients: dict[str, StreamClient]


@contextmanager
def streaming(folder: Path, **settings: str) -> Iterator[Streaming]:
    with ExitStack() as stack:
        model = stack.enter_context(endpoint(folder))
        settings |= {"SERVICE_MODEL_URL": f"http://127.0.0.1:{model.port}/v1", "SERVICE_MODEL_NAME": "m"}
        ours = stack.enter_context(guildhall(folder / "data", **settings))
        founder = found(ours)
        _lift_limits(ours, founder)
        servers = {OURS: ours, BARE: stack.enter_context(bare_app(folder, model))}
        clients = {
            name: stack.enter_context(_stream_client(server, founder.token))
            for name, server in servers.items()
        }
        for each in clients.values():
            each.stream(2, 50)
        yield Streaming(ours, founder, model, clients)


def _lift_limits(server: Server, founder: Founder) -> None:
    limit = {"dimension": "ai.concurrency", "limit": None, "window": "none"}
    for path in ("/api/quota", f"/api/orgs/{founder.org_id}/quota"):
        server.ask("POST", path, limit, founder.token)


@contextmanager
def _stream_client(server: Server, token: str) -> Iterator[StreamClient]:
    process = subprocess.Popen(
        [sys.executable, "-IS", _CLIENT, str(server.port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield StreamClient(server, token, process)
        finally:
            process.kill()
