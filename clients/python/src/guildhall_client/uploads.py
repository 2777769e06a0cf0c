"""What can be uploaded: bytes, a path, or a file that is open."""

import mimetypes
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

Source = bytes | str | PathLike[str] | BinaryIO

BLOCK = 256 * 1024


def opened(source: Source) -> BinaryIO | bytes:
    """Returns what to read from; a path is opened. A file that is given is read from where it stands."""
    if isinstance(source, bytes):
        return source
    if isinstance(source, str | PathLike):
        return Path(fspath(source)).open("rb")
    return source


def is_ours(source: Source) -> bool:
    """Tells whether the file was opened here, and is to be closed here."""
    return isinstance(source, str | PathLike)


def size_of(content: BinaryIO) -> int | None:
    """Returns how many bytes follow; None for what has no end that is known, such as a pipe."""
    if not content.seekable():
        return None
    begin = content.tell()
    end = content.seek(0, 2)
    content.seek(begin)
    return end - begin


def headers_of(content: BinaryIO | bytes, name: str, content_type: str | None) -> Mapping[str, str]:
    """Returns the type of what is sent, guessed by its name, and its length."""
    guessed = content_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    size = len(content) if isinstance(content, bytes) else size_of(content)
    return {"Content-Type": guessed, **({} if size is None else {"Content-Length": str(size)})}
