"""The command line in processes that are forked from one that has imported it, and die where a test says."""

import asyncio
import io
import multiprocessing
import os
import resource
import runpy
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

import builtin_plugins.postgresql.restore
import builtin_plugins.sqlite.copies  # noqa: F401
import kernel.boot
import kernel.plugins.admission
from guildhall_testing.admissions import Admissions
from kernel.cli import main
from kernel.config import Settings

# There is one such server in a run of the tests: whatever is forked from it is named here.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(
    [
        "__main__",
        "tests.commands",
        "kernel.db.tests.mortal_migration",
        "kernel.scheduler.tests.mortal",
        "tests.warm_boot",
    ]
)
_LONG = 120
BOOT = ["boot"]
_NO_LIMIT = resource.RLIM_INFINITY

# What is let in before any fork stays so: `tests.warm_boot` sees to it.
admissions = Admissions()


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
    with tempfile.TemporaryDirectory() as said:
        running = Running(environ, words, Path(said), typed, dies_at, file_limit)
        code = running.wait(_LONG)
        steps = int(Path(said, "steps").read_text()) if code >= 0 else 0
        return Done(code, running.stdout, running.stderr, steps)


class Running:
    """A command under way, whose words go to two files of a folder; handled like a `Popen`."""

    def __init__(
        self, environ: Mapping[str, str], words: Sequence[object], said: Path, *fate: str | int | None
    ) -> None:
        self._said = said
        with (said / "stdout").open("wb") as stdout, (said / "stderr").open("wb") as stderr:
            self._process = _forked(environ, words, stdout.fileno(), stderr.fileno(), said / "steps", *fate)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def stdout(self) -> str:
        return (self._said / "stdout").read_text()

    @property
    def stderr(self) -> str:
        return (self._said / "stderr").read_text()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, seconds: float = _LONG) -> int:
        self._process.join(seconds)
        assert self._process.exitcode is not None, "it does not end"
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        # The forkserver may have buried it already, and not told yet.
        with suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self._process.pid, number)

    def stop(self) -> int:
        """Stops a server cleanly and at once, as two signals do: nobody who may still ask is waited for."""
        for number in (signal.SIGTERM, signal.SIGINT):
            self.send_signal(number)
        return self.wait()

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class AsyncRunning:
    """A command under way, handled like a process of asyncio's."""

    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    def __init__(self, process: Any) -> None:
        self._process, self.pid = process, process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            if self.returncode is None:
                os.kill(self.pid, number)

    async def stop(self) -> int:
        """Stops a server cleanly and at once, as two signals do: nobody who may still ask is waited for."""
        for number in (signal.SIGTERM, signal.SIGINT):
            self.send_signal(number)
        return await self.wait()

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        self._process.join()
        return self._process.exitcode

    async def communicate(self) -> tuple[bytes, bytes]:
        said = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return said[0], said[1]


async def start(environ: Mapping[str, str], *words: object, stdout: int | None = None) -> AsyncRunning:
    """Instead of `create_subprocess_exec` with `-m kernel.cli` and these words, at the price of a fork.

    `-m` and a module run that instead; `stdout` is where else than to a pipe it writes.
    """
    (out, its_out), (err, its_err) = os.pipe(), os.pipe()
    process = _forked(environ, words, its_out if stdout is None else stdout, its_err)
    os.close(its_out)
    os.close(its_err)
    running = AsyncRunning(process)
    running.stdout, running.stderr = await _reader(out), await _reader(err)
    return running


async def _reader(pipe: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=1024 * 1024)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(pipe, "rb"))
    return reader


def _forked(
    environ: Mapping[str, str],
    words: Sequence[object],
    stdout: int,
    stderr: int,
    *counted: Path | str | int | None,
) -> Any:
    told = (dict(environ), [str(word) for word in words], _Streams(stdout, stderr), *counted)
    process = processes.Process(target=_live, args=told, daemon=True)  # it does not outlive the tests
    process.start()
    return process


class _Streams:
    """Two descriptors on their way to the process that is forked."""

    def __init__(self, *descriptors: int) -> None:
        self._descriptors = descriptors

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, tuple(DupFd(descriptor) for descriptor in self._descriptors)


def _received(*duplicates: Any) -> list[int]:
    return [duplicate.detach() for duplicate in duplicates]


def bare_environment(**settings: str) -> dict[str, str]:
    """Ours without the settings of whoever runs the tests, and with these."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    return bare | settings


def _live(
    environ: dict[str, str],
    words: list[str],
    streams: Sequence[int],
    steps_file: Path | None = None,
    typed: str = "",
    dies_at: int | None = None,
    file_limit: int | None = None,
) -> None:
    os.environ.clear()
    os.environ.update(environ)
    tempfile.tempdir = None  # found anew, by these variables
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # a server keeps it ignored where `nohup` runs the tests
    kernel.boot.admit = kernel.plugins.admission.admit = admissions.of
    sys.stdin = io.StringIO(typed)
    for descriptor, (sent, stream) in enumerate(zip(streams, (sys.stdout, sys.stderr), strict=True), 1):
        os.dup2(sent, descriptor)
        os.close(sent)
        stream.reconfigure(line_buffering=True)
    steps = _count_steps(dies_at) if steps_file else None
    if file_limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, _NO_LIMIT))
    try:
        code = _act(words)
    except SystemExit as ended:
        code = ended.code
    resource.setrlimit(resource.RLIMIT_FSIZE, (_NO_LIMIT, _NO_LIMIT))
    if steps_file and steps:
        steps_file.write_text(str(next(steps) - 1))
    sys.exit(code)


def _act(words: list[str]) -> int | None:
    match words:
        case ["boot"]:
            return asyncio.run(_boot())
        case ["-m", module, *arguments]:
            sys.argv = [module, *arguments]
            runpy.run_module(module, run_name="__main__")
            return 0
    return main(words)


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
