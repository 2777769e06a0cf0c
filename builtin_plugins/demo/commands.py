"""`guildhall demo`: its server in a process of its own, from the start to Ctrl-C, and its folder."""

import argparse
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builtin_plugins.demo.client import Client
from builtin_plugins.demo.filling import PASSWORD, Person, fill, people
from builtin_plugins.demo.servers import LOOPBACK, free_port, server_process, settings_of
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.errors import OperatorError

_FILLED = "demo-is-filled"


def demo(options: argparse.Namespace, _host: StandaloneHost) -> int:
    """Serves a demo until it is asked to stop."""
    folder: Path | None = options.folder
    keeps = options.keep or folder is not None
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, interrupt)
    home = Path(tempfile.mkdtemp(prefix="guildhall-demo-")) if folder is None else _own(folder)
    try:
        with _serving(home, free_port(options.port)) as (server, url):
            _fill(home, url)
            _say(url, home if keeps else None)
            return server.wait()
    except KeyboardInterrupt:
        print("stopped", flush=True)
        return 0
    finally:
        if not keeps:
            shutil.rmtree(home, ignore_errors=True)


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _own(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if any(folder.iterdir()) and not (folder / _FILLED).exists():
        raise OperatorError(f"{folder} holds something that is no demo; give an empty folder")
    return folder


@contextmanager
def _serving(home: Path, port: int) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """Runs a server with nothing but its own settings, and waits until it is ready."""
    url = f"http://{LOOPBACK}:{port}"
    settings = {**settings_of(home, url), "SERVICE_SAMPLE_USAGE": "1"}
    with server_process(settings) as server:
        Client(url).wait_until_ready(lambda: server.poll() is None)
        yield server, url


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
        print(f"  {described(person)}  {url}/login#token={token}")
    print(f"\nAfterwards sign in at {url}/login by name; everybody's password is: {PASSWORD}")
    if kept is not None:
        print(f"\nIt stays in {kept}: guildhall demo --folder {kept}")
    print("\nCtrl-C ends it.", flush=True)


def described(person: Person) -> str:
    return f"{person.username:6} {person.role:9} {person.company:20}"
