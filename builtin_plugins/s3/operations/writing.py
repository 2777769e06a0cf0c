"""PutObject and CopyObject."""

import asyncio
import base64
from collections.abc import Mapping
from dataclasses import replace

from builtin_plugins.s3.answering import S3Answer, xml
from builtin_plugins.s3.bodies import StagedBody, give_up, keep
from builtin_plugins.s3.call import S3Call, check_promises, check_writable
from builtin_plugins.s3.description import (
    Description,
    checksum_headers,
    described,
    find_version,
    read_headers,
    read_metadata,
    read_tags,
    stored,
)
from builtin_plugins.s3.wire.answers import copied_object
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType, RunningDigest
from builtin_plugins.s3.wire.conditions import COPY_SOURCE, ReadConditions, WriteConditions
from builtin_plugins.s3.wire.errors import AccessDenied, InvalidArgument, InvalidRequest
from builtin_plugins.s3.wire.request import parse_copy_source
from guildhall_sdk import Reader
from guildhall_sdk.services.stored_objects import NewVersion, Precondition, StoredVersion

FULL = ChecksumType.FULL_OBJECT
_LONG = 1024 * 1024


async def put_object(call: S3Call) -> S3Answer:
    check_promises(call)
    await check_writable(call, call.key, short=is_short(call.request.content_length))
    description = described(call.request, call.raw_headers)
    precondition = write_precondition(call)
    body = await keep(call)
    version, description = await store(call, body, description, precondition)
    return S3Answer(200, written_headers(version, description))


async def store(
    call: S3Call, body: StagedBody, description: Description, precondition: Precondition | None
) -> tuple[StoredVersion, Description]:
    """Makes the bytes that were kept the newest version of the call's key, and gives them up if it cannot."""
    description = replace(
        description, checksums=body.checksums, checksum_type=FULL if body.checksums else None
    )
    new = NewVersion(
        content_type=call.request.headers.get("content-type") or None,
        attributes=description.attributes(),
        fires_triggers=call.fires_triggers,
    )
    try:
        async with call.write() as writer:
            version = await call.repository.put(
                writer, call.principal, call.team_id, call.key, body.staged, new, precondition
            )
    except BaseException:
        await give_up(call, body.staged)
        raise
    return version, description


def is_short(length: int | None) -> bool:
    """Tells whether so much is read from a caller who is refused anyway."""
    return (length or _LONG) < _LONG


async def copy_object(call: S3Call) -> S3Answer:
    check_promises(call)
    await check_writable(call, call.key)
    async with call.read() as reader:
        source = await find_copy_source(call, reader)
    description = await _description_of_copy(call, source)
    replaces = _directive(call, "x-amz-metadata-directive") == "REPLACE"
    content_type = call.request.headers.get("content-type") or None if replaces else source.content_type
    new = NewVersion(
        content_type=content_type,
        etag=Description.of(source).md5 or source.etag,
        attributes=description.attributes(),
        fires_triggers=call.fires_triggers,
    )
    async with call.write() as writer:
        version = await call.repository.copy(
            writer, call.principal, source, call.team_id, call.key, new, write_precondition(call)
        )
    headers = {"x-amz-version-id": version.id, "x-amz-copy-source-version-id": source.id}
    answer = copied_object(version.etag, version.created_at, description.checksums, description.checksum_type)
    return xml(answer, headers)


async def find_copy_source(call: S3Call, reader: Reader) -> StoredVersion:
    """Returns what is to be copied, if the conditions on it hold."""
    named = parse_copy_source(call.request.extensions["x-amz-copy-source"])
    if named.bucket != call.bucket:
        raise AccessDenied()
    source = await find_version(call, reader, named.key, named.version_id)
    ReadConditions.parse(call.request.extensions, COPY_SOURCE).judge_copy(stored(source))
    itself = named.key == call.key and named.version_id is None
    if itself and "uploadId" not in call.arguments and not _changes_something(call):
        raise InvalidRequest("Copying an object to itself must change its metadata or its checksum.")
    return source


def write_precondition(call: S3Call) -> Precondition | None:
    """Returns the condition of a write, which the repository judges inside the transaction."""
    conditions = WriteConditions.parse(call.request.headers)
    if conditions.if_match is None and conditions.if_none_match is None:
        return None
    return lambda current: conditions.judge(None if current is None else stored(current))


def written_headers(version: StoredVersion, description: Description) -> dict[str, str]:
    return {
        "ETag": f'"{version.etag}"',
        "x-amz-version-id": version.id,
        **checksum_headers(description.checksums, description.checksum_type),
    }


async def _description_of_copy(call: S3Call, source: StoredVersion) -> Description:
    old, request = Description.of(source), call.request
    metadata, headers, tags = old.metadata, old.headers, old.tags
    if _directive(call, "x-amz-metadata-directive") == "REPLACE":
        metadata = read_metadata(call.raw_headers)
        headers = read_headers(request, call.raw_headers)
    if _directive(call, "x-amz-tagging-directive") == "REPLACE":
        tags = read_tags(request)
    known = old.full_checksums or (old.checksums if old.checksum_type is FULL else {})
    wished = request.extensions.get("x-amz-checksum-algorithm")
    checksums: Mapping[Algorithm, str] = known
    if wished and Algorithm.parse(wished) not in known:
        checksums = await checksum_of(call, source, Algorithm.parse(wished))
    return Description(metadata, headers, tags, checksums, FULL if checksums else None)


async def checksum_of(call: S3Call, version: StoredVersion, algorithm: Algorithm) -> dict[Algorithm, str]:
    """Takes the checksum of bytes that are kept already."""
    running: RunningDigest = algorithm.start()
    async for chunk in call.repository.open(version):
        await asyncio.to_thread(running.update, chunk)
    return {algorithm: base64.b64encode(running.digest()).decode()}


def _directive(call: S3Call, name: str) -> str:
    directive = call.request.extensions.get(name, "COPY")
    if directive not in ("COPY", "REPLACE"):
        raise InvalidArgument(f"{name} takes COPY or REPLACE.", ArgumentName=name)
    return directive


def _changes_something(call: S3Call) -> bool:
    return "x-amz-checksum-algorithm" in call.request.extensions or "REPLACE" in (
        _directive(call, "x-amz-metadata-directive"),
        _directive(call, "x-amz-tagging-directive"),
    )
