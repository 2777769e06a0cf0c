"""A folder that appears under its name when it is whole, and not before."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builtin_plugins.backup.manifest import BackupFault

_PARTIAL = ".guildhall-partial-"


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """Opens a private folder that becomes the target at a clean end, and else is removed.

    What a killed process left beside the target is removed by the next: nobody has it locked any more.
    """
    _check_free(target)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_leftovers(target.parent)
    work = target.parent / f".{target.name}{_PARTIAL}{os.getpid()}"
    work.mkdir(mode=0o700)
    lock = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not work.exists():
            raise BackupFault(f"another backup beside {target} took its folder for a leftover; try again")
        yield work
        flush_folders(work)
        _check_free(target)
        work.rename(target)
        flush(target.parent)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    finally:
        os.close(lock)


def write_file(path: Path, content: bytes) -> None:
    """Writes a private file, which is on the disk when it returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_folders(folder: Path) -> None:
    for path, _folders, _files in os.walk(folder):
        flush(Path(path))


def _check_free(target: Path) -> None:
    try:
        occupied = target.exists() and (not target.is_dir() or any(target.iterdir()))
    except OSError as error:
        raise BackupFault(f"{target} cannot be used: {error.strerror}") from None
    if occupied:
        raise BackupFault(f"{target} is not empty; a backup goes into a folder of its own")


def _remove_leftovers(parent: Path) -> None:
    for left in parent.glob(f".*{_PARTIAL}*"):
        try:
            descriptor = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # gone meanwhile, or nothing that we made
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(descriptor)
