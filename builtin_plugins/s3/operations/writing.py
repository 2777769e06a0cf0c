"""PutObject, CopyObject, DeleteObject, DeleteObjects, and the tags of objects."""

import asyncio
import base64
from collections.abc import Mapping, Sequence

from builtin_plugins.s3.bodies import StagedBody, give_up, read_parsed, stage_body
from builtin_plugins.s3.call import S3Call, as_s3_error, check_promises, check_writable, s3_reply, xml
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
from builtin_plugins.s3.wire.answers import (
    DeletedObject,
    UndeletedObject,
    copied_object,
    deleted_objects,
    tagging,
)
from builtin_plugins.s3.wire.bodies import DoomedObject, Tags, parse_delete, parse_tagging
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType, RunningDigest
from builtin_plugins.s3.wire.conditions import COPY_SOURCE, DeleteConditions, ReadConditions, WriteConditions
from builtin_plugins.s3.wire.errors import AccessDenied, InvalidArgument, InvalidRequest
from builtin_plugins.s3.wire.request import parse_copy_source
from guildhall_sdk import Problem, Reader, Reply, Unavailable, Writer
from guildhall_sdk.errors import PaymentRequired
from guildhall_sdk.services.stored_objects import NewVersion, Precondition, StoredVersion

FULL = ChecksumType.FULL_OBJECT
_LONG = 1024 * 1024


async def put_object(call: S3Call) -> Reply:
    check_promises(call)
    await check_writable(call, call.key, short=is_short(call.request.content_length))
    description = described(call.request)
    precondition = write_precondition(call)
    body = await stage_body(call)
    version, description = await store(call, body, description, precondition)
    return s3_reply(200, written_headers(version, description))


async def store(
    call: S3Call, body: StagedBody, description: Description, precondition: Precondition
) -> tuple[StoredVersion, Description]:
    """Makes the bytes that were kept the newest version of the call's key, and gives them up if it cannot."""
    description = description._replace(
        checksums=body.checksums, checksum_type=FULL if body.checksums else None
    )
    new = NewVersion(
        content_type=call.request.headers.get("content-type") or None,
        attributes=description.attributes(),
        fires_triggers=call.fires_triggers,
    )
    try:
        async with call.write() as writer:
            version = await call.repository.put(
                writer,
                call.principal,
                team_id=call.team_id,
                key=call.key,
                staged=body.staged,
                new=new,
                precondition=precondition,
            )
    except BaseException:
        await give_up(call, body.staged)
        raise
    return version, description


def is_short(length: int | None) -> bool:
    """Tells whether so much is read from a caller who is refused anyway."""
    return (length or _LONG) < _LONG


async def copy_object(call: S3Call) -> Reply:
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
            writer,
            call.principal,
            source,
            team_id=call.team_id,
            key=call.key,
            new=new,
            precondition=write_precondition(call),
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
    ReadConditions.parse(call.request.extensions, COPY_SOURCE).check_copy(stored(source))
    itself = named.key == call.key and named.version_id is None
    if itself and "uploadId" not in call.arguments and not _changes_something(call):
        raise InvalidRequest("Copying an object to itself must change its metadata or its checksum.")
    return source


def write_precondition(call: S3Call) -> Precondition:
    """Returns the condition of a write, which the repository judges inside the transaction."""
    headers = call.request.headers
    if "if-match" not in headers and "if-none-match" not in headers:
        return None
    conditions = WriteConditions.parse(headers)
    return lambda current: conditions.check(None if current is None else stored(current))


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
        metadata = read_metadata(request)
        headers = read_headers(request)
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


_MARKED_AT_ONCE = 100


async def delete_object(call: S3Call) -> Reply:
    conditions = DeleteConditions.parse({**call.request.headers, **call.request.extensions})
    doomed = DoomedObject(call.key, call.version_id, conditions)
    async with call.write() as writer:
        deleted = await _delete(call, writer, doomed)
    headers = {}
    if deleted.marker_id is not None:
        headers["x-amz-delete-marker"] = "true"
    if deleted.version_id or deleted.marker_id:
        headers["x-amz-version-id"] = deleted.version_id or deleted.marker_id or ""
    return s3_reply(204, headers)


