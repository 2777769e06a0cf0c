"""`guildhall serve --workers N`: forks the server processes, and has another in the place of one that ends.

One whose event loop stands still for too long, or that does not come to serve, is killed, and so replaced.

The sockets are bound once and shared: what arrives while a process dies waits in their queue for another one.
The supervisor runs no event loop and no thread, so that it can fork at any time.
"""

import gc
import logging
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf

from builtin_plugins.processes.supervised import (
    AT_ONCE,
    STOP,
    Heartbeat,
    Supervised,
    read_started,
)
from guildhall_sdk.errors import OperatorError
from libs.memory_slots import MemorySlot
from libs.own_process.supervision import ProcessGroup, Supervision

_log = logging.getLogger("guildhall.serve")
# Whoever lived so long did not die of its start: the next one is started without a pause.
_SOUND_SECONDS = 60.0
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.5, 30.0
# The first drains, the second does not wait, and the third is for a process that heeds neither.
_KILLING_SIGNAL = 3
# Looks are counted, not time: a machine that was paused has not looked, so nobody has hung.
_MAX_SILENT_CHECKS, _BEATS_PER_LOOK = 10, 4
# Ten times as long: one that starts may wait for another's migration, or import for long; the others serve.
_MAX_START_CHECKS = 100


@dataclass(slots=True)
class _Child:
    control: socket.socket
    heartbeat: Heartbeat
    since: float
    position: int
    is_heard: bool = True  # until it has reported, or has died
    has_started: bool = False
    start_checks: int = 0
    last_count: int = 0
    silent_checks: int = 0

    def count_silent_checks(self) -> int:
        """Returns how many looks in a row have found no beat."""
        count = self.heartbeat.count()
        self.silent_checks = self.silent_checks + 1 if count == self.last_count else 0
        self.last_count = count
        return self.silent_checks


