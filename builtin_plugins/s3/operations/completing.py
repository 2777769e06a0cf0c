"""CompleteMultipartUpload: the parts become one object, and the caller is kept company meanwhile."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.answering import XML, Answer, xml
from builtin_plugins.s3.bodies import give_up, read_whole
from builtin_plugins.s3.call import Call
from builtin_plugins.s3.operations.promises import check_writable
from builtin_plugins.s3.operations.writing import write_precondition
from builtin_plugins.s3.parts import sql
from builtin_plugins.s3.refusals import as_s3_error
from builtin_plugins.s3.uploads import STORAGE, Releases, Upload
from builtin_plugins.s3.wire.answers import completed_upload, error_answer
from builtin_plugins.s3.wire.bodies import NamedPart, parse_complete
from builtin_plugins.s3.wire.checksums import (
    Algorithm,
    ChecksumType,
    RunningDigest,
    combined,
    expected_checksum,
    multipart_etag,
)
from builtin_plugins.s3.wire.errors import (
    BadDigest,
    EntityTooSmall,
    InvalidPart,
    InvalidRequest,
    NoSuchUpload,
    S3Error,
)
from builtin_plugins.s3.wire.ranges import MOST_PARTS
from guildhall_sdk import Problem, Row, TooManyRequests, Writer
from guildhall_sdk.blobs import BlobMissing
from guildhall_sdk.services import NewVersion, Quotas, Staged

SMALLEST_PART = 5 * 1024 * 1024
PATIENCE_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class Assembly:
    """What is to become of an upload: of these parts, with this ETag and these checksums."""

    upload: Upload
    parts: Sequence[Row]
    etag: str
    checksums: Mapping[Algorithm, str]

    @property
    def size(self) -> int:
        return sum(part["size"] for part in self.parts)


@dataclass(frozen=True, slots=True)
class Landed:
    """The answer, and what the object's new version is."""

    document: bytes
    version_id: str


async def complete_multipart_upload(call: Call) -> Answer:
    named = parse_complete(await read_whole(call, checked=False))
    await check_writable(call, call.key)
    async with call.read() as reader:
        upload = await uploads.find(call, reader, ended=True)
        rows = await reader.all(
            sql.parts_of, upload_id=upload.id, org_id=upload.org_id, marker=0, limit=MOST_PARTS
        )
    if upload.ended:
        return _completed_before(call, upload, named)
    assembly = _plan(call, upload, named, {row["number"]: row for row in rows})
    return await _patiently(call, asyncio.create_task(_complete(call, assembly)))


def _plan(call: Call, upload: Upload, named: Sequence[NamedPart], there: Mapping[int, Row]) -> Assembly:
    """Raises what is wrong with the parts as the client names them."""
    algorithm, kind = upload.plan.algorithm, upload.plan.checksum_type
    for part in named:
        row = there.get(part.number)
        if row is None or part.etag != row["md5"]:
            raise InvalidPart(PartNumber=str(part.number))
        if algorithm is not None and part.checksums.get(algorithm, row["checksum"]) != row["checksum"]:
            raise InvalidPart(PartNumber=str(part.number))
    parts = [there[part.number] for part in named]
    for small in (row for row in parts[:-1] if row["size"] < SMALLEST_PART):
        raise EntityTooSmall(PartNumber=str(small["number"]), ProposedSize=str(small["size"]))
    checksums = {}
    if algorithm is not None and kind is not None:
        values = [(part["checksum"], part["size"]) for part in parts]
        checksums = {algorithm: combined(algorithm, kind, values)}
    assembly = Assembly(upload, parts, multipart_etag(part["md5"] for part in parts), checksums)
    _check_told(call, assembly)
    return assembly


def _check_told(call: Call, assembly: Assembly) -> None:
    told = call.request.extensions
    size = told.get("x-amz-mp-object-size")
    if size is not None and size != str(assembly.size):
        raise InvalidRequest("x-amz-mp-object-size is not the size of the parts.")
    kind = told.get("x-amz-checksum-type")
    if kind is not None and kind != assembly.upload.plan.checksum_type:
        raise InvalidRequest("x-amz-checksum-type is not the one that the upload was begun with.")
    expected = expected_checksum(told)
    if expected is None or expected.value is None or not assembly.checksums:
        return
    found = assembly.checksums.get(expected.algorithm)
    if found is None or expected.value not in (found, found.partition("-")[0]):
        raise BadDigest(f"The {expected.algorithm} you specified is not that of the parts.")


async def _complete(call: Call, assembly: Assembly) -> Landed:
    upload = assembly.upload
    staged, whole = await _put_together(call, assembly)
    description = replace(
        upload.plan.description,
        checksums=assembly.checksums,
        checksum_type=upload.plan.checksum_type if assembly.checksums else None,
        whole=whole,
        md5=staged.md5,
        parts=len(assembly.parts),
    )
    new = NewVersion(
        content_type=upload.plan.content_type,
        etag=assembly.etag,
        attributes=description.attributes(),
        fires_triggers=call.fires_triggers,
    )
    try:
        try:
            done = await _land(call, assembly, staged, new)
        except TooManyRequests:
            # The parts take room as well until it is done; there may be enough for the object alone.
            await _make_room(call)
            done = await _land(call, assembly, staged, new)
    except BaseException:
        await give_up(call, staged)
        raise
    call.host.service(Releases).begin(upload.id, upload.org_id)
    return done


