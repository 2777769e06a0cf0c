"""CompleteMultipartUpload: the parts become one object, and the caller is kept company meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.bodies import give_up, read_parsed
from builtin_plugins.s3.call import XML, S3Call, as_s3_error, check_writable, s3_reply, xml
from builtin_plugins.s3.operations import assembling
from builtin_plugins.s3.operations.assembling import Assembly, ChecksumProof
from builtin_plugins.s3.operations.writing import write_precondition
from builtin_plugins.s3.uploads import Releases, Upload, sql
from builtin_plugins.s3.wire.answers import completed_upload, error_answer
from builtin_plugins.s3.wire.bodies import NamedPart, parse_complete
from builtin_plugins.s3.wire.checksums import (
    Algorithm,
    ExpectedChecksum,
    combined,
    expected_of_parts,
    multipart_etag,
)
from builtin_plugins.s3.wire.conditions import MAX_PARTS
from builtin_plugins.s3.wire.errors import (
    BadDigest,
    EntityTooSmall,
    InvalidPart,
    InvalidRequest,
    NoSuchUpload,
)
from guildhall_sdk import Problem, Reply, Row, Writer
from guildhall_sdk.services.stored_objects import NewVersion, Staged, VersionPart

SMALLEST_PART = 5 * 1024 * 1024
PATIENCE_SECONDS = 8.0


class Completed(NamedTuple):
    """The answer, and what the object's new version is."""

    document: bytes
    version_id: str


async def complete_multipart_upload(call: S3Call) -> Reply:
    named = await read_parsed(call, parse_complete, checked=False)
    await check_writable(call, call.key)
    async with call.read() as reader:
        upload = await uploads.find(call, reader, ended=True)
        rows = await reader.all(
            sql.parts_of, upload_id=upload.id, org_id=upload.org_id, marker=0, limit=MAX_PARTS
        )
    if upload.ended:
        return _completed_before(call, upload, named)
    assembly = _plan(call, upload, named, {row["number"]: row for row in rows})
    return await _patiently(call, asyncio.create_task(_complete(call, assembly)))


def _plan(call: S3Call, upload: Upload, named: Sequence[NamedPart], there: Mapping[int, Row]) -> Assembly:
    """Raises what is wrong with the parts as the client names them."""
    algorithm, kind = upload.plan.algorithm, upload.plan.checksum_type
    for part in named:
        row = there.get(part.number)
        if row is None or part.etag != row["md5"]:
            raise InvalidPart(PartNumber=str(part.number))
        if algorithm is not None and not part.checksums.items() <= {(algorithm, row["checksum"])}:
            raise InvalidPart(PartNumber=str(part.number))
    parts = [there[part.number] for part in named]
    for small in (row for row in parts[:-1] if row["size"] < SMALLEST_PART):
        raise EntityTooSmall(PartNumber=str(small["number"]), ProposedSize=str(small["size"]))
    checksums = {}
    if algorithm is not None and kind is not None:
        values = [(part["checksum"], part["size"]) for part in parts]
        checksums = {algorithm: combined(algorithm, kind, values)}
    expected = expected_of_parts(call.request.headers)
    # Without an algorithm to begin with, there are no checksums of parts to hold it against.
    proof = ChecksumProof() if checksums else ChecksumProof(expected, named)
    assembly = Assembly(upload, parts, multipart_etag(part["md5"] for part in parts), checksums, proof)
    _check_headers(call, assembly, expected)
    return assembly


def _check_headers(call: S3Call, assembly: Assembly, expected: ExpectedChecksum | None) -> None:
    extensions = call.request.extensions
    size = extensions.get("x-amz-mp-object-size")
    if size is not None and size != str(assembly.size):
        raise InvalidRequest("x-amz-mp-object-size is not the size of the parts.")
    kind = extensions.get("x-amz-checksum-type")
    if kind is not None and kind != assembly.upload.plan.checksum_type:
        raise InvalidRequest("x-amz-checksum-type is not the one that the upload was begun with.")
    if expected is None or not assembly.checksums:
        return
    found = assembly.checksums.get(expected.algorithm)
    if found is None or expected.value not in (found, found.partition("-")[0]):
        raise BadDigest(f"The {expected.algorithm} you specified is not that of the parts.")


