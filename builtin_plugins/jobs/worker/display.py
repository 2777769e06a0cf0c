"""What the worker shows: its progress in words, on a live line or one line for each event."""

import io
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TextIO

from builtin_plugins.jobs.worker.api_client import HeldJob
from builtin_plugins.jobs.worker.attempt import Attempt, Ending
from builtin_plugins.jobs.worker.clock import WorkerClock
from guildhall_sdk import rfc3339
from libs.redaction import redact

_MAX_EVENT = 500
_HOME_AND_CLEAR = "\r\x1b[K"


class Display(Protocol):
    def event(self, text: str) -> None:
        """Shows something that happened, to be read later too."""
        ...

    def now(self, text: str) -> None:
        """Shows what is going on, until the next call."""
        ...

    def close(self) -> None: ...


class PlainLines:
    """For logs: each event with its time, and nothing that changes."""

    def __init__(self, stream: TextIO, clock: WorkerClock) -> None:
        self._stream = stream
        self._clock = clock

    def event(self, text: str) -> None:
        self._stream.write(f"{rfc3339(self._clock.now_ms())} {one_line(text)}\n")
        self._stream.flush()

    def now(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class LiveLine:
    """For a person: events scroll by, and the last line stays and says what goes on."""

    def __init__(self, stream: TextIO, width: int | None = None) -> None:
        self._stream = stream
        self._width = width
        self._line = ""

    def event(self, text: str) -> None:
        self._stream.write(f"{_HOME_AND_CLEAR}{one_line(text)}\n{self._line}")
        self._stream.flush()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Makes room for somebody else's line on the same terminal."""
        self._stream.write(_HOME_AND_CLEAR)
        self._stream.flush()
        yield
        self._stream.write(self._line)
        self._stream.flush()

    def now(self, text: str) -> None:
        width = self._width or shutil.get_terminal_size().columns
        line = one_line(text)
        self._line = line if len(line) < width else f"{line[: max(0, width - 2)]}…"
        self._stream.write(f"{_HOME_AND_CLEAR}{self._line}")
        self._stream.flush()

    def close(self) -> None:
        self._line = ""
        self._stream.write(_HOME_AND_CLEAR)
        self._stream.flush()


class AboveLine(io.StringIO):
    """A stream whose lines go above the live line instead of into it."""

    def __init__(self, live: LiveLine, stream: TextIO) -> None:
        super().__init__()
        self._live = live
        self._stream = stream

    def write(self, text: str, /) -> int:
        with self._live.aside():
            self._stream.write(text)
            self._stream.flush()
        return len(text)


def one_line(text: str) -> str:
    """Returns one line: bounded, without secrets or anything that a terminal would obey."""
    words = " ".join(redact(text[: 2 * _MAX_EVENT]).split())
    plain = "".join("�" if unicodedata.category(letter) in {"Cc", "Cf", "Cs"} else letter for letter in words)
    return plain if len(plain) <= _MAX_EVENT else f"{plain[:_MAX_EVENT]}…"


@dataclass(slots=True)
class ProgressReport:
    """Counts endings, and writes on the display."""

    display: Display
    counts: Counter[str] = field(default_factory=Counter)
    trouble: str | None = None

    def claimed(self, held: HeldJob) -> None:
        self.display.event(f"claimed {held.id} {held.kind}, attempt {held.attempt}")

    def ended(self, held: HeldJob, ending: Ending, seconds: float) -> None:
        self.counts[ending.outcome] += 1
        words = f": {ending.words}" if ending.words else ""
        self.display.event(f"{ending.outcome} {held.id} {held.kind} after {seconds:.1f} s{words}")

    def troubled(self, words: str, wait_seconds: float) -> None:
        """Reports each trouble once, however often it is met."""
        if words != self.trouble:
            self.display.event(f"no jobs for now: {words} (trying again, next in {wait_seconds:.1f} s)")
        self.trouble = words

    def untroubled(self) -> None:
        if self.trouble is not None:
            self.display.event("the server gives jobs again")
        self.trouble = None

    def kinds_gone(self, names: Iterable[str]) -> None:
        self.display.event(f"the server does not know {_listed(names)}: going on without, asking again later")

    def kinds_back(self, names: Iterable[str]) -> None:
        self.display.event(f"the server knows {_listed(names)} again")

    def draining(self, holding: int) -> None:
        what = (
            f"finishing {_jobs(holding)}; a second signal gives them back" if holding else "nothing is held"
        )
        self.display.event(f"stopping: {what}")

    def leaving(self, holding: int) -> None:
        self.display.event(f"leaving: giving {_jobs(holding)} back")

    def stuck(self, held: HeldJob) -> None:
        self.display.event(f"{held.id} {held.kind} was told to stop and does not: its slot stays taken")

    def paint(self, attempts: list[Attempt], now_ms: int, *, draining: bool) -> None:
        running = ", ".join(_running(attempt, now_ms) for attempt in attempts)
        doing = running or self.trouble or ("stopped" if draining else "waiting for jobs")
        prefix = "stopping: " if draining and running else ""
        self.display.now(f"{self.total()} | {prefix}{doing}")

    def total(self) -> str:
        dropped = f", {self.counts['dropped']} dropped" if self.counts["dropped"] else ""
        return f"{self.counts['done']} done, {self.counts['failed']} failed{dropped}"


def _running(attempt: Attempt, now_ms: int) -> str:
    fraction = attempt.handler.call.fraction
    percent = "" if fraction is None else f" {fraction:.0%}"
    return f"{attempt.held.kind}{percent} {(now_ms - attempt.started_at) // 1000} s"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number} jobs"
