"""HAProxy in front of servers and of an object store, which it can leave out for a while."""

import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.processes import free_port
from tests.proofs.programs import environment, program

_CONFIGURATION = """
global
    maxconn 500
    stats socket {control} level admin
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout queue 5s
    retries 3
    option redispatch
    retry-on conn-failure
frontend hall
    bind 127.0.0.1:{port}
    default_backend halls
backend halls
    balance roundrobin
    option httpchk GET /ready
    default-server check inter 500ms fall 2 rise 1
{servers}
frontend store
    bind 127.0.0.1:{store_port}
    default_backend stores
backend stores
    server one {store}
"""


class Front:
    """The proxy; `url` is where the servers are, `store_url` where the object store is."""

    def __init__(self, folder: Path, servers: Sequence[str], store: str) -> None:
        self._folder, self._control = folder, folder / "control"
        self.port, self.store_port = free_port(), free_port()
        lines = "\n".join(f"    server hall{number} {address}" for number, address in enumerate(servers))
        (folder / "haproxy.cfg").write_text(
            _CONFIGURATION.format(
                control=self._control,
                port=self.port,
                store_port=self.store_port,
                servers=lines,
                store=store,
            )
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def store_url(self) -> str:
        return f"http://127.0.0.1:{self.store_port}"

    def start(self) -> None:
        with (self._folder / "haproxy.log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(program("haproxy")), "-db", "-f", str(self._folder / "haproxy.cfg")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment(),
            )
        deadline = time.monotonic() + 20
        while not self._control.exists():
            assert time.monotonic() < deadline, (self._folder / "haproxy.log").read_text()
            time.sleep(0.05)

    def leave_out_store(self, out: bool) -> None:
        """Has the proxy answer 503 for the store, or not any more."""
        self._command(f"{'disable' if out else 'enable'} server stores/one")
        if out:
            self._command("shutdown sessions server stores/one")

    def _command(self, line: str) -> None:
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self._control))
            control.sendall(line.encode() + b"\n")
            said = control.recv(4096).decode().strip()
        assert not said, said

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
