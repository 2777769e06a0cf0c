"""What plugins cost: from nothing to a green test, a start with many of them, and a route of one."""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from bench.guildhall import OURS, found, guildhall
from bench.loads import client
from bench.peers import is_installed
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import BenchFailed, get, plain_environment
from kernel.boot import Server
from kernel.config import Settings
from libs.source_distribution import describe

NAME = "plugins"
ROUNDS = 9
START_ROUNDS = 31
LOAD_ROUNDS = 61
REQUESTS = 25
WARM_UP = 200
CONNECTIONS = 4
FEW, MANY = 10, 100
#: What one plugin costs is never less, where a start is as quick without it.
_LEAST_MS = 0.01

_MANIFEST = {"version": "1", "description": "A trivial plugin.", "entry": "plugin.py"}
_TRIVIAL = """
from guildhall_sdk import Auth, Reply, Route, hookimpl


async def health(call):
    return Reply({"ok": True, "multitenant": call.host.settings.multitenant})


@hookimpl
def declare_routes():
    return [Route("GET", "/api/%(id)s/health", health, "Whether it is up", Auth.PUBLIC)]
"""
#: A project for cookiecutter as authors of Datasette's plugins begin: a module, its entry point, a test.
_TEMPLATE = {
    "cookiecutter.json": json.dumps({"name": "shelf", "module": "datasette_{{ cookiecutter.name }}"}),
    "datasette-{{ cookiecutter.name }}/pyproject.toml": """
[project]
name = "datasette-{{ cookiecutter.name }}"
version = "0.1"
dependencies = ["datasette"]
[project.entry-points.datasette]
{{ cookiecutter.name }} = "{{ cookiecutter.module }}"
[tool.pytest.ini_options]
asyncio_mode = "auto"
""",
    "datasette-{{ cookiecutter.name }}/{{ cookiecutter.module }}.py": """
from datasette import Response, hookimpl


async def hello():
    return Response.json({"hello": True})


@hookimpl
def register_routes():
    return [("^/-/hello$", hello)]
""",
    "datasette-{{ cookiecutter.name }}/tests/test_{{ cookiecutter.name }}.py": """
from datasette.app import Datasette


async def test_it_is_installed_and_answers():
    datasette = Datasette(memory=True)
    plugins = (await datasette.client.get("/-/plugins.json")).json()
    assert "datasette-{{ cookiecutter.name }}" in {one["name"] for one in plugins}
    assert (await datasette.client.get("/-/hello")).json() == {"hello": True}
""",
}


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        _compare_starts(report, folder)
        _compare_routes(report, folder)
        _compare_beginnings(report, folder)


def _compare_starts(report: Report, folder: Path) -> None:
    counts = (0, FEW, MANY)
    starts = {many: partial(_start, folder / f"data-{many}", _settings(folder, many)) for many in counts}
    for start in starts.values():
        start()  # which migrates, and compiles what it imports
    taken = take_turns({str(many): start for many, start in starts.items()}, START_ROUNDS)
    # Of so little no single start can tell: the middle of all without plugins is taken off each.
    without = median(taken["0"])
    cost = {many: [max(_LEAST_MS, (ms - without) / many) for ms in taken[str(many)]] for many in (FEW, MANY)}
    what = f"CPU of a start per plugin, with {MANY} trivial ones"
    report.compare(NAME, what, cost[MANY], f"with {FEW}", cost[FEW], Aim(1.5))
    report.reading(NAME, f"start per plugin of {MANY}", cost[MANY], "ms of CPU")


def _start(data: Path, settings: Mapping[str, str]) -> float:
    """Starts a server in this process and stops it; returns the CPU that the start took, in ms."""
    environment = {"SERVICE_DATA": str(data), **settings}

    async def start() -> float:
        begun = time.process_time()
        server = Server(Settings.from_environment(environment))
        await server.start()
        taken = time.process_time() - begun
        await server.stop()
        return taken * 1000

    gc.collect()
    return asyncio.run(start())


def _settings(folder: Path, plugins: int) -> Mapping[str, str]:
    """Writes so many plugins into a folder in the place of the shipped ones; returns the settings."""
    home = folder / f"plugins-{plugins}"
    home.mkdir(exist_ok=True)
    for number in range(plugins):
        plugin_id = f"trivial-{number}"
        place = home / plugin_id
        place.mkdir(parents=True, exist_ok=True)
        (place / "plugin.json").write_text(json.dumps({**_MANIFEST, "id": plugin_id, "name": plugin_id}))
        (place / "plugin.py").write_text(_TRIVIAL % {"id": plugin_id})
    return {"SERVICE_PLUGINS": str(home)}


def _compare_routes(report: Report, folder: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(guildhall(folder / "served", **_settings(folder, 1)))
        found(server)
        paths = {"plugin": "/api/trivial-0/health", "builtin": "/health"}
        if server.ask("GET", paths["plugin"]) != server.ask("GET", paths["builtin"]):
            raise BenchFailed("the plugin's route and the builtin one answer differently")
        clients = {
            name: stack.enter_context(client(server, get(path), CONNECTIONS)) for name, path in paths.items()
        }
        for each in clients.values():
            each.load(WARM_UP)
        loads = take_turns(
            {name: partial(each.load, REQUESTS) for name, each in clients.items()}, LOAD_ROUNDS
        )
    cpu = {name: [load.cpu_us for load in series] for name, series in loads.items()}
    what = "CPU of a plugin's route"
    report.compare(NAME, what, cpu["plugin"], "a builtin one with the same body", cpu["builtin"], Aim(1.05))


def _compare_beginnings(report: Report, folder: Path) -> None:
    if not (is_installed("cookiecutter") and is_installed("datasette")):
        return
    template, numbers = folder / "template", iter(range(1_000_000))
    for path, text in _TEMPLATE.items():
        (template / path).parent.mkdir(parents=True, exist_ok=True)
        (template / path).write_text(text)

    def ours() -> None:
        home = folder / f"ours-{next(numbers)}"
        _run([OURS, "plugin", "new", "shelf", "--routes", "--yes", "--folder", home / "project"], folder)
        _test(home / "project", home, "-k", "not conformance")

    def theirs() -> None:
        home = folder / f"theirs-{next(numbers)}"
        home.mkdir()
        words = ("-m", "cookiecutter", template, "--no-input", "--output-dir", home)
        _run((sys.executable, *words), folder, HOME=str(folder))
        _test(home / "datasette-shelf", home)

    taken = take_turns({"ours": _timed(ours), "theirs": _timed(theirs)}, ROUNDS)
    what, against = "`plugin new` to a green test", "cookiecutter and pytest of a plugin of Datasette"
    report.compare(NAME, what, taken["ours"], against, taken["theirs"], Aim(2.0))
    report.reading(NAME, "plugin new to a green test", taken["ours"], "s")


def _timed(work: Callable[[], None]) -> Callable[[], float]:
    def timed() -> float:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    return timed


def _test(project: Path, home: Path, *words: str) -> None:
    """Runs the tests of a project as if it were installed, which both sides are spared."""
    path = os.pathsep.join(describe(project, home / "site"))
    _run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words], project, PYTHONPATH=path)


def _run(command: Sequence[str | Path], where: Path, **more: str) -> None:
    environment = {**plain_environment(), **more}
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchFailed(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
