"""`guildhall demo`: its server in a process of its own, from the start to Ctrl-C, and its folder."""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builtin_plugins.demo.client import Client
from builtin_plugins.demo.filling import PASSWORD, Person, fill, people
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.errors import OperatorError

_LOOPBACK = "127.0.0.1"
_STOP_SECONDS = 30
_FILLED = "demo-is-filled"


def demo(options: argparse.Namespace, _host: StandaloneHost) -> int:
    """Serves a demo until it is asked to stop."""
    folder: Path | None = options.folder
    keeps = options.keep or folder is not None
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)
    home = Path(tempfile.mkdtemp(prefix="guildhall-demo-")) if folder is None else _own(folder)
    try:
        with _serving(home, _free(options.port)) as (server, url):
            _fill(home, url)
            _say(url, home if keeps else None)
            return server.wait()
    except KeyboardInterrupt:
        print("stopped", flush=True)
        return 0
    finally:
        if not keeps:
            shutil.rmtree(home, ignore_errors=True)


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _own(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if any(folder.iterdir()) and not (folder / _FILLED).exists():
        raise OperatorError(f"{folder} holds something that is no demo; give an empty folder")
    return folder


def _free(port: int) -> int:
    """Returns the port, or any other one where somebody listens there."""
    for wanted in (port, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((_LOOPBACK, wanted))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OperatorError("no port of this machine is free")


@contextmanager
def _serving(home: Path, port: int) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """Runs a server with nothing but its own settings; it is asked once to stop, and waited for."""
    url = f"http://{_LOOPBACK}:{port}"
    own = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    settings = {
        "SERVICE_DATA": str(home / "data"),
        "SERVICE_BIND": f"{_LOOPBACK}:{port}",
        "SERVICE_S3_BIND": f"{_LOOPBACK}:0",
        "SERVICE_BASE_URL": url,
        "SERVICE_LOG_LEVEL": "error",
        "SERVICE_MULTITENANT": "on",
        "SERVICE_SAMPLE_USAGE": "1",
        # Sign-ups come from several addresses, as they would.
        "SERVICE_TRUSTED_PROXIES": _LOOPBACK,
    }
    command = [str(Path(sys.executable).with_name("guildhall")), "serve"]
    # In a session of its own: Ctrl-C is for this process, which asks the server once.
    server = subprocess.Popen(  # noqa: S603 - our own
        command, env={**own, **settings}, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        Client(url).wait_until_ready(lambda: server.poll() is None)
        yield server, url
    finally:
        if server.poll() is None:
            server.terminate()
            try:
                server.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _fill(home: Path, url: str) -> None:
    done = home / _FILLED
    if done.exists():
        return
    print("Filling the hall ...", flush=True)
    for said in fill(Client(url)):
        print(f"  {said}", flush=True)
    done.touch()


def _say(url: str, kept: Path | None) -> None:
    print(f"\nThe demo is at {url}. Each of these links signs in once:\n")
    stranger = Client(url)
    for person in people():
        token = stranger.post("/api/login", {"username": person.username, "password": PASSWORD})["token"]
        print(f"  {_described(person)}  {url}/login#token={token}")
    print(f"\nAfterwards sign in at {url}/login by name; everybody's password is: {PASSWORD}")
    if kept is not None:
        print(f"\nIt stays in {kept}: guildhall demo --folder {kept}")
    print("\nCtrl-C ends it.", flush=True)


def _described(person: Person) -> str:
    return f"{person.username:6} {person.role:9} {person.company:20}"
