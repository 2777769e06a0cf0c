"""The command line in processes that are forked from one that has imported it, and die where a test says."""

import asyncio
import contextlib
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import kernel.backup
import kernel.boot
import kernel.db.postgresql_restore
import kernel.db.sqlite_copy
from kernel.cli import main
from kernel.config import Settings
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.backup.commands"])
_LONG = 120
BOOT = ["boot"]
_NO_LIMIT = resource.RLIM_INFINITY

# Done once, before any fork: what it imports stays imported.
Admission().admit_all(discover(Settings.from_environment({}).plugins), frozenset())


@dataclass(frozen=True)
class Done:
    """`steps` counts what was made to last or given a name; of one that was killed it is unknown."""

    returncode: int
    output: str
    steps: int


def run(
    environ: Mapping[str, str],
    words: Sequence[object],
    said: Path,
    *,
    dies_at: int | None = None,
    file_limit: int | None = None,
) -> Done:
    """Runs to its end, or to the step on the disk at which it is killed outright."""
    arguments = (dict(environ), [str(word) for word in words], str(said), dies_at, file_limit)
    process = _processes.Process(target=_live, args=arguments)
    process.start()
    process.join(_LONG)
    assert process.exitcode is not None, "it does not end"
    *output, steps = said.read_text().rpartition("steps ")
    if process.exitcode < 0:
        return Done(process.exitcode, said.read_text(), 0)
    return Done(process.exitcode, output[0], int(steps))


def _live(
    environ: dict[str, str], words: list[str], said: str, dies_at: int | None, file_limit: int | None
) -> None:
    os.environ.clear()
    os.environ.update(environ)
    with (
        Path(said).open("w") as output,
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
    ):
        steps = _count_steps(dies_at)
        if file_limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, _NO_LIMIT))
        try:
            code = main(words) if words != BOOT else asyncio.run(_boot())
        except SystemExit as ended:
            code = ended.code
        resource.setrlimit(resource.RLIMIT_FSIZE, (_NO_LIMIT, _NO_LIMIT))
        output.write(f"steps {next(steps) - 1}")
    sys.exit(code)


async def _boot() -> int:
    """A server that starts, and stops cleanly."""
    server = kernel.boot.Server(Settings.from_environment(os.environ))
    await server.start()
    await server.stop()
    return 0


def _count_steps(dies_at: int | None) -> Iterator[int]:
    """Counts the calls that make something last or give it a name, and dies before one of them."""
    steps = count(1)

    def counting(call: Any) -> Any:
        def counted(*arguments: Any, **options: Any) -> Any:
            if next(steps) == dies_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return counted

    for name in ("fsync", "rename", "replace", "link", "unlink", "mkdir"):
        setattr(os, name, counting(getattr(os, name)))
    return steps
