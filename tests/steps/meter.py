"""Measures each step of the event loop, and of the threads that callers share, in CPU time of its thread.

What a loaded machine does meanwhile does not count. A step is one callback of the loop, one function that an
executor runs, one step of a `FairThread`, or one call on a thread of SQLite.
"""

import asyncio
import gc
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import thread as executors
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any
from unittest.mock import patch

from builtin_plugins.sqlite.connection import SqliteThread
from guildhall_testing.heartbeat import slowness
from libs.fair_slots import shares

# Set where the test itself calls: its own steps, and those of its connections, are not the server's.
_is_caller: ContextVar[bool] = ContextVar("is_caller", default=False)
_SAMPLE_SECONDS = 0.005
_END_SECONDS = 0.2
_FRAMES = 3
_OURS = ("guildhall_sdk", "kernel", "libs", "builtin_plugins", "guildhall_plugin")


@dataclass(frozen=True, slots=True)
class SlowStep:
    """A step that took longer than it may: on which thread, what ran, and where in it most of the time."""

    thread: str
    work: str
    ms: float
    place: str

    def __str__(self) -> str:
        return f"{self.ms:6.0f} ms on {self.thread}: {self.work} at {self.place or 'a place not seen'}"


class StepMeter:
    """Collects the steps that took longer than `limit_ms`; `take()` gives those since the last call."""

    def __init__(self, limit_ms: float) -> None:
        self._limit_ms = limit_ms
        self._slow: deque[SlowStep] = deque()
        self._samples: dict[int, Counter[str]] = {}
        self._stopped = threading.Event()
        self.steps = 0

    def take(self) -> list[SlowStep]:
        """Returns the slow steps since the last call, the longest first.

        Whoever waits for a thread may hear of it before its step has ended: that is waited for.
        """
        until, here = time.monotonic() + _END_SECONDS, threading.get_ident()
        while time.monotonic() < until and {*self._samples} - {here}:
            time.sleep(_END_SECONDS / 50)
        found = [self._slow.popleft() for _ in range(len(self._slow))]
        return sorted(found, key=lambda step: -step.ms)

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Measures what runs inside the block; the block's own task and what it opens are left out."""
        run_handle, run_item = asyncio.Handle._run, executors._WorkItem.run
        take_step, run_call = shares._is_unfinished, SqliteThread._run
        here = threading.current_thread

        def handle(self_: Any) -> None:
            if self_._context.get(_is_caller, False):
                run_handle(self_)
            else:
                self._measure("the event loop", self_._callback, run_handle, self_)

        def item(self_: Any) -> None:
            self._measure(f"an executor's thread ({here().name})", self_.fn, run_item, self_)

        def step(future: Any, steps: Any) -> bool:
            return self._measure(f"the thread {here().name!r}", steps, take_step, future, steps)

        def call(self_: Any, future: Any, seconds: Any, stoppable: Any, work: Any, arguments: Any) -> Any:
            given = (self_, future, seconds, stoppable, work, arguments)
            return self._measure("a thread of SQLite", (work, arguments), run_call, *given)

        with ExitStack() as stack:
            stack.enter_context(patch.object(asyncio.Handle, "_run", handle))
            stack.enter_context(patch.object(executors._WorkItem, "run", item))
            stack.enter_context(patch.object(shares, "_is_unfinished", step))
            stack.enter_context(patch.object(SqliteThread, "_run", call))
            token = _is_caller.set(True)
            stack.callback(_is_caller.reset, token)
            stack.enter_context(_without_collections())
            stack.callback(self._stopped.set)
            threading.Thread(target=self._sample, name="step sampler", daemon=True).start()
            yield

    def _measure(self, thread: str, work: Any, run: Callable[..., Any], *arguments: Any) -> Any:
        ident = threading.get_ident()
        self.steps += 1
        self._samples[ident] = Counter()
        started = time.thread_time()
        try:
            return run(*arguments)
        finally:
            ms = (time.thread_time() - started) * 1000
            is_slow = ms > self._limit_ms and ms > self._limit_ms * slowness()
            if is_slow:
                places = self._samples.get(ident) or Counter()
                place = places.most_common(1)[0][0] if places else ""
                self._slow.append(SlowStep(thread, _describe(work), ms, place))
            self._samples.pop(ident, None)  # the last of all: who takes waits for this

    def _sample(self) -> None:
        """Notes where each step that runs is now: the place seen most often is where its time goes."""
        while not self._stopped.wait(_SAMPLE_SECONDS):
            frames = sys._current_frames()
            for ident, seen in list(self._samples.items()):
                if (frame := frames.get(ident)) is not None and (place := _place(frame)):
                    seen[place] += 1


@contextmanager
def _without_collections() -> Iterator[None]:
    """Collects nothing meanwhile: it would fall on whichever step allocates."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def _place(frame: FrameType | None) -> str:
    """Returns the innermost frames of our own code."""
    found = []
    while frame is not None and len(found) < _FRAMES:
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(_OURS):
            found.append(f"{name}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(found)


def _describe(work: Any) -> str:
    if isinstance(work, tuple):  # a function of SQLite's thread, and its statement
        function, arguments = work
        statement = next((text for text in arguments if isinstance(text, str)), "")
        return f"{_name(function)} {' '.join(statement.split())[:90]}".strip()
    owner = getattr(work, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return f"a task of {_name(owner.get_coro())}"
    return _name(work)


def _name(function: Any) -> str:
    if isinstance(function, partial):  # `asyncio.to_thread` gives a context what it is to run
        function = next(filter(callable, function.args), function.func)
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__qualname__", None) or type(inner).__qualname__)
