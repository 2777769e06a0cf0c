"""How closed a program in the sandbox is on this machine, and by which launcher: a hostile one finds out."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import threading
from dataclasses import asdict, dataclass, field

from libs.sandbox.launch import SEARCH_PATH, Program, escape_program, program_command
from libs.sandbox.measure import (
    REFUSED,
    Measured,
    Outcomes,
    Tier,
    measured_from,
    probe_targets,
    run_probe,
)

REMEDY = "run on Linux 5.13 or later on x86_64 or arm64 where processes may use Landlock and seccomp"
_PROBE = "from libs.sandbox.escape import main; main(sys.argv[2])"
# In a file tree of its own a path of outside, which is there, is not found.
_ABSENT = REFUSED | {"ENOENT"}
_PATHS = ("files", "tree")


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a hostile program found, and how to start others in the same way.

    `tree_hidden` says that it could not even see what there is outside.
    """

    measured: Measured = field(default_factory=Measured)
    tree_hidden: bool = False
    bubblewrap: str | None = None

    @property
    def tier(self) -> Tier:
        """A: everything is closed, and the file tree hidden. B: everything is closed. C: only limits."""
        if not all(asdict(self.measured).values()):
            return "C"
        return "A" if self.tree_hidden else "B"

    def command(self, program: Program, *, unconfined: bool = False) -> tuple[str, ...]:
        """Starts a program as the hostile one was; `unconfined` also where the system cannot close it."""
        return program_command(program, bubblewrap=self.bubblewrap, required=not unconfined)

    def kill(self, pid: int) -> None:
        """Kills a program that leads a session of its own, where this process has not waited for it yet.

        Its guard is asked, which takes note of its end as well: a server that is the first process of a
        container would collect those whose parent is gone.
        """
        if self.bubblewrap is None:
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


_lock = threading.Lock()
_known: Isolation | None = None


async def measured_isolation() -> Isolation:
    """Returns what a hostile program found, once for this process; with bubblewrap where that helps."""
    known = _known
    return await asyncio.to_thread(_measure_once) if known is None else known


def _measure_once() -> Isolation:
    global _known
    with _lock:
        if _known is None:
            bubblewrap = shutil.which("bwrap", path=":".join(SEARCH_PATH))
            found = measure_isolation(bubblewrap) if bubblewrap else None
            if found is None or found.tier == "C":
                found = measure_isolation(None)
            if found is None:
                return Isolation()
            _known = found
        return _known


def measure_isolation(bubblewrap: str | None) -> Isolation | None:
    """Runs the hostile program once; None where it cannot run in this way."""
    try:
        return isolation_from(attempt_to_escape(bubblewrap), bubblewrap)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def attempt_to_escape(bubblewrap: str | None, *, sandboxed: bool = True) -> Outcomes:
    """Runs the hostile program, or for comparison outside of the sandbox, and returns what it wrote."""
    with probe_targets() as targets:
        request = {
            **targets,
            "victim": os.getpid(),
            "priority": os.getpriority(os.PRIO_PROCESS, 0),
            "memory_bytes": 256 << 20,
        }
        program = escape_program(_PROBE, json.dumps(request))
        if not sandboxed:
            return run_probe(program.command)
        return run_probe(program_command(program, bubblewrap=bubblewrap, required=False))


def isolation_from(outcomes: Outcomes, bubblewrap: str | None) -> Isolation:
    """Sums up the outcomes; an area without attempts counts as open."""
    absent = {area: outcomes.get(area, {}) for area in _PATHS if bubblewrap}
    found = {
        area: {name: "EPERM" if outcome in _ABSENT else outcome for name, outcome in within.items()}
        for area, within in absent.items()
    }
    tree_hidden = set(found.get("tree", {}).values()) == {"EPERM"}
    return Isolation(measured_from({**outcomes, **found}), tree_hidden, bubblewrap)
