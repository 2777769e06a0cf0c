"""Export: the approved texts of a language as its catalog file, whole at any moment."""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path

from builtin_plugins.l10n.catalogs.files import MAX_FILE_BYTES
from builtin_plugins.l10n.catalogs.policy import bump_revision
from builtin_plugins.l10n.messages.message import sql
from guildhall_sdk import Conflict, Reader, Row, Unavailable, Writer
from libs.strict_json import MAX_MEMBERS

_FILE_MODE, _FOLDER_MODE = 0o644, 0o755
_LOCK_POLL_SECONDS = 0.02


async def export_locale(
    read: Callable[[], AbstractAsyncContextManager[Reader]],
    write: Callable[[], AbstractAsyncContextManager[Writer]],
    folder: Path,
    locale: str,
) -> int:
    """Writes `<locale>.json` into the folder, and returns how many texts it has.

    Raises `Conflict` where nothing is approved, and where it is more than a catalog may have: no import could
    go past such a file. Whoever stops it leaves the old file or the new one.
    """
    async with _exclusively(folder):
        async with read() as reader:
            rows = await reader.all(sql.approved_texts, locale=locale)
        if not rows:
            raise Conflict(
                f"Nothing is approved for {locale} yet, so there is nothing to export.",
                code="nothing_approved",
            )
        new = folder / f".{locale}.json.new"
        with _failures_in_words(locale):
            await _to_its_end(_write_aside, new, locale, rows)
        async with write() as writer:
            await bump_revision(writer)
            writer.audit("localization.exported", ("locale", locale), detail={"written": len(rows)})
            with _failures_in_words(locale):
                await _to_its_end(_put_in_place, new, folder / f"{locale}.json")
    return len(rows)


@asynccontextmanager
async def _exclusively(folder: Path) -> AsyncIterator[None]:
    """Lets one export at a time read and write: of all server processes that share the folder.

    So none puts older texts over newer ones. The lock ends with its process, however that ends.
    """
    with _failures_in_words("catalogs"):
        lock = await asyncio.to_thread(_open_lock, folder)
    try:
        while not _is_locked(lock):  # noqa: ASYNC110 - another process holds it
            await asyncio.sleep(_LOCK_POLL_SECONDS)
        yield
    finally:
        os.close(lock)


async def _to_its_end(work: Callable[..., None], *arguments: object) -> None:
    """Runs it on a thread, and waits for that also when it is cancelled.

    Whoever hangs up lets the next export in: not while a thread of this one still writes.
    """
    running = asyncio.create_task(asyncio.to_thread(work, *arguments))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


def _open_lock(folder: Path) -> int:
    folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
    return os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _FILE_MODE)


def _is_locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_aside(path: Path, locale: str, rows: Sequence[Row]) -> None:
    """Writes the texts into a file beside the one that is read; it is on the disk when this returns."""
    texts = {row["key"]: row["approved_text"] for row in rows}
    content = (json.dumps(texts, ensure_ascii=False, indent=2) + "\n").encode()
    if len(content) > MAX_FILE_BYTES or len(texts) >= MAX_MEMBERS:
        raise Conflict(
            f"The texts of {locale} are more than a catalog file may have, which is "
            f"{MAX_FILE_BYTES // 1024 // 1024} MiB and {MAX_MEMBERS:,} texts. They are served without it.",
            code="catalog_too_large",
        )
    # What a stopped export left behind may be anything.
    path.unlink(missing_ok=True)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _FILE_MODE)
    with os.fdopen(number, "wb") as file:
        os.fchmod(number, _FILE_MODE)
        file.write(content)
        file.flush()
        os.fsync(number)


def _put_in_place(new: Path, path: Path) -> None:
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _failures_in_words(what: str) -> Iterator[None]:
    """Raises `Unavailable` for a disk that does not do as it should."""
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"The file of {what} could not be written: {error.strerror}. The one before is as it was.",
            code="export_failed",
        ) from error
