"""Whether a folder's disk takes what is written to it."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from guildhall_sdk.errors import OperatorError

MIN_FREE_BYTES = 32 * 1024 * 1024
_PROBE = b"\0" * 64 * 1024
_PROBE_PREFIX = ".ready-"


class DiskTrouble(OperatorError):
    """The reason why a disk takes nothing, in one line that names its folder."""


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk that holds a folder. Everything here blocks."""

    folder: Path

    def check(self) -> int:
        """Returns the free bytes; raises `DiskTrouble` when they are few, or a write does not land."""
        try:
            free = self.free_bytes()
            if free >= MIN_FREE_BYTES:
                self._write()
                return free
        except OSError as error:
            raise DiskTrouble(
                f"the disk of {self.folder} cannot be written to: {error.strerror or error}"
            ) from error
        raise DiskTrouble(f"the disk of {self.folder} is full: {free // 1024} KiB are free; make room on it")

    def free_bytes(self) -> int:
        volume = os.statvfs(self.folder)
        return volume.f_bavail * volume.f_frsize

    def _write(self) -> None:
        """Writes a file, since limits, missing inodes and a read-only disk show in a write alone.

        It is not flushed: that would wait for everybody else's writes too.
        """
        path = self.folder / f"{_PROBE_PREFIX}{secrets.token_hex(8)}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            view = memoryview(_PROBE)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
            path.unlink(missing_ok=True)
