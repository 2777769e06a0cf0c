"""A blob on its way in: a temporary file that becomes the blob in one step, or leaves no trace."""

import fcntl
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, wait
from pathlib import Path

from guildhall_sdk.blobs import Blob, Hasher
from libs.blob_layout import BlockHasher

from .layout import Layout, fsync_folder

_FILE_MODE = 0o600
_WRITEBACK = 8 * 1024 * 1024
_WORTH_A_THREAD = 256 * 1024
# Shorter ones are joined first, which costs less than a call for each of them.
_WORTH_A_CALL = 64 * 1024


class Incoming:
    """Everything here blocks, and is called in threads; one call waits for the other.

    The file is locked while somebody writes it: a sweep, of this process or of another that shares the
    folder, removes only what nobody has locked.
    """

    def __init__(self, layout: Layout, namespace: str, also: Sequence[Hasher], beside: Executor) -> None:
        self._layout = layout
        self._namespace = namespace
        self._hasher = BlockHasher()
        self._also = also
        self._beside = beside
        self._turn = threading.Lock()
        self._descriptor: int | None = None
        self._path: Path | None = None
        self._written = 0
        self._on_its_way = 0
        self._discarded = False

    def append(self, chunks: Sequence[bytes]) -> None:
        with self._turn:
            if not self._discarded:
                self._append(chunks)

    def finish(self, chunks: Sequence[bytes], check: Callable[[Blob], None] | None) -> Blob:
        """Takes the last chunks and makes the blob of it all. After any failure: `discard`."""
        with self._turn:
            descriptor = self._append(chunks)
            sha256, size, trailer = self._hasher.finish()
            blob = Blob(sha256, size)
            if check is not None:
                check(blob)
            _write(descriptor, trailer)
            os.fsync(descriptor)
            self._give_name(self._layout.path(self._namespace, blob.sha256))
            return blob

    def discard(self) -> None:
        with self._turn:
            self._discarded = True  # an append may still wait for a thread
            if self._path is not None:
                self._path.unlink(missing_ok=True)
                self._path = None
            self._close()

    def _append(self, chunks: Sequence[bytes]) -> int:
        if self._descriptor is None:
            self._path, self._descriptor = _new_file(self._layout.incoming)
        size = sum(map(len, chunks))
        pieces = chunks if size >= len(chunks) * _WORTH_A_CALL else [b"".join(chunks)]
        if size < _WORTH_A_THREAD:
            self._take(self._descriptor, pieces)
            for hasher in self._also:
                _hash(hasher, pieces)
        else:
            others = [self._beside.submit(_hash, hasher, pieces) for hasher in self._also]
            try:
                self._take(self._descriptor, pieces)
            finally:
                wait(others)
            for other in others:
                other.result()
        self._written += size
        if self._written - self._on_its_way >= _WRITEBACK:
            self._begin_writeback(self._descriptor)
        return self._descriptor

    def _take(self, descriptor: int, pieces: Sequence[bytes]) -> None:
        for piece in pieces:
            self._hasher.update(piece)
            _write(descriptor, piece)

    def _begin_writeback(self, descriptor: int) -> None:
        """Lets the disk begin while more arrives, so that the flush at the end has little left to do."""
        if hasattr(os, "posix_fadvise"):
            newest = self._written - self._on_its_way
            os.posix_fadvise(descriptor, self._on_its_way, newest, os.POSIX_FADV_DONTNEED)
        self._on_its_way = self._written

    def _give_name(self, path: Path) -> None:
        assert self._path is not None
        self._layout.make_folder_of(path)
        try:
            self._path.rename(path)
        except FileNotFoundError:
            self._layout.make_folder_again(path)
            self._path.rename(path)
        self._path = None
        self._close()
        fsync_folder(path.parent)

    def _close(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)


def remove_leftovers(folder: Path) -> int:
    """Removes the files that no living process has locked; says how many."""
    with os.scandir(folder) as entries:
        files = [Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False)]
    return sum(_remove_unless_locked(path) for path in files)


def _remove_unless_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _new_file(folder: Path) -> tuple[Path, int]:
    while True:
        path = folder / secrets.token_hex(16)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return path, descriptor
        os.close(descriptor)  # a sweep came between the two and took it for a leftover


def _hash(hasher: Hasher, pieces: Sequence[bytes]) -> None:
    for piece in pieces:
        hasher.update(piece)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
