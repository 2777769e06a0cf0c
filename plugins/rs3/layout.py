"""Where each blob lies: `<root>/<namespace>/ab/ab12…`, and what is being written in `<root>/.incoming`."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from guildhall_sdk.blobs import StoredBlob
from libs.blob_layout import content_size
from libs.blob_layout.names import check_digest, check_namespace

_FOLDER_MODE = 0o700
_REMEMBERED = 16_384
_FAN = re.compile("[0-9a-f]{2}")


class Layout:
    """The folders below one root. Folders are made as they are needed, and made to last."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.incoming = root / ".incoming"
        self._make_lasting = lru_cache(_REMEMBERED)(_make_lasting)
        root.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
        self.incoming.mkdir(_FOLDER_MODE, exist_ok=True)
        fsync_folder(root.parent)
        fsync_folder(root)

    def path(self, namespace: str, sha256: str) -> Path:
        return Path(f"{self.root}/{check_namespace(namespace)}/{check_digest(sha256)[:2]}/{sha256}")

    def make_folder_of(self, path: Path) -> None:
        """Makes the folder of a path, and flushes it once in this process.

        One that is there may be another process's that has not flushed it yet.
        """
        self._make_lasting(path.parent)

    def make_folder_again(self, path: Path) -> None:
        """Makes the folder of a path that somebody has removed since it was made, perhaps as an empty one."""
        self._make_lasting.cache_clear()
        self._make_lasting(path.parent)

    def blobs(self, namespace: str | None) -> Iterator[StoredBlob]:
        """Yields the blobs that are there at this moment; a file whose name is no blob's is none of ours."""
        homes = self._homes() if namespace is None else [self.root / check_namespace(namespace)]
        for home in homes:
            for fan in _folders(home, _FAN.fullmatch):
                with suppress(FileNotFoundError), os.scandir(fan) as entries:
                    yield from _blobs(home.name, fan.name, entries)

    def blobs_after(self, namespace: str, sha256: str) -> Iterator[StoredBlob]:
        """Yields the blobs after this one in order; no more than one folder of them is in memory."""
        for home in self._homes():
            if home.name < namespace:
                continue
            after = sha256 if home.name == namespace else ""
            for fan in _folders(home, _FAN.fullmatch):
                if fan.name >= after[:2]:
                    yield from _blobs(home.name, fan.name, _entries_after(fan, after))

    def _homes(self) -> list[Path]:
        return _folders(self.root, _is_namespace)


def _make_lasting(folder: Path) -> None:
    for made in (folder.parent, folder):
        made.mkdir(_FOLDER_MODE, exist_ok=True)
        fsync_folder(made.parent)


def fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _folders(folder: Path, is_ours: Callable[[str], object]) -> list[Path]:
    """Returns the folders with a name of ours, in order; another, as a volume's lost+found, is not opened."""
    try:
        with os.scandir(folder) as entries:
            found = [Path(entry.path) for entry in entries if is_ours(entry.name) and _is_folder(entry)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)


def _is_namespace(name: str) -> bool:
    try:
        check_namespace(name)
    except ValueError:
        return False
    return True


def _entries_after(fan: Path, after: str) -> "list[os.DirEntry[str]]":
    """Returns what comes after a name, in order; a file is looked at when its turn comes, and no other is."""
    with suppress(FileNotFoundError), os.scandir(fan) as entries:
        return sorted((entry for entry in entries if entry.name > after), key=lambda entry: entry.name)
    return []


def _blobs(namespace: str, fan: str, entries: "Iterable[os.DirEntry[str]]") -> Iterator[StoredBlob]:
    """Yields what is found again by its name; a file in a folder that is not its own never is."""
    for entry in entries:
        if entry.name[:2] != fan or _is_folder(entry):
            continue
        try:
            check_digest(entry.name)
            status = entry.stat(follow_symlinks=False)
        except (ValueError, FileNotFoundError):
            continue
        size, changed_ms = content_size(status.st_size), status.st_mtime_ns // 1_000_000
        yield StoredBlob(namespace, entry.name, size, changed_ms)
