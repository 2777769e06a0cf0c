"""Where the CPU of a request goes: `python -m bench costs` samples the server under one load after another.

The sampler is py-spy, from outside the process. A sample counts for the innermost function of ours that was
running; what it called in libraries, SQLite and the system is its own.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.against import AIMS, prepared_server, works
from bench.peers import is_installed
from bench.servers import ROOT, BenchFailed, Server
from bench.stream_peers import endpoint

NAME = "costs"
SECONDS, RATE = 6.0, 250
LARGEST = 3
_START_SECONDS = 0.5
# Where a thread waits: the event loop for something to happen, others for work. What uvloop does itself, some
# two hundredths, cannot be told from its waiting where the system's library has no names.
_WAITING = {
    *("epoll_wait in libc.so.6", "epoll_pwait in libc.so.6", "Condition.wait in threading.py"),
    *("_connection_worker_thread in core.py", "LoopMonitor._watch in loop_monitor.py"),
    *("_worker in thread.py", "Runner.run in runners.py"),
}
_WORKS = [name for name in AIMS if name != "CPU of GET /api/notes"]


@dataclass(slots=True)
class Costs:
    """Samples of one kind of work, by room of the house and by function there."""

    samples: int = 0
    rooms: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, frames: Iterable[str], count: int) -> None:
        """Adds a stack, the innermost frame last, each as `function (file:line)`; not one that waits."""
        room, function = "libraries alone", "the event loop, Hypercorn"
        innermost = ""
        for frame in frames:
            name, _, place = frame.rpartition(" (")
            path = Path(place.rstrip(")").rsplit(":", 1)[0])
            called = f"{name} in {path.name}"
            if path.suffix == ".py" or called in _WAITING:
                innermost = called
            if path.is_relative_to(ROOT) and ".venv" not in path.parts:
                inside = path.relative_to(ROOT)
                room, function = "/".join(inside.parts[: min(2, len(inside.parts) - 1)]), called
        if innermost not in _WAITING:
            self.samples += count
            self.rooms[room][function] += count

    def largest(self) -> list[tuple[str, str, str]]:
        """Returns the most costly rooms: the share of each, its name, and the functions that most is in."""
        rooms = sorted(self.rooms.items(), key=lambda room: -room[1].total())
        return [
            (self._percent(functions.total()), room, ", ".join(self._most_in(functions)))
            for room, functions in rooms[:LARGEST]
        ]

    def _most_in(self, functions: Counter[str]) -> list[str]:
        return [f"`{name}` {self._percent(count)}" for name, count in functions.most_common(LARGEST)]

    def _percent(self, count: int) -> str:
        return f"{100 * count / max(1, self.samples):.0f} %"


def run() -> str:
    """Returns a table in Markdown for each kind of work."""
    if not is_installed("py-spy"):
        raise BenchFailed("py-spy is not here; make bench installs it")
    tables = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        model = stack.enter_context(endpoint(folder))
        settings = {"SERVICE_MODEL_URL": f"http://127.0.0.1:{model.port}/v1", "SERVICE_MODEL_NAME": "m"}
        server, token = stack.enter_context(prepared_server(folder / "data", settings))
        measured = works(stack, server, token)
        for name in _WORKS:
            costs = _costs(server, measured[name], folder)
            lines = [f"| {share} | {room} | {most} |" for share, room, most in costs.largest()]
            title = f"**{name.removeprefix('CPU of ')}**"
            tables.append("\n".join([title, "", "| CPU | where | most of it in |", "|---|---|---|", *lines]))
    return "\n\n".join(tables)


def _costs(server: Server, work: Callable[[], float], folder: Path) -> Costs:
    work()
    stacks = folder / "stacks"
    options = [
        "--rate",
        str(RATE),
        "--native",
        "--format",
        "raw",
        "--full-filenames",
        "--output",
        str(stacks),
    ]
    program = str(Path(sys.executable).with_name("py-spy"))
    command = [program, "record", "--pid", str(server.process.pid), *options]
    sampler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + _START_SECONDS + SECONDS
    while time.monotonic() < until:
        work()
    os.kill(sampler.pid, signal.SIGINT)
    sampler.wait()
    costs = Costs()
    for line in stacks.read_text("utf-8").splitlines():
        frames, _, count = line.rpartition(" ")
        costs.add(frames.split(";"), int(count))
    return costs
