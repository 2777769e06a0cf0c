"""The text in objects: when it is read, where it is stored, and how search finds it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from contextvars import copy_context
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from builtin_plugins.repo import finding
from builtin_plugins.repo.blob_lifecycle import BlobLifecycle
from builtin_plugins.repo.extraction import PAGE_MARK, Extracted, Extractor, Outcome, declared_kind
from builtin_plugins.repo.object_row import READ, Record, TextStatus
from guildhall_sdk import Host, NewJob, NotFound, Problem, Reader, SearchSource, Setting, Writer, load_queries
from guildhall_sdk.context import BackgroundWork
from guildhall_sdk.services.computing import Scratch
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.repository import Extraction
from guildhall_sdk.services.search import Findable, PreparedText, SearchIndex
from guildhall_sdk.services.stored_objects import StoredVersion
from guildhall_sdk.settings import boolean
from libs.sandbox import measure

UNCONFINED = Setting(
    name="unconfined",
    help="on: text is extracted even where the system offers no sandbox for it",
    default=False,
    parse=boolean,
)

REMEDY = f"{measure.REMEDY}, or set SERVICE_REPO_UNCONFINED=on to read documents without it"
SETTINGS: Sequence[Setting[Any]] = (UNCONFINED,)


sql = load_queries(Path(__file__).with_name("texts.sql"))

EXTRACT = "repo.extract"
TYPE = "object"
MAX_UNREAD = 40
_AT_ONCE = 100
MAX_BYTES = 256 * 1024 * 1024

_log = logging.getLogger("guildhall.repo")

_STATUS: Mapping[Outcome, TextStatus] = {
    Outcome.TEXT: "indexed",
    Outcome.UNSUPPORTED: "unsupported",
    Outcome.REFUSED: "none",
}


class CurrentText(NamedTuple):
    """The state of an object's text, the number of its newest version, and the text where it is indexed."""

    status: TextStatus
    number: int
    text: str | None


def status_of(content_type: str, filename: str, size: int, before: TextStatus | None) -> TextStatus:
    """Returns what a new version makes of the text; `before` is what it was, None for a new object."""
    if declared_kind(content_type, filename) is None:
        return "unsupported"
    if size == 0:
        return "none"
    return "stale" if before in ("indexed", "stale") else "pending"


def new_extraction(
    org_id: str, team_id: str, user_id: str, object_id: str, version_id: str, number: int
) -> NewJob:
    return NewJob(
        EXTRACT,
        org_id,
        team_id,
        user_id,
        {"object_id": object_id, "version": number},
        unique_key=f"{EXTRACT}:{version_id}",
    )


