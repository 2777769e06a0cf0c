"""A server in a process of its own, in a folder of its own, which no setting of whoever starts it reaches."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from guildhall_sdk.errors import OperatorError

LOOPBACK = "127.0.0.1"
_STOP_SECONDS = 30


def free_port(port: int) -> int:
    """Returns the port, or any other one where somebody listens there."""
    for wanted in (port, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, wanted))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OperatorError("no port of this machine is free")


def is_listened_to(port: int) -> bool:
    """Tells whether somebody listens at a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0


def settings_of(home: Path, url: str) -> dict[str, str]:
    """Returns the settings of a server that lives in a folder and is there to be looked at."""
    address = url.removeprefix("http://")
    return {
        "SERVICE_DATA": str(home / "data"),
        "SERVICE_BIND": address,
        "SERVICE_S3_BIND": f"{LOOPBACK}:0",
        "SERVICE_BASE_URL": url,
        "SERVICE_LOG_LEVEL": "error",
        "SERVICE_MULTITENANT": "on",
        # Sign-ups come from several addresses, as they would.
        "SERVICE_TRUSTED_PROXIES": LOOPBACK,
    }


@contextmanager
def server_process(
    settings: Mapping[str, str], stderr: int | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """Runs a server with nothing but these settings; it is asked once to stop, and waited for."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    command = [str(Path(sys.executable).with_name("guildhall")), "serve"]
    # In a session of its own: Ctrl-C is for this process, which asks the server once.
    server = subprocess.Popen(  # noqa: S603 - our own
        command,
        env={**own, **settings},
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )
    try:
        yield server
    finally:
        if server.poll() is None:
            server.terminate()
            try:
                server.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
