"""Small pictures of pictures and PDFs: a confined child draws them when first asked, and they are kept."""

import asyncio
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from weakref import WeakValueDictionary

from builtin_plugins.repo import keys
from builtin_plugins.repo.extraction.child_process import child_command, run_child
from builtin_plugins.repo.extraction.reading.task import DrawingLimits
from builtin_plugins.repo.object_row import Record
from builtin_plugins.repo.texts import UNCONFINED, Texts
from guildhall_sdk import Host, NotFound, Problem, Unavailable, load_queries
from guildhall_sdk.services.stored_objects import StoredVersion

sql = load_queries(Path(__file__).with_name("thumbnails.sql"))

SIZES = (64, 256, 1024)
WEBP = "image/webp"
_LIMITS = DrawingLimits()
_COMMAND = child_command("picture")
_AT_ONCE = 2
# Any other end, such as by whoever looks after memory, says nothing of the picture.
_SAYS_SOMETHING = (
    0,
    *(-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT),
)
# Not SVG: it is a program with letters, links and styles, and nothing small draws it safely.
_DRAWN = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/x-ms-bmp"),
        "application/pdf",
    }
)


class NoThumbnail(NotFound):
    """Raised where there is no small picture, and will not be."""

    def __init__(self) -> None:
        super().__init__("There is no small picture of this.")


def is_drawn(version: StoredVersion) -> bool:
    """Tells whether it is worth trying; the bytes may still say otherwise."""
    kind = keys.media_type(version.content_type)
    kind = keys.content_type_of(version.filename) if kind == keys.UNKNOWN else kind
    return kind in _DRAWN and 0 < version.size <= _LIMITS.input_bytes


def etag_of(version: StoredVersion, size: int) -> str:
    return f'"{version.sha256}-{size}"'


class Thumbnails:
    """Draws two at a time, and for each company one: nobody waits for all that another company wants."""

    def __init__(self, host: Host, texts: Texts) -> None:
        self._host = host
        self._texts = texts
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._of_company: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def of(self, record: Record, size: int) -> bytes:
        """Returns the newest version small, in WebP; raises `NoThumbnail`. Not inside a scope."""
        version = record.newest
        if not is_drawn(version):
            raise NoThumbnail()
        found = await self._find_stored(version, size)
        if found is None:
            turn = self._of_company.setdefault(record.org_id, asyncio.Lock())
            async with turn, self._turns:
                # Somebody else may have had it drawn while this one waited.
                found = await self._find_stored(version, size)
                if found is None:
                    found = await self._drawn(version, size)
        if not found:
            raise NoThumbnail()
        return found

    async def _find_stored(self, version: StoredVersion, size: int) -> bytes | None:
        """Returns what was drawn before: nothing, where that was in vain; None where nobody tried."""
        async with self._host.data.read() as reader:
            row = await reader.one(
                sql.kept, object_id=version.object_id, org_id=version.org_id, version_id=version.id, size=size
            )
        return None if row is None else bytes(row["content"])

    async def _store(self, version: StoredVersion, size: int, content: bytes) -> None:
        with suppress(Problem):  # such as of a company that is suspended: it is shown all the same
            async with self._host.data.write(within=version.org_id) as writer:
                await writer.run(
                    sql.store,
                    object_id=version.object_id,
                    org_id=version.org_id,
                    version_id=version.id,
                    size=size,
                    content=content,
                )

    async def _drawn(self, version: StoredVersion, size: int) -> bytes | None:
        """Draws a picture. What is none, or costs more than it may, is kept as nothing, so as to try once."""
        if not await self._texts.may_read():
            return None
        request = {
            "size": size,
            "limits": _LIMITS._asdict(),
            "parent": os.getpid(),
            "unconfined": self._host.setting(UNCONFINED),
        }
        async with self._texts.opened(version) as document:
            try:
                ended = await run_child(
                    _COMMAND, json.dumps(request), document, _LIMITS.output_bytes, _LIMITS.wall_seconds
                )
            except OSError as error:
                raise Unavailable("No picture can be drawn just now.") from error
        if ended is not None and ended.status not in _SAYS_SOMETHING:
            return None
        content = ended.answer if ended is not None and _is_webp(ended.answer) else b""
        await self._store(version, size, content)
        return content


def _is_webp(answer: bytes) -> bool:
    """Checks the answer of a child like anyone's: it has read hostile bytes."""
    return (
        len(answer) <= _LIMITS.output_bytes
        and answer[:4] == b"RIFF"
        and answer[8:12] == b"WEBP"
        and int.from_bytes(answer[4:8], "little") + 8 == len(answer)
    )