class ReadingRequests:
    """Enqueues the reading of new versions soon after they are committed, and of several at once.

    The status of an object's text tells what waits to be read: what this process does not come to enqueue,
    `Unread` finds. The jobs are the server's own, whoever wrote the version.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._new: dict[str | None, NewJob] = {}
        self._work: BackgroundWork | None = None
        self._own_context = copy_context()

    def add(self, new: NewJob) -> None:
        """Enqueues the reading of a version that has been committed."""
        self._new[new.unique_key] = new
        if self._work is None:
            self._work = self._own_context.run(self._host.background, "enqueueing jobs", self._enqueue)

    async def _enqueue(self) -> None:
        jobs = self._host.service(Jobs)
        while self._new:
            first = list(islice(self._new.values(), _AT_ONCE))
            org_id = first[0].org_id
            some = [new for new in first if new.org_id == org_id]
            try:
                async with self._host.data.write(within=org_id) as writer:
                    await jobs.enqueue_many(writer, some)
            except Problem as problem:  # the company is suspended, say, or has too many jobs
                fields = {"org": org_id, "objects": len(some), "reason": problem.detail}
                _log.warning("extraction.not_enqueued", extra={"fields": fields})
            for new in some:
                self._new.pop(new.unique_key, None)
        self._work = None


class Texts:
    """Keeps the text of each object's newest version, and the search index with it."""

    def __init__(self, host: Host, blobs: BlobLifecycle) -> None:
        self._host = host
        self._blobs = blobs
        self._extractor = Extractor(unconfined=host.setting(UNCONFINED))
        self._requests = ReadingRequests(host)

    @cached_property
    def _index(self) -> SearchIndex | None:
        return self._host.find_service(SearchIndex)

    @cached_property
    def _jobs(self) -> Jobs | None:
        return self._host.find_service(Jobs)

    async def prepare(self, org_id: str, key: str, text: str | None) -> PreparedText | None:
        """Splits a long text into words, for `changed` and `keep`. Not inside a scope."""
        if self._index is None or text is None:
            return None
        return await self._index.prepare(org_id, _words(key, text))

    async def changed(
        self,
        writer: Writer,
        record: Record,
        user_id: str,
        text: str | None = None,
        prepared: PreparedText | None = None,
        before: Record | None = None,
    ) -> None:
        """Records that an object has another newest version, with its text where the writer has it."""
        if text is not None or before is None or not _is_found_by_name(record, before):
            await self._put_into_index(writer, record, text or "", prepared, new=record.last_number == 1)
        if text is not None:
            await self._save(writer, record, text)
        elif record.text_status in ("pending", "stale"):
            self._enqueue_reading(writer, record, user_id)

    async def moved(self, writer: Writer, record: Record, prepared: PreparedText | None = None) -> None:
        """Has an object found by its new key, and by its text as before."""
        await self._put_into_index(writer, record, await self._stored(writer, record) or "", prepared)

    async def gone(self, writer: Writer, object_id: str) -> None:
        if self._index is not None:
            await self._index.remove(writer, TYPE, object_id)

    async def of(self, reader: Reader, record: Record) -> str | None:
        return without_page_marks(await self._stored(reader, record))

    async def _stored(self, reader: Reader, record: Record) -> str | None:
        row = await reader.one(sql.text_of, id=record.id, org_id=record.org_id)
        return row["text"] if row is not None and record.text_status == "indexed" else None

    async def current(self, reader: Reader, record: Record) -> CurrentText:
        """Returns the state of an object's text with the text of its newest version, if that is indexed."""
        row = await reader.one(sql.current_text, id=record.id, org_id=record.org_id)
        if row is None:
            raise NotFound()
        return CurrentText(row["status"], row["number"], without_page_marks(row["text"]))

    async def unread(self, reader: Reader, caller: finding.Asker) -> list[str]:
        rows = await reader.all(
            sql.unread,
            team_id=caller.team_id,
            org_id=caller.org_id,
            user_id=caller.user_id,
            now=self._host.clock.now_ms(),
            limit=MAX_UNREAD,
        )
        return [row["id"] for row in rows]

    async def extraction(self) -> Extraction:
        """Returns whether a child is confined here as measured, and else what the operator said of that."""
        if (await measure.measured()).tier != "C":
            return "confined"
        return "unconfined" if self._host.setting(UNCONFINED) else "refused"

    async def may_read(self) -> bool:
        return await self.extraction() != "refused"

    async def read(self, version: StoredVersion) -> Extracted:
        """Reads a version in a child process. Not inside a scope."""
        if not await self.may_read():
            return self._refuse(version, (await measure.measured()).describe())
        if version.size > MAX_BYTES:
            return Extracted(Outcome.REFUSED, reason=f"is larger than {MAX_BYTES} bytes")
        async with self.opened(version) as document:
            found = await self._extractor.extract(document, version.content_type, version.filename)
        if found.outcome is Outcome.UNCONFINED:
            return self._refuse(version, found.reason or "")
        return found

    def _refuse(self, version: StoredVersion, sandbox: str) -> Extracted:
        fields = {"object": version.object_id, "sandbox": sandbox, "remedy": REMEDY}
        _log.warning("extraction.refused", extra={"fields": fields})
        return Extracted(Outcome.UNCONFINED, reason="is not read, as this server cannot confine its reader")

    @asynccontextmanager
    async def opened(self, version: StoredVersion) -> AsyncIterator[BinaryIO]:
        """Opens a copy of the bytes for a child process; it has no name, and is gone with the block."""
        document = await asyncio.to_thread(self._host.service(Scratch).open)
        try:
            async with aclosing(self._blobs.open(version.org_id, version.sha256, version.size)) as chunks:
                async for chunk in chunks:
                    await asyncio.to_thread(document.write, chunk)
            await asyncio.to_thread(document.seek, 0)
            yield document
        finally:
            await asyncio.to_thread(document.close)

    async def store(
        self,
        writer: Writer,
        caller: finding.Asker,
        version: StoredVersion,
        found: Extracted,
        prepared: PreparedText | None = None,
    ) -> Record:
        """Stores what was read of a version, unless a newer one has come or nothing was decided."""
        record = await finding.hold_object(writer, caller, version.object_id, self._host.clock.now_ms())
        status = _STATUS.get(found.outcome)
        if record.newest.id != version.id or status is None:
            return record
        await writer.run(sql.set_status, id=record.id, org_id=record.org_id, status=status)
        if found.text is not None:
            await self._save(writer, record, found.text)
            await self._put_into_index(writer, record, found.text, prepared)
        return await finding.by_id(writer, caller, record.id, self._host.clock.now_ms())

    async def _save(self, writer: Writer, record: Record, text: str) -> None:
        await writer.run(
            sql.save_text, id=record.id, org_id=record.org_id, number=record.newest.number, text=text
        )

    async def _put_into_index(
        self,
        writer: Writer,
        record: Record,
        text: str,
        prepared: PreparedText | None = None,
        *,
        new: bool = False,
    ) -> None:
        if self._index is None:
            return
        title = _title_of(record)
        words = _words(record.key, text)
        await self._index.put(
            writer,
            Findable(
                TYPE, record.id, record.org_id, record.team_id, title, words, prepared=prepared, new=new
            ),
        )

    def _enqueue_reading(self, writer: Writer, record: Record, user_id: str) -> None:
        if self._jobs is None:
            return
        new = record.newest
        job = new_extraction(record.org_id, record.team_id, user_id, record.id, new.id, new.number)
        writer.after_commit(partial(self._requests.add, job))


def without_page_marks(text: str | None) -> str | None:
    """Returns a text as people see it: where its pages end is for the index, which says where a hit is."""
    return None if text is None else text.replace(PAGE_MARK, "")


def _title_of(record: Record) -> str:
    return record.title or record.newest.filename


def _is_found_by_name(record: Record, before: Record) -> bool:
    """Tells whether the index has nothing but the same title and key of what was there before."""
    return before.present and before.text_status != "indexed" and _title_of(before) == _title_of(record)


def _words(key: str, text: str) -> str:
    """Returns what an object is found by, beside its title."""
    return "\n".join(filter(None, (key, text)))


search_sql = load_queries(Path(__file__).with_name("search_source.sql"))

OBJECTS = SearchSource(
    TYPE,
    READ,
    "/api/repo-obj/{id}",
    search_sql.readable,
    search_sql.readable_in_org,
    every=search_sql.every,
    few=search_sql.few,
)
SOURCES = (OBJECTS,)
