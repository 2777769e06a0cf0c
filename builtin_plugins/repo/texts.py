"""The text in objects: when it is read, where it is kept, and that search finds it."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory

from builtin_plugins.repo import finding
from builtin_plugins.repo.extraction import Extracted, Outcome, extract, supported
from builtin_plugins.repo.kept import KeptBytes
from builtin_plugins.repo.offered import offered
from builtin_plugins.repo.record import Record
from guildhall_sdk import Host, NewJob, Reader, Writer, load_queries
from guildhall_sdk.services import Findable, Jobs, SearchIndex, StoredVersion
from guildhall_sdk.services.repository import TextStatus

sql = load_queries(Path(__file__).with_name("texts.sql"))

EXTRACT = "repo.extract"
TYPE = "object"
MOST_UNREAD = 40
MOST_BYTES = 256 * 1024 * 1024

_STATUS: Mapping[Outcome, TextStatus] = {
    Outcome.TEXT: "indexed",
    Outcome.UNSUPPORTED: "unsupported",
    Outcome.REFUSED: "none",
    Outcome.FAILED: "pending",
}


def status_of(content_type: str, filename: str, size: int, before: TextStatus | None) -> TextStatus:
    """What a new version makes of the text; `before` is what it was, None for a new object."""
    if not supported(content_type, filename):
        return "unsupported"
    if size == 0:
        return "none"
    return "stale" if before in ("indexed", "stale") else "pending"


class Texts:
    """Keeps the text of each object's newest version, and the search index with it."""

    def __init__(self, host: Host, kept: KeptBytes) -> None:
        self._host = host
        self._kept = kept

    async def changed(self, writer: Writer, record: Record, text: str | None, user_id: str) -> None:
        """To be called whenever an object has another newest version; its text, where the writer has it."""
        await self._index(writer, record, text or "")
        if text is not None:
            await self._save(writer, record, text)
        elif record.text_status in ("pending", "stale"):
            await self._ask_to_read(writer, record, user_id)

    async def gone(self, writer: Writer, object_id: str) -> None:
        index = offered(self._host, SearchIndex)
        if index is not None:
            await index.remove(writer, TYPE, object_id)

    async def of(self, reader: Reader, record: Record) -> str | None:
        row = await reader.one(sql.text_of, id=record.id, org_id=record.org_id)
        return row["text"] if row is not None and record.text_status == "indexed" else None

    async def unread(self, reader: Reader, caller: finding.Asker) -> list[str]:
        rows = await reader.all(
            sql.unread,
            team_id=caller.team_id,
            org_id=caller.org_id,
            user_id=caller.user_id,
            now=self._host.clock.now_ms(),
            limit=MOST_UNREAD,
        )
        return [row["id"] for row in rows]

    async def read(self, version: StoredVersion) -> Extracted:
        """Reads a version in a child process. Not inside a scope."""
        if version.size > MOST_BYTES:
            return Extracted(Outcome.REFUSED, reason=f"is larger than {MOST_BYTES} bytes")
        with TemporaryDirectory(prefix="guildhall-") as folder:
            path = Path(folder) / "document"
            await self._copy_out(version, path)
            return await extract(path, version.content_type, version.filename)

    async def _copy_out(self, version: StoredVersion, path: Path) -> None:
        file = await asyncio.to_thread(path.open, "wb")
        try:
            async with aclosing(self._kept.open(version.org_id, version.sha256)) as chunks:
                async for chunk in chunks:
                    await asyncio.to_thread(file.write, chunk)
        finally:
            await asyncio.to_thread(file.close)

    async def keep(
        self, writer: Writer, caller: finding.Asker, version: StoredVersion, found: Extracted
    ) -> Record:
        """What was read of a version, unless a newer one has come meanwhile."""
        record = await finding.hold_object(writer, caller, version.object_id, self._host.clock.now_ms())
        if record.newest.id != version.id:
            return record
        status = _STATUS[found.outcome]
        await writer.run(sql.set_status, id=record.id, org_id=record.org_id, status=status)
        if found.text is not None:
            await self._save(writer, record, found.text)
            await self._index(writer, record, found.text)
        return await finding.by_id(writer, caller, record.id, self._host.clock.now_ms())

    async def _save(self, writer: Writer, record: Record, text: str) -> None:
        await writer.run(
            sql.save_text, id=record.id, org_id=record.org_id, number=record.newest.number, text=text
        )

    async def _index(self, writer: Writer, record: Record, text: str) -> None:
        index = offered(self._host, SearchIndex)
        if index is None:
            return
        title = record.title or record.newest.filename
        words = "\n".join(part for part in (record.key, text) if part)
        await index.put(writer, Findable(TYPE, record.id, record.org_id, record.team_id, title, words))

    async def _ask_to_read(self, writer: Writer, record: Record, user_id: str) -> None:
        jobs = offered(self._host, Jobs)
        if jobs is None:
            return
        await jobs.enqueue(
            writer,
            NewJob(
                EXTRACT,
                record.org_id,
                record.team_id,
                user_id,
                {"object_id": record.id, "version": record.newest.number},
                unique_key=f"{EXTRACT}:{record.newest.id}",
            ),
        )
