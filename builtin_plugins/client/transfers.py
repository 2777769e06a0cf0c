"""Copies between this machine and a hall, each file with its bar; what is there already is left alone."""

import hashlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from builtin_plugins.client.showing import ProgressBar
from guildhall_sdk import UserError

if TYPE_CHECKING:
    from guildhall_client import Client
    from guildhall_client.types import File

_BLOCK = 1024 * 1024


class CountedFile(io.RawIOBase):
    """A file whose reading is shown by a bar."""

    def __init__(self, path: Path, bar: ProgressBar) -> None:
        self._file = path.open("rb")
        self._bar = bar

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self._bar.show(self._file.tell())
        return block

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        super().close()


def object_at(hall: "Client", key: str) -> "File":
    """Returns the object at a key; one whose key begins so comes behind it."""
    for file in hall.files.list(prefix=key, page_size=1).first(1):
        if file["key"] == key:
            return file
    raise UserError(f"there is no hall:{key}; `guildhall files ls hall:` shows what there is")


def upload(hall: "Client", path: Path, key: str, there: "File | None") -> None:
    """Sends a file, unless the same content is there already."""
    bar = ProgressBar(f"{path} -> hall:{key}", path.stat().st_size)
    if there is not None and _is_same(path, there):
        bar.end("there")
        return
    with CountedFile(path, bar) as file:
        content: Any = file
        hall.files.upload(key, content)
    bar.end("sent")


def download(hall: "Client", file: "File", path: Path) -> None:
    """Writes an object into a file, unless it holds the same already; what broke off is gone on with."""
    bar = ProgressBar(f"hall:{file['key']} -> {path}", file["size"])
    if path.is_file() and _is_same(path, file):
        bar.end("there")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    hall.files.download(file["id"]).save(path, bar.show)
    bar.end("read")


def _is_same(path: Path, file: "File") -> bool:
    if path.stat().st_size != file["size"]:
        return False
    digest = hashlib.sha256()
    with path.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest() == file["sha256"]


def upload_folder(hall: "Client", folder: Path, prefix: str) -> int:
    """Sends what lies in a folder, at any depth; returns how many files could not be sent."""
    there = {file["key"]: file for file in hall.files.list(prefix=prefix, page_size=200)}
    failed = 0
    for path in sorted(_files_in(folder)):
        key = prefix + path.relative_to(folder).as_posix()
        failed += _attempted(lambda path=path, key=key: upload(hall, path, key, there.get(key)), str(path))
    return failed


def download_folder(hall: "Client", prefix: str, folder: Path) -> int:
    """Writes what lies below a prefix into a folder; returns how many objects could not be."""
    failed = 0
    for file in hall.files.list(prefix=prefix, page_size=200):
        below = PurePosixPath(file["key"].removeprefix(prefix))
        if below.is_absolute() or ".." in below.parts or not below.parts or "\0" in str(below):
            sys.stderr.write(f"left out: hall:{file['key']} would lie outside of {folder}\n")
            failed += 1
            continue
        failed += _attempted(
            lambda file=file, below=below: download(hall, file, folder.joinpath(*below.parts)), file["key"]
        )
    return failed


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _attempted(work: Any, name: str) -> int:
    """Goes on with the next file where one cannot be copied; a hall that is away ends it all."""
    from guildhall_client import Changed, Problem, Unauthenticated

    try:
        work()
    except Unauthenticated:
        raise
    except (Problem, Changed, OSError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else str(fault)
        sys.stderr.write(f"failed   {name}: {reason}\n")
        return 1
    return 0