async def _complete(call: S3Call, assembly: Assembly) -> Completed:
    upload = assembly.upload
    put_together = await assembling.put_together(call, assembly)
    if put_together is None:
        return await _completed_by_another(call, assembly)
    staged, full_checksums = put_together
    description = upload.plan.description._replace(
        checksums=assembly.checksums,
        checksum_type=upload.plan.checksum_type if assembly.checksums else None,
        full_checksums=full_checksums,
        md5=staged.md5,
        parts=len(assembly.parts),
    )
    new = NewVersion(
        content_type=upload.plan.content_type,
        etag=assembly.etag,
        attributes=description.attributes(),
        fires_triggers=call.fires_triggers,
        parts=_parts_of(assembly),
    )
    try:
        done = await _commit(call, assembly, staged, new)
    except BaseException:
        await give_up(call, staged)
        await assembling.end(call, assembly)
        raise
    call.host.service(Releases).begin(upload.id, upload.org_id)
    return done


def _parts_of(assembly: Assembly) -> Sequence[VersionPart]:
    ends = accumulate(row["size"] for row in assembly.parts)
    return [
        VersionPart(number, end - row["size"], row["size"], row["checksum"])
        for number, (end, row) in enumerate(zip(ends, assembly.parts, strict=True), 1)
    ]


async def _commit(call: S3Call, assembly: Assembly, staged: Staged, new: NewVersion) -> Completed:
    """Writes the version, its parts and the end of the upload in one transaction; of two callers one does."""
    async with call.write() as writer:
        upload = await uploads.hold(call, writer, ended=True)
        if upload.ended:
            return _already_completed(call, upload, assembly)
        version = await call.repository.put(
            writer,
            call.principal,
            team_id=call.team_id,
            key=call.key,
            staged=staged,
            new=new,
            precondition=write_precondition(call),
            counted=upload.counted,
        )
        await _close(writer, call, upload, version.id, assembly)
    return Completed(_document(call, assembly.etag, assembly.checksums, upload), version.id)


async def _completed_by_another(call: S3Call, assembly: Assembly) -> Completed:
    async with call.read() as reader:
        return _already_completed(call, await uploads.find(call, reader, ended=True), assembly)


def _already_completed(call: S3Call, upload: Upload, assembly: Assembly) -> Completed:
    if upload.version_id is None or upload.etag != assembly.etag:
        raise NoSuchUpload(UploadId=upload.id)
    return Completed(_document(call, assembly.etag, assembly.checksums, upload), upload.version_id)


async def _close(writer: Writer, call: S3Call, upload: Upload, version_id: str, assembly: Assembly) -> None:
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


def _completed_before(call: S3Call, upload: Upload, named: Sequence[NamedPart]) -> Reply:
    """Answers again what a caller asks who did not hear the answer."""
    try:
        etag = multipart_etag(part.etag for part in named)
    except ValueError:
        etag = ""
    if upload.version_id is None or etag != upload.etag:
        raise NoSuchUpload(UploadId=upload.id)
    return xml(_document(call, etag, upload.checksums, upload), {"x-amz-version-id": upload.version_id})


def _document(call: S3Call, etag: str, checksums: Mapping[Algorithm, str], upload: Upload) -> bytes:
    request = call.request
    location = f"{request.scheme}://{request.host}{request.raw_path.decode('latin-1')}"
    kind = upload.plan.checksum_type if checksums else None
    return completed_upload(location, call.bucket, call.key, etag, checksums, kind)


async def _patiently(call: S3Call, work: "asyncio.Task[Completed]") -> Reply:
    """Answers as usual if it is soon; else begins with spaces, and a failure comes in the body."""
    done, _ = await asyncio.wait((work,), timeout=PATIENCE_SECONDS)
    if done:
        landed = work.result()
        return xml(landed.document, {"x-amz-version-id": landed.version_id})
    return s3_reply(200, {"Content-Type": XML}, stream=_spaces_until(call, work))


async def _spaces_until(call: S3Call, work: "asyncio.Task[Completed]") -> AsyncIterator[bytes]:
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
    while not (await asyncio.wait((work,), timeout=PATIENCE_SECONDS))[0]:
        yield b" "
    try:
        document = work.result().document
    except Problem as refusal:
        document = error_answer(as_s3_error(refusal), f"/{call.bucket}/{call.key}", call.request_id)
    yield document.partition(b"\n")[2]
