"""What the worker shows: a live line on a terminal, one line for each event elsewhere."""

import io
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from builtin_plugins.jobs.worker.clock import WorkerClock
from guildhall_sdk import rfc3339
from libs.redaction import redact

_MAX_EVENT = 500
_HOME_AND_CLEAR = "\r\x1b[K"


class Display(Protocol):
    def event(self, text: str) -> None:
        """Something that happened, to be read later too."""
        ...

    def now(self, text: str) -> None:
        """What is going on, until it is said anew."""
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
    """Bounded, without secrets, and without anything that a terminal would obey."""
    words = " ".join(redact(text[: 2 * _MAX_EVENT]).split())
    plain = "".join("�" if unicodedata.category(letter) in {"Cc", "Cf", "Cs"} else letter for letter in words)
    return plain if len(plain) <= _MAX_EVENT else f"{plain[:_MAX_EVENT]}…"
