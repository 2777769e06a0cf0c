"""Uploads in parts: begun, found, ended, and swept up when nobody comes back for them."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.description import Description
from builtin_plugins.s3.wire.answers import Checksums, PartsPage, StoredPart
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType
from builtin_plugins.s3.wire.conditions import Span
from builtin_plugins.s3.wire.errors import InvalidPart, NoSuchUpload
from guildhall_sdk import Host, Reader, Row, Statement, Writer, load_queries, new_id
from guildhall_sdk.context import BackgroundWork
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import StoredVersion

sql = load_queries(Path(__file__).with_name("uploads.sql"))
STORAGE = "storage.bytes"
HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS
ABANDONED_MS = 7 * DAY_MS
SWEEP_SECONDS = 3600.0
_BATCH = 100


async def find_part(
    repository: Repository, reader: Reader, version: StoredVersion, description: Description, number: int
) -> tuple[Span, Checksums]:
    """Returns the bytes of one part and their checksum; an object uploaded whole is its own first part."""
    if not description.parts and number == 1:
        return Span(0, version.size), description.checksums
    found = await repository.parts(reader, version, after=number - 1, limit=1)
    if not found:
        raise InvalidPart("The object has no such part.")
    part = found[0]
    return Span(part.start, part.start + part.size), checksums_of(description, part.checksum)


async def page_of_version(
    repository: Repository,
    reader: Reader,
    version: StoredVersion,
    description: Description,
    marker: int,
    max_parts: int,
) -> PartsPage:
    found = await repository.parts(reader, version, after=marker, limit=max_parts + 1)
    parts = [
        StoredPart(part.number, "", part.size, version.created_at, checksums_of(description, part.checksum))
        for part in found[:max_parts]
    ]
    return PartsPage(parts, description.parts, marker, max_parts, len(found) > max_parts)


def checksums_of(description: Description, checksum: str | None) -> Checksums:
    """Returns a part's checksums: of the kind that its object has, or none."""
    return {} if checksum is None else dict.fromkeys(description.checksums, checksum)


