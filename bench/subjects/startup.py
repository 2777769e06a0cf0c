"""From exec to the first healthy answer, against importing what we stand on.

Both sides read bytecode, as an installed server does, whatever the environment says about writing it: pip
compiles what it installs, and a checkout of ours would else be compiled anew with every start.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.guildhall import OURS, found, guildhall
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import ROOT, plain_environment

NAME = "startup"
ROUNDS = 9
IMPORTS = "import quart, hypercorn, databases"
AGAINST = "importing quart, hypercorn, databases"


@dataclass(frozen=True, slots=True)
class Start:
    """How long one start took, and how much of it was work of the process itself."""

    ms: float
    cpu_ms: float


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        with guildhall(folder / "existing", None, 1, **bytecode) as server:
            found(server)
        start_of_imports(bytecode)
        fresh = iter(folder / f"fresh-{number}" for number in range(ROUNDS))
        starts = take_turns(
            {
                "serve": lambda: start_of_server(folder / "existing", bytecode),
                "imports": lambda: start_of_imports(bytecode),
                "first boot": lambda: start_of_server(next(fresh), bytecode),
            },
            ROUNDS,
        )
    for contestant, what, aim in (
        ("serve", "exec to healthy", Aim(2.0)),
        ("first boot", "first boot in an empty folder", None),
    ):
        ours, theirs = starts[contestant], starts["imports"]
        report.compare(NAME, what, [s.ms for s in ours], AGAINST, [s.ms for s in theirs], aim)
        report.compare(NAME, f"{what}, CPU", [s.cpu_ms for s in ours], AGAINST, [s.cpu_ms for s in theirs])
    for name, series in starts.items():
        report.reading(NAME, name, [start.ms for start in series], "ms")
        report.reading(NAME, f"{name}, CPU", [start.cpu_ms for start in series], "ms")


def start_of_server(data: Path, bytecode: Mapping[str, str], program: Path = OURS) -> Start:
    with guildhall(data, None, 1, program, **bytecode) as server:
        return Start(server.seconds_to_ready * 1000, server.cpu_seconds() * 1000)


def start_of_imports(bytecode: Mapping[str, str]) -> Start:
    environment = {**plain_environment(), **bytecode}
    cpu_before, started = _cpu_seconds_of_ended_children(), time.perf_counter()
    subprocess.run([sys.executable, "-c", IMPORTS], check=True, cwd=ROOT, env=environment)
    elapsed = time.perf_counter() - started
    return Start(elapsed * 1000, (_cpu_seconds_of_ended_children() - cpu_before) * 1000)


def _cpu_seconds_of_ended_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
