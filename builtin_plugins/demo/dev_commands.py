"""`guildhall dev`: plugins from their sources, in a hall with people, served again with each saved file."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from builtin_plugins.demo.client import Client
from builtin_plugins.demo.commands import described, interrupt
from builtin_plugins.demo.dev_screens import PLUGIN_ENTRIES, served_screens
from builtin_plugins.demo.dev_server import DevServer, Sources, dev_server, fault_page, faults_of
from builtin_plugins.demo.filling import PASSWORD, found_companies, people
from builtin_plugins.demo.servers import LOOPBACK, free_port
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.errors import OperatorError
from libs.modules import peek_manifest
from libs.source_distribution import NoProject, describe, entries_of, is_project

_MANIFEST = "plugin.json"
_POLL_SECONDS = 0.2
_IGNORED = frozenset({"__pycache__", "node_modules", "screens", "tests", "build"})
_CHANGED_MIGRATION = "was changed after it had been applied"


def dev(options: argparse.Namespace, _host: StandaloneHost) -> int:
    """Serves plugins until it is asked to stop."""
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, interrupt)
    home = Path(tempfile.mkdtemp(prefix="guildhall-dev-"))
    try:
        sources = _sources([path.resolve() for path in options.path], home)
        front = free_port(options.port)
        with ExitStack() as stack:
            port = stack.enter_context(served_screens(sources, front))
            _serve(_Hall(home, port, front, opens=not options.no_browser), sources)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 0


class _Hall:
    """The hall of one session: its people are there once, its server again and again."""

    def __init__(self, home: Path, port: int, front: int, *, opens: bool) -> None:
        self.folder = home
        self.port, self.front = port, front
        self._opens = opens
        self._operator: Client | None = None
        self._many = 0

    @property
    def home(self) -> Path:
        return self.folder / f"hall-{self._many}"

    def begin_anew(self) -> None:
        """Leaves the data behind: the next server has a database of its own."""
        shutil.rmtree(self.home, ignore_errors=True)
        self._many, self._operator = self._many + 1, None

    def faults(self, server: DevServer, ids: Sequence[str]) -> list[str]:
        """Waits for the server; returns why plugins, or the server, are not there."""
        try:
            server.client.wait_until_ready(server.lives)
        except OperatorError:
            return [server.last_words() if not server.lives() else "the server does not become ready"]
        if self._operator is None:
            self._operator = found_companies(server.client)[people()[0].username]
        return faults_of(self._operator, ids)

    def welcome(self, ids: Sequence[str]) -> None:
        url = f"http://{LOOPBACK}:{self.front}"
        print(f"\n{', '.join(ids)} at {url}. Everybody's password is: {PASSWORD}\n")
        for person in people():
            print(f"  {described(person)}  {url}/login")
        print("\nA saved file starts it again. Ctrl-C ends it.", flush=True)
        if self._opens and _has_browser():
            webbrowser.open(f"{url}/login")
        self._opens = False


def _serve(hall: _Hall, sources: Sources) -> None:
    """Starts a server, waits for a change, and starts the next one."""
    welcomed = False
    while True:
        files = _snapshot(sources.folders)
        with dev_server(hall.home, hall.port, hall.front, sources) as server:
            faults = hall.faults(server, sources.ids)
            if not faults:
                if not welcomed:
                    hall.welcome(sources.ids)
                    welcomed = True
                else:
                    print("served again", flush=True)
                while server.lives() and _snapshot(sources.folders) == files:
                    time.sleep(_POLL_SECONDS)
                if server.lives():
                    continue
                faults = [server.last_words()]
        if any(_CHANGED_MIGRATION in fault for fault in faults):
            print("a migration was changed: the hall begins anew", flush=True)
            hall.begin_anew()
            continue
        with fault_page(hall.port, faults):
            for fault in faults:
                print(f"not served: {fault}", flush=True)
            while _snapshot(sources.folders) == files:
                time.sleep(_POLL_SECONDS)


def _sources(paths: Sequence[Path], home: Path) -> Sources:
    """Finds the plugins of folders: projects with a `pyproject.toml`, or folders with a `plugin.json`."""
    ids, places, plain = list[str](), list[str](), home / "plugins"
    plain.mkdir()
    for number, path in enumerate(paths):
        if (path / _MANIFEST).is_file():
            ids.append(str(peek_manifest(path / _MANIFEST).get("id", path.name)))
            (plain / f"{number}-{path.name}").symlink_to(path)
        elif is_project(path):
            try:
                found = entries_of(path, PLUGIN_ENTRIES)
                places += describe(path, home / f"site-{number}")
            except NoProject as reason:
                raise OperatorError(str(reason)) from None
            if not found:
                raise OperatorError(f"{path} names no plugin in its entry points {PLUGIN_ENTRIES}")
            ids += found
        else:
            raise OperatorError(
                f"{path} is no plugin: name a folder with a pyproject.toml or a {_MANIFEST}; "
                "`guildhall plugin new` makes one"
            )
    given = os.environ.get("PYTHONPATH")
    path_of_modules = os.pathsep.join([*places, *([given] if given else [])])
    settings = {"PYTHONPATH": path_of_modules} if path_of_modules else {}
    if any(plain.iterdir()):
        settings["SERVICE_PLUGINS"] = str(plain)
    return Sources(ids, settings, paths)


def _snapshot(folders: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Returns when each file was written, and how long it is."""
    found = {}
    for folder in folders:
        for path in _files(folder):
            try:
                stat = path.stat()
            except OSError:
                continue  # an editor puts a new file in its place
            found[str(path)] = (stat.st_mtime_ns, stat.st_size)
    return found


def _files(folder: Path) -> Iterator[Path]:
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if name not in _IGNORED and not name.startswith(".")]
        yield from (Path(place, file) for file in files if not file.startswith(".") and file[-1:] != "~")


def _has_browser() -> bool:
    """Tells whether there is one in a window: one in the terminal would hide what is said there."""
    on_desktop = sys.platform in {"darwin", "win32"}
    return on_desktop or any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