async def _put_together(call: Call, assembly: Assembly) -> tuple[Staged, Mapping[Algorithm, str]]:
    """The bytes of all parts, and their checksum where that of the object is over its parts' checksums."""
    upload, parts = assembly.upload, assembly.parts
    composite = upload.plan.checksum_type is ChecksumType.COMPOSITE
    algorithm = upload.plan.algorithm if composite else None
    if len(parts) == 1:
        whole = {} if algorithm is None else {algorithm: parts[0]["checksum"]}
        return _staged(upload, parts[0]), whole
    running: RunningDigest | None = None if algorithm is None else algorithm.start()
    try:
        staged = await call.repository.stage(
            upload.org_id, _bytes_of(call, assembly), also=() if running is None else (running,)
        )
    except BlobMissing:
        raise NoSuchUpload(UploadId=upload.id) from None
    if algorithm is None or running is None:
        return staged, {}
    return staged, {algorithm: base64.b64encode(running.digest()).decode()}


async def _bytes_of(call: Call, assembly: Assembly) -> AsyncIterator[bytes]:
    for part in assembly.parts:
        async for chunk in call.repository.open_staged(_staged(assembly.upload, part)):
            yield chunk


async def _land(call: Call, assembly: Assembly, staged: Staged, new: NewVersion) -> Landed:
    """One transaction: the version, its parts, and the end of the upload. Of two callers one does it."""
    async with call.write() as writer:
        upload = await uploads.hold(call, writer, ended=True)
        if upload.ended:
            if upload.version_id is None or upload.etag != assembly.etag:
                raise NoSuchUpload(UploadId=upload.id)
            return Landed(_document(call, assembly.etag, assembly.checksums, upload), upload.version_id)
        numbers = json.dumps([part["number"] for part in assembly.parts])
        await writer.run(sql.drop_unnamed_parts, upload_id=upload.id, org_id=upload.org_id, numbers=numbers)
        version = await call.repository.put(
            writer, call.principal, call.team_id, call.key, staged, new, write_precondition(call)
        )
        await _close(writer, call, upload, version.id, assembly)
    return Landed(_document(call, assembly.etag, assembly.checksums, upload), version.id)


async def _close(writer: Writer, call: Call, upload: Upload, version_id: str, assembly: Assembly) -> None:
    await writer.run(sql.keep_parts, version_id=version_id, upload_id=upload.id, org_id=upload.org_id)
    await writer.run(sql.drop_parts, upload_id=upload.id, org_id=upload.org_id)
    await writer.run(
        sql.end_upload,
        id=upload.id,
        org_id=upload.org_id,
        version_id=version_id,
        etag=assembly.etag,
        checksum=next(iter(assembly.checksums.values()), None),
        now=call.now_ms,
    )
    if upload.counted:
        quotas = call.host.service(Quotas)
        await quotas.adjust(writer, upload.org_id, upload.team_id, STORAGE, -upload.counted)


async def _make_room(call: Call) -> None:
    async with call.write() as writer:
        upload = await uploads.hold(call, writer)
        await writer.run(sql.uncount, id=upload.id, org_id=upload.org_id)
        quotas = call.host.service(Quotas)
        await quotas.adjust(writer, upload.org_id, upload.team_id, STORAGE, -upload.counted)


def _completed_before(call: Call, upload: Upload, named: Sequence[NamedPart]) -> Answer:
    """Whoever did not hear the answer asks again, and gets it."""
    try:
        etag = multipart_etag(part.etag for part in named)
    except ValueError:
        etag = ""
    if upload.version_id is None or etag != upload.etag:
        raise NoSuchUpload(UploadId=upload.id)
    return xml(_document(call, etag, upload.checksums, upload), {"x-amz-version-id": upload.version_id})


def _document(call: Call, etag: str, checksums: Mapping[Algorithm, str], upload: Upload) -> bytes:
    request = call.request
    location = f"{request.scheme}://{request.host}{request.raw_path.decode('latin-1')}"
    kind = upload.plan.checksum_type if checksums else None
    return completed_upload(location, call.bucket, call.key, etag, checksums, kind)


async def _patiently(call: Call, work: "asyncio.Task[Landed]") -> Answer:
    """Soon, an answer like any other; else one that begins with spaces, and a failure comes in its body."""
    done, _ = await asyncio.wait((work,), timeout=PATIENCE_SECONDS)
    if done:
        landed = work.result()
        return xml(landed.document, {"x-amz-version-id": landed.version_id})
    return Answer(200, {"Content-Type": XML}, stream=_spaces_until(call, work))


async def _spaces_until(call: Call, work: "asyncio.Task[Landed]") -> AsyncIterator[bytes]:
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
    while not (await asyncio.wait((work,), timeout=PATIENCE_SECONDS))[0]:
        yield b" "
    try:
        document = work.result().document
    except (S3Error, Problem) as refusal:
        document = error_answer(as_s3_error(refusal), f"/{call.bucket}/{call.key}", call.request_id)
    yield document.partition(b"\n")[2]


def _staged(upload: Upload, part: Row) -> Staged:
    return Staged(upload.org_id, part["sha256"], part["size"], part["md5"])