class UploadPlan(NamedTuple):
    """The object that an upload will become, as the request that began the upload describes it."""

    content_type: str | None
    description: Description
    algorithm: Algorithm | None
    checksum_type: ChecksumType | None

    def to_text(self) -> str:
        fields = {
            "content_type": self.content_type,
            "description": self.description.to_dict(),
            "algorithm": self.algorithm,
            "checksum_type": self.checksum_type,
        }
        return json.dumps(fields, ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> "UploadPlan":
        fields: Mapping[str, Any] = json.loads(text)
        algorithm, kind = fields["algorithm"], fields["checksum_type"]
        return cls(
            fields["content_type"],
            Description.parse(fields["description"]),
            None if algorithm is None else Algorithm(algorithm),
            None if kind is None else ChecksumType(kind),
        )


class Upload(NamedTuple):
    """`counted` is what its parts take of the storage; `version_id` is of what it became."""

    id: str
    org_id: str
    team_id: str
    key: str
    plan: UploadPlan
    counted: int
    ended: bool
    version_id: str | None
    etag: str | None
    checksum: str | None
    created_at: int
    assembling_until: int

    @property
    def checksums(self) -> Checksums:
        """The checksums of the object that it became."""
        if self.plan.algorithm is None or self.checksum is None:
            return {}
        return {self.plan.algorithm: self.checksum}


async def begin(call: S3Call, plan: UploadPlan) -> str:
    upload_id = new_id("upl", call.now_ms)
    async with call.write() as writer:
        await writer.run(
            sql.insert_upload,
            id=upload_id,
            org_id=call.principal.org_id,
            team_id=call.team_id,
            user_id=call.principal.user_id,
            key=call.key,
            described=plan.to_text(),
            now=call.now_ms,
        )
    return upload_id


async def find(call: S3Call, reader: Reader, *, ended: bool = False) -> Upload:
    """Returns the upload that the query names, of this key and person; one that has ended only if asked."""
    call.check_reach(call.key)
    upload_id = call.arguments.get("uploadId", "")
    row = None
    if "\0" not in upload_id + call.key:
        row = await reader.one(
            sql.upload,
            id=upload_id,
            org_id=call.principal.org_id,
            team_id=call.team_id,
            user_id=call.principal.user_id,
            key=call.key,
        )
    if row is None or (row["ended"] and not ended):
        raise NoSuchUpload(UploadId=upload_id)
    return _upload(row)


async def hold(call: S3Call, writer: Writer, *, ended: bool = False) -> Upload:
    """Returns the upload as it is until the transaction ends."""
    await writer.serialize(_lock(call.arguments.get("uploadId", "")))
    return await find(call, writer, ended=ended)


async def abort(call: S3Call) -> None:
    async with call.write() as writer:
        upload = await hold(call, writer)
        await _end(writer, upload.id, upload.org_id, call.now_ms)
        await _give_back(call.host, writer, upload.org_id, upload.team_id, upload.counted)
    call.host.service(Releases).begin(upload.id, upload.org_id)


async def _end(writer: Writer, upload_id: str, org_id: str, now_ms: int) -> None:
    await writer.run(sql.drop_parts, upload_id=upload_id, org_id=org_id)
    became = {"version_id": None, "etag": None, "checksum": None}
    await writer.run(sql.end_upload, id=upload_id, org_id=org_id, **became, now=now_ms)


async def _give_back(host: Host, writer: Writer, org_id: str, team_id: str, counted: int) -> None:
    if counted:
        await host.service(Quotas).adjust(writer, org_id, team_id, STORAGE, -counted)


class Releases:
    """Lets the bytes of ended uploads go, beside the requests; one for each server."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._under_way: set[BackgroundWork] = set()

    def begin(self, upload_id: str, org_id: str) -> None:
        self._run("releasing parts", lambda: self._release(upload_id, org_id))

    async def sweep_in_time(self) -> None:
        """Sweeps every hour, in every process, until it is cancelled."""
        while True:
            await self.sweep()
            await asyncio.sleep(SWEEP_SECONDS)

    async def settled(self) -> None:
        """Comes back when what has begun is done."""
        while works := [work for work in self._under_way if not work.ended]:
            await works[0].wait()

    def _run(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        async def to_its_end() -> None:
            await run()
            self._under_way.discard(work)

        work = self._host.background(name, to_its_end)
        self._under_way.add(work)

    async def _release(self, upload_id: str, org_id: str) -> None:
        async with self._host.data.write() as writer:
            await self._host.service(Repository).let_go(writer, org_id, upload_id)
            await writer.run(sql.forget_holds, id=upload_id, org_id=org_id)
            await writer.run(sql.delete_aborted, id=upload_id, org_id=org_id)

    async def sweep(self) -> None:
        """Ends the uploads that nobody came back for, and lets go what nobody lived to let go."""
        now = self._host.clock.now_ms()
        await self._forget_completed(now - DAY_MS)
        async for row in self._found(sql.abandoned, now - ABANDONED_MS):
            await self._end_abandoned(row, now)
        async for row in self._found(sql.unreleased, now - HOUR_MS):
            await self._release(row["id"], row["org_id"])

    async def _found(self, statement: Statement, before: int) -> AsyncIterator[Row]:
        """Yields uploads that the statement does not find again once they were dealt with."""
        rows: Sequence[Row] | None = None
        while rows is None or len(rows) == _BATCH:
            async with self._host.data.read() as reader:
                rows = await reader.all(statement, before=before, limit=_BATCH)
            for row in rows:
                yield row

    async def _forget_completed(self, before: int) -> None:
        """Forgets completed uploads a few at a time, with others' writes in between."""
        forgotten = _BATCH
        while forgotten == _BATCH:
            async with self._host.data.write() as writer:
                forgotten = len(await writer.all(sql.forget_completed, before=before, limit=_BATCH))

    async def _end_abandoned(self, row: Row, now_ms: int) -> None:
        async with self._host.data.write() as writer:
            await writer.serialize(_lock(row["id"]))
            before = now_ms - ABANDONED_MS
            still = await writer.one(sql.abandoned_still, id=row["id"], org_id=row["org_id"], before=before)
            if still is None:
                return
            await _end(writer, row["id"], row["org_id"], now_ms)
            await _give_back(self._host, writer, row["org_id"], row["team_id"], still["counted"])
        await self._release(row["id"], row["org_id"])


def _lock(upload_id: str) -> str:
    return f"s3_upload:{upload_id}"


def _upload(row: Row) -> Upload:
    return Upload(
        id=row["id"],
        org_id=row["org_id"],
        team_id=row["team_id"],
        key=row["key"],
        plan=UploadPlan.parse(row["described"]),
        counted=row["counted"],
        ended=bool(row["ended"]),
        version_id=row["version_id"],
        etag=row["etag"],
        checksum=row["checksum"],
        created_at=row["created_at"],
        assembling_until=row["assembling_until"],
    )
