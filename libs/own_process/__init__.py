"""The process that a server runs in: its event loop, memory and log, the signals that stop it, its end."""

import asyncio
import ctypes
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from socket import socket
from types import MappingProxyType
from typing import Any, NoReturn

_FAST = "uvloop"
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
# Files are read and sent by the MiB: memory for one that was used before takes no page faults.
_LARGE_BYTES = 1024 * 1024 + 64 * 1024
_KEPT_BYTES = 4 * 1024 * 1024


def run(main: Coroutine[Any, Any, None]) -> None:
    """Runs a program to its end, on uvloop's event loop where it is installed."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main)


def describe_loop(how_to_install: str) -> str:
    """Returns which loop `run` runs on; `how_to_install` is the command that brings the faster one."""
    if _loop_factory() is not None:
        return f"{_FAST} {version(_FAST)}"
    if sys.platform == "win32":
        return "asyncio"
    fault = "is installed but cannot be imported" if find_spec(_FAST) else "is not installed"
    return f"asyncio; {_FAST}, which takes less CPU, {fault}: {how_to_install}"


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def give_back_large_blocks() -> bool:
    """Has every block of more than a MiB mapped apart; tells whether the C library has such a thing.

    glibc raises that limit up to 32 MiB as such blocks are freed, and then keeps what uploads have used in
    the heaps of as many threads as carried them. A heap may keep 4 MiB that are free, for the next piece of a
    file: to give each back and get it again takes as long as to send it.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES) and mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES))


def freeze_memory() -> None:
    """Takes what a start made out of the garbage collector's sight, as it stays anyway, and turns it on.

    What does not is some hundred kilobytes: to look for it takes a twentieth of the start.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def stop_signals() -> tuple[signal.Signals, ...]:
    """Returns those that ask a server to stop: also a terminal that hangs up, but for `nohup`."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGTERM, signal.SIGINT, *(() if ignored else (signal.SIGHUP,)))


def stop_on_signals(stopping: asyncio.Event, at_once: asyncio.Event) -> None:
    """Sets `stopping` at the first signal, and `at_once` at the second."""

    def stop() -> None:
        if stopping.is_set():
            at_once.set()
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in stop_signals():
        loop.add_signal_handler(number, stop)


class OnlyProcess:
    """A `ServerProcess` that is the only one of its server: signals alone stop it."""

    is_first = True
    group = None
    sockets: Mapping[str, socket] = MappingProxyType({})

    def __init__(self, bind: Callable[[], socket]) -> None:
        self._bind = bind

    @cached_property
    def listener(self) -> socket:
        """The socket of the server, bound when it is first asked for."""
        return self._bind()

    def watch_for_stop(self, stopping: asyncio.Event, at_once: asyncio.Event) -> None:
        stop_on_signals(stopping, at_once)

    def report_started(self, bound: Mapping[str, socket]) -> None:
        """Does nothing, as nobody waits for the report."""


async def done_before(work: asyncio.Future[Any], event: asyncio.Event) -> bool:
    """Waits for whichever comes first; tells whether the work is done, well or not."""
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    return work.done()


async def finished_before(work: Coroutine[Any, Any, Any], event: asyncio.Event) -> bool:
    """Runs work to its end, or until the event is set, which cancels it; tells whether it came to its end."""
    running = asyncio.ensure_future(work)
    if await done_before(running, event):
        await running
        return True
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    return False


@contextmanager
def silenced(log: logging.Logger) -> Iterator[None]:
    """Silences a log inside the block, for a program that says by itself what is wrong."""
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def leave() -> NoReturn:
    """Ends the process when all is closed; the event loop would wait for work that does not end."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
