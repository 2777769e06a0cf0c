"""Lines on standard error while something takes long."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builtin_plugins.backup.manifest import BackupFault

_SAY_SECONDS = 5.0


class LinesOfProgress:
    """Says how far it has come every few seconds; nothing at all about what is quick."""

    def __init__(self) -> None:
        self._printed_at = time.monotonic()

    def __call__(self, what: str, state: str) -> None:
        now = time.monotonic()
        if now - self._printed_at >= _SAY_SECONDS:
            self._printed_at = now
            print(f"{what}: {state}", file=sys.stderr, flush=True)


@contextmanager
def disk_errors_translated(folder: Path) -> Iterator[None]:
    """Turns errors of a full or broken disk into one line; `folder` is what is written to."""
    try:
        yield
    except OSError as error:
        raise BackupFault(f"{error.filename or folder}: {error.strerror or error}") from error
