"""The command line in processes that are forked from one that has imported it, and die where a test says."""

import asyncio
import contextlib
import io
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kernel.boot
import kernel.db.postgresql_restore
import kernel.db.sqlite_copy
from kernel.cli import main
from kernel.config import Settings
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.commands"])
_LONG = 120
BOOT = ["boot"]
_NO_LIMIT = resource.RLIM_INFINITY

# Done once, before any fork: what it imports stays imported.
Admission().admit_all(discover(Settings.from_environment({}).plugins), frozenset())


@dataclass(frozen=True)
class Done:
    """`steps` counts what was made to last or given a name; of one that was killed it is unknown."""

    returncode: int
    stdout: str
    stderr: str
    steps: int

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def run(
    environ: Mapping[str, str],
    words: Sequence[object],
    *,
    typed: str = "",
    dies_at: int | None = None,
    file_limit: int | None = None,
) -> Done:
    """Runs to its end, or to the step on the disk at which it is killed outright."""
    with TemporaryDirectory() as said:
        arguments = (dict(environ), [str(word) for word in words], said, typed, dies_at, file_limit)
        process = _processes.Process(target=_live, args=arguments)
        process.start()
        process.join(_LONG)
        assert process.exitcode is not None, "it does not end"
        stdout, stderr = (Path(said, name).read_text() for name in ("stdout", "stderr"))
        steps = int(Path(said, "steps").read_text()) if process.exitcode >= 0 else 0
    return Done(process.exitcode, stdout, stderr, steps)


def bare_environment(**settings: str) -> dict[str, str]:
    """Ours without the settings of whoever runs the tests, and with these."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    return bare | settings


def _live(
    environ: dict[str, str],
    words: list[str],
    said: str,
    typed: str,
    dies_at: int | None,
    file_limit: int | None,
) -> None:
    os.environ.clear()
    os.environ.update(environ)
    sys.stdin = io.StringIO(typed)
    with (
        Path(said, "stdout").open("w") as stdout,
        Path(said, "stderr").open("w") as stderr,
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
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
        Path(said, "steps").write_text(str(next(steps) - 1))
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
