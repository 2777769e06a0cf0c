"""The file of anchors in the data folder: appended to, flushed, and kept from growing without end."""

import fcntl
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from builtin_plugins.audit.anchors import (
    Anchor,
    AnchorBroken,
    AnchorKind,
    AnchorSource,
    heads_sha256,
    mac_of,
    parse_anchor,
    read_anchors,
)
from builtin_plugins.audit.chain import Head

FILE = "audit-anchors.log"
EARLIER = FILE + ".1"
MAX_BYTES = 16 * 1024 * 1024
_TAIL = 64 * 1024


class AnchorFile:
    """Several processes may share the folder: a lock on the file makes their lines follow one another."""

    def __init__(self, folder: Path, key: bytes, *, max_bytes: int = MAX_BYTES) -> None:
        self.path = folder / FILE
        self._earlier = folder / EARLIER
        self._key = key
        self._max_bytes = max_bytes

    def read(self) -> AnchorSource | None:
        """Reads every anchor that is kept; returns None where there is no file."""
        lines = [line for path in (self._earlier, self.path) for line in _lines(path)]
        return read_anchors(FILE, lines, self._key) if lines else None

    def append(
        self,
        at: int,
        heads: Sequence[Head],
        moved: Sequence[Head],
        *,
        kind: AnchorKind = "heads",
        backup: str | None = None,
    ) -> Anchor:
        """Writes all heads into a new file, or else those that moved; durable when it returns."""
        with self._locked() as file:
            before, series = self._last_line(file)
            size = os.fstat(file).st_size
            all_heads = size == 0 or size > self._max_bytes or kind == "restored"
            anchor = Anchor(
                kind=kind,
                series=series or secrets.token_hex(8),
                at=at,
                chains=len(heads),
                heads_sha256=heads_sha256(heads),
                heads=tuple(heads if all_heads else moved),
                extent="all" if all_heads else "moved",
                before=before,
                backup=backup,
            )
            line = (anchor.line(self._key) + "\n").encode()
            if size > self._max_bytes:
                self._begin_anew(line)
            else:
                _write(file, line)
                if size == 0:
                    _flush_folder(self.path.parent)
        return anchor

    def belongs_here(self) -> bool:
        """Tells whether the last line was signed with this key; another instance's file was not."""
        try:
            last = _lines(self.path)[-1:]
            return not last or parse_anchor(last[0], self._key) is not None
        except AnchorBroken:
            return False

    def lay_aside(self, at: int) -> None:
        """Keeps a file of another instance under another name."""
        for path in (self._earlier, self.path):
            if path.exists():
                path.rename(path.with_name(f"{path.name}.other-{at}"))

    @contextmanager
    def _locked(self) -> Iterator[int]:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                if _is_at(file, self.path):
                    yield file
                    return
            finally:
                os.close(file)

    def _last_line(self, file: int) -> tuple[str, str]:
        """Returns mac and series of the last line, after cutting off what a killed writer left of one."""
        size = os.fstat(file).st_size
        if size == 0:
            return "", ""
        end = _end_of_last_line(file, size)
        if end < size:
            os.truncate(file, end)
        for line in reversed(_lines(self.path)):
            try:
                anchor = parse_anchor(line, self._key)
            except AnchorBroken:
                continue
            if anchor is not None:
                return mac_of(line), anchor.series
        return "", ""

    def _begin_anew(self, line: bytes) -> None:
        draft = self.path.with_name(f".{FILE}.{secrets.token_hex(8)}")
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _write(file, line)
        finally:
            os.close(file)
        self.path.replace(self._earlier)
        draft.replace(self.path)
        _flush_folder(self.path.parent)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines(keepends=True)
    except FileNotFoundError:
        return []


def _is_at(file: int, path: Path) -> bool:
    """Tells whether the file is still the one at this path, after the wait for its lock."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _end_of_last_line(file: int, size: int) -> int:
    end = size
    while end > 0:
        start = max(0, end - _TAIL)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
