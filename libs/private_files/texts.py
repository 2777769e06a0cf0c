"""Small texts such as keys, made whole and durable, and read from private files alone."""

import os
import secrets
from pathlib import Path


class NotPrivate(Exception):
    """Others can reach a file; the message says how to end that."""


def create_private(path: Path, text: str) -> None:
    """Makes a whole, durable file under its name at once, unless somebody else's stands there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()
    _sync_folder(path.parent)


def read_private(path: Path, max_characters: int) -> str:
    """Reads the beginning of a file as UTF-8; raises `NotPrivate` where others can reach it, as ssh does."""
    with path.open(encoding="utf-8-sig") as file:
        mode = os.fstat(file.fileno()).st_mode
        if mode & 0o077:
            raise NotPrivate(f"others can reach it (mode {mode & 0o777:04o}); run: chmod 600 {path}")
        return file.read(max_characters)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