class Supervisor:
    """Keeps the processes running, from the first start to the last end."""

    def __init__(self, supervision: Supervision) -> None:
        self._supervision = supervision
        self._count = supervision.count
        self._hang_seconds = supervision.hang_seconds or inf
        self._next_look = time.monotonic() + self._check_seconds
        self._sockets = dict[str, socket.socket]()
        self._children: dict[int, _Child] = {}
        self._due: list[float] = []
        self._slots = [MemorySlot("guildhall-metrics") for _ in range(supervision.count)]
        self._losses = 0
        self._stop_signals = 0
        self._is_complete = False  # the first process has started, and the others were due

    @property
    def _check_seconds(self) -> float:
        return self._hang_seconds / _MAX_SILENT_CHECKS

    def run(self) -> int:
        """Returns the exit code: 0 when all have stopped as they were told."""
        gc.freeze()  # what was imported by now stays shared between the processes
        with self._woken_by_signals() as woken:
            self._fork(is_first=True)
            codes = list[int]()
            passed_on = 0
            while self._children or (self._due and not self._stop_signals):
                self._start_due()
                self._wait(woken)
                self._kill_hanging()
                passed_on = self._pass_on(passed_on)
                codes += self._bury()
        self._close()
        return next((code for code in codes if code), 0)

    def _start_due(self) -> None:
        now = time.monotonic()
        for moment in [one for one in self._due if one <= now]:
            self._due.remove(moment)
            if not self._stop_signals:
                self._fork_or_wait()

    def _wait(self, woken: int) -> None:
        """Returns when a signal or a report has come, or another process or a look is due."""
        moment = min([self._next_look, *self._due])
        seconds = max(0.0, moment - time.monotonic()) if moment < inf else None
        reporting = {
            child.control.fileno(): (pid, child) for pid, child in self._children.items() if child.is_heard
        }
        ready, _, _ = select.select([woken, *reporting], [], [], seconds)
        for descriptor in ready:
            if descriptor == woken:
                with suppress(BlockingIOError):
                    os.read(woken, 4096)
            else:
                self._receive_started(*reporting[descriptor])

    def _kill_hanging(self) -> None:
        """Looks whether the event loops turn and who has come to serve, when it is time to."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + self._check_seconds
        for pid, child in self._children.items():
            if not child.has_started:
                self._check_start(pid, child)
            elif child.count_silent_checks() >= _MAX_SILENT_CHECKS:
                child.silent_checks = 0
                _log_fields(logging.ERROR, "process.hangs", pid=pid, seconds=self._hang_seconds)
                os.kill(pid, signal.SIGKILL)

    def _check_start(self, pid: int, child: _Child) -> None:
        """Kills one that does not come to serve; the first may migrate for as long as that takes."""
        child.start_checks += 1
        if child.start_checks != _MAX_START_CHECKS:
            return
        seconds = round(time.monotonic() - child.since, 1)
        if not self._is_complete:
            _log_fields(logging.WARNING, "process.still_starting", pid=pid, seconds=seconds)
            return
        _log_fields(logging.ERROR, "process.does_not_start", pid=pid, seconds=seconds)
        os.kill(pid, signal.SIGKILL)

    def _receive_started(self, pid: int, child: _Child) -> None:
        bound = read_started(child.control)
        child.is_heard = False
        if bound is None:
            return
        child.has_started = True
        after_seconds = round(time.monotonic() - child.since, 2)
        _log_fields(logging.INFO, "process.started", pid=pid, after_seconds=after_seconds)
        if not self._is_complete:
            self._is_complete = True
            self._sockets |= bound
            self._due += [time.monotonic()] * (self._count - 1)

    def _pass_on(self, passed_on: int) -> int:
        """Tells the processes what the signals say: to stop, and then to stop at once."""
        if self._stop_signals == passed_on:
            return passed_on
        # Theirs are the last copies: when they close them, who comes is refused and not left to wait.
        self._close()
        word = STOP if self._stop_signals == 1 else AT_ONCE
        processes = len(self._children)
        _log_fields(logging.INFO, "supervisor.stopping", signals=self._stop_signals, processes=processes)
        for pid, child in self._children.items():
            with suppress(OSError):
                child.control.send(word)
            if self._stop_signals >= _KILLING_SIGNAL:
                _log_fields(logging.ERROR, "process.killed", pid=pid)
                os.kill(pid, signal.SIGKILL)
        return self._stop_signals

    def _bury(self) -> Iterator[int]:
        """Yields the exit codes that are the supervisor's own: of whoever ends when all are to end."""
        for pid, child in list(self._children.items()):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found == 0:
                continue
            del self._children[pid]
            child.control.close()
            child.heartbeat.close()
            code = os.waitstatus_to_exitcode(status)
            if self._stop_signals and code == -signal.SIGTERM:
                yield 0  # it had not begun to listen to signals
            elif self._stop_signals or not self._is_complete:
                yield code if code >= 0 else 128 - code
            else:
                self._replace(pid, child, code)

    def _replace(self, pid: int, child: _Child, code: int) -> None:
        lived = time.monotonic() - child.since
        is_sound = child.has_started and lived >= _SOUND_SECONDS
        if is_sound or code == 0:  # 0: somebody told this one to stop
            self._losses, pause = 0, 0.0
        else:
            pause = self._next_pause()
        self._due.append(time.monotonic() + pause)
        why = {"signal": _signal_name(-code)} if code < 0 else {"exit_code": code}
        fields = {"lived_seconds": round(lived, 1), "next_in_seconds": pause}
        _log_fields(logging.WARNING, "process.ended", pid=pid, **why, **fields)

    def _next_pause(self) -> float:
        pause: float = min(_FIRST_PAUSE_SECONDS * 2**self._losses, _LONGEST_PAUSE_SECONDS)
        self._losses += 1
        return pause

    def _fork_or_wait(self) -> None:
        """Forks one in the place of another, later if the system has no room for it now."""
        try:
            self._fork(is_first=False)
        except OSError as error:
            pause = self._next_pause()
            self._due.append(time.monotonic() + pause)
            _log_fields(logging.ERROR, "process.not_started", error=error.strerror, next_in_seconds=pause)

    def _fork(self, *, is_first: bool) -> None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        heartbeat = Heartbeat(self._check_seconds / _BEATS_PER_LOOK)
        control, its_control = socket.socketpair()
        # What its predecessor there has counted stays in the sum.
        position = min(set(range(self._count)) - {child.position for child in self._children.values()})
        group = ProcessGroup(supervisor=os.getpid(), position=position, slots=self._slots)
        try:
            pid = os.fork()
        except OSError:
            control.close()
            its_control.close()
            heartbeat.close()
            raise
        if pid == 0:
            for other in (control, *(child.control for child in self._children.values())):
                other.close()
            supervised = Supervised(
                control=its_control,
                heartbeat=heartbeat,
                listener=self._supervision.listener,
                sockets=self._sockets,
                is_first=is_first,
                group=group,
            )
            _live(self._supervision, supervised)
        its_control.close()
        control.setblocking(False)
        self._children[pid] = _Child(control, heartbeat, time.monotonic(), position)

    def _close(self) -> None:
        for listener in (self._supervision.listener, *self._sockets.values()):
            listener.close()

    @contextmanager
    def _woken_by_signals(self) -> Iterator[int]:
        """Yields the descriptor that can be read when a child has ended or a signal asks to stop."""
        woken, wakes = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wakes, False)

        def count(*_: object) -> None:
            self._stop_signals += 1

        before = {number: signal.signal(number, count) for number in self._supervision.stop_signals}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        try:
            yield woken
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(woken)
            os.close(wakes)


def _log_fields(level: int, action: str, **fields: object) -> None:
    _log.log(level, action, extra={"fields": fields})


def _signal_name(number: int) -> str:
    """Names a signal; those for real time have no names but the first and the last."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _live(supervision: Supervision, supervised: Supervised) -> None:
    """Runs a process from its fork to its end; nothing of the supervisor's own comes after it."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (*supervision.stop_signals, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        supervision.serve(supervised)
        code = 0
    except OperatorError as error:
        sys.stderr.write(f"guildhall: {error}\n")
        code = 2
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