async def delete_objects(call: S3Call) -> Reply:
    order = await read_parsed(call, parse_delete, digest_needed=True)
    outcomes: dict[int, DeletedObject | UndeletedObject] = {}
    numbered = list(enumerate(order.objects))
    marked = sorted((pair for pair in numbered if pair[1].version_id is None), key=lambda pair: pair[1].key)
    for at in range(0, len(marked), _MARKED_AT_ONCE):
        await _delete_together(call, marked[at : at + _MARKED_AT_ONCE], outcomes)
    for pair in numbered:
        if pair[1].version_id is not None:
            # One at a time: each gives storage back, and nothing may be locked after that.
            await _delete_together(call, [pair], outcomes)
    results = [outcomes[number] for number in range(len(numbered))]
    failed = [one for one in results if isinstance(one, UndeletedObject)]
    deleted = [one for one in results if isinstance(one, DeletedObject) and not order.quiet]
    return xml(deleted_objects(deleted, failed))


async def _delete_together(
    call: S3Call,
    doomed: Sequence[tuple[int, DoomedObject]],
    outcomes: dict[int, DeletedObject | UndeletedObject],
) -> None:
    """Deletes in one transaction; a refusal comes before anything is changed, so the others go on.

    But for a suspension: that refuses the whole call.
    """
    done: dict[int, DeletedObject | UndeletedObject] = {}
    try:
        async with call.write() as writer:
            for number, one in doomed:
                try:
                    done[number] = await _delete(call, writer, one)
                except (PaymentRequired, Unavailable):
                    raise  # of the database itself: nothing more can be done in this transaction
                except Problem as refusal:
                    done[number] = UndeletedObject(one.key, one.version_id, as_s3_error(refusal))
    except PaymentRequired:
        raise
    except Problem as refusal:
        error = as_s3_error(refusal)
        done = {number: UndeletedObject(one.key, one.version_id, error) for number, one in doomed}
    outcomes |= done


async def _delete(call: S3Call, writer: Writer, doomed: DoomedObject) -> DeletedObject:
    call.check_reach(doomed.key)
    repository, who, team = call.repository, call.principal, call.team_id
    precondition = _precondition(doomed.conditions)
    if "\0" in (doomed.version_id or ""):
        return DeletedObject(doomed.key, doomed.version_id)
    if doomed.version_id is None:
        marker = await repository.mark_deleted(writer, who, team, doomed.key, precondition)
        return DeletedObject(doomed.key, marker_id=None if marker is None else marker.id)
    version = await repository.delete_version(writer, who, team, doomed.key, doomed.version_id, precondition)
    marker_id = version.id if version is not None and version.marker else None
    return DeletedObject(doomed.key, doomed.version_id, marker_id)


def _precondition(conditions: DeleteConditions) -> Precondition:
    if conditions == DeleteConditions():
        return None
    return lambda version: conditions.check(None if version is None else stored(version))


async def get_object_tagging(call: S3Call) -> Reply:
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
    return xml(tagging(Description.of(version).tags), {"x-amz-version-id": version.id})


async def put_object_tagging(call: S3Call) -> Reply:
    return await _set(call, tuple(sorted(await read_parsed(call, parse_tagging))), 200)


async def delete_object_tagging(call: S3Call) -> Reply:
    return await _set(call, (), 204)


async def _set(call: S3Call, tags: Tags, status: int) -> Reply:
    async with call.write() as writer:
        version = await find_version(call, writer, call.key, call.version_id)
        description = Description.of(version)._replace(tags=tags)
        attributes = description.attributes(version.attributes)
        await call.repository.set_attributes(writer, call.principal, version, attributes)
    return s3_reply(status, {"x-amz-version-id": version.id})
