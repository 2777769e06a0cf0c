"""The confinement of a child on this machine, found out by a hostile one rather than taken from a claim."""

import asyncio
import json
import secrets
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from libs.sandbox.launch import ENVIRONMENT, confined_command

Tier = Literal["A", "B", "C"]
REMEDY = "run on Linux 4.14 or later on x86_64 or arm64 where processes may set a seccomp filter"
_PROGRAM = "from libs.sandbox.probe import main; main(sys.argv[2])"
_TIMEOUT_SECONDS = 30
REFUSED = frozenset({"EPERM", "EACCES", "ENOSYS"})

Outcomes = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The outcome of a probe: for each area, whether every attempt was refused."""

    network: bool = False
    files: bool = False
    signals: bool = False
    processes: bool = False
    memory: bool = False

    @property
    def tier(self) -> Tier:
        """The tier of confinement: B where every area is refused, C where only the limits hold.

        A, which has a file tree of its own too, is not offered.
        """
        return "B" if all(asdict(self).values()) else "C"

    def describe(self) -> str:
        """Returns one line about the outcome, for a log or a terminal."""
        if self.tier == "B":
            return "tier B (network, files, signals, processes and memory are closed)"
        open_areas = [area for area, closed in asdict(self).items() if not closed]
        return f"tier C (open: {', '.join(open_areas)})"


_lock = threading.Lock()
_known: Measured | None = None


async def measured() -> Measured:
    """Returns what a probe found, run once in this process; one that cannot run is C, and is run again."""
    known = _known
    return await asyncio.to_thread(_measure_once) if known is None else known


def _measure_once() -> Measured:
    global _known
    with _lock:
        if _known is None:
            try:
                outcomes = attempt_everything(confined=True)
            except (OSError, ValueError, subprocess.SubprocessError):
                return Measured()
            _known = measured_from(outcomes)
        return _known


def measured_from(outcomes: Outcomes) -> Measured:
    """Judges the outcomes of all attempts by area; an area without attempts counts as open."""
    return Measured(
        **{
            area: bool(outcomes.get(area)) and set(outcomes[area].values()) <= REFUSED
            for area in asdict(Measured())
        }
    )


def attempt_everything(*, confined: bool) -> Outcomes:
    """Runs the hostile child and returns the outcome of each attempt: `done` or the name of an error."""
    with probe_targets() as targets:
        return run_probe(confined_command(_PROGRAM, json.dumps({**targets, "confined": confined})))


@contextmanager
def probe_targets() -> Iterator[Mapping[str, Any]]:
    """Makes something outside to read, to write and to connect to, for as long as a probe runs."""
    with ExitStack() as targets:
        folder = targets.enter_context(TemporaryDirectory(prefix="sandbox-probe-"))
        (Path(folder) / "there").write_text("nothing of value")
        name = f"sandbox-probe-{secrets.token_hex(8)}"
        server = targets.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (f"{folder}/socket", f"\0{name}"):
            local = targets.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            with suppress(OSError):
                local.bind(address)
                local.listen()
        yield {"folder": folder, "port": server.getsockname()[1], "name": name}


def run_probe(command: Sequence[str]) -> Outcomes:
    """Runs a hostile child and returns the outcomes that it wrote."""
    done = subprocess.run(  # noqa: S603
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(ENVIRONMENT),
        cwd="/",
        start_new_session=True,
        timeout=_TIMEOUT_SECONDS,
        check=True,
    )
    found: Outcomes = json.loads(done.stdout)
    return found
