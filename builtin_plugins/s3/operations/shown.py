"""What answers say of a version."""

from builtin_plugins.s3.call import Call
from builtin_plugins.s3.description import Description
from builtin_plugins.s3.wire.answers import Checksums, Person
from builtin_plugins.s3.wire.checksums import ChecksumType
from builtin_plugins.s3.wire.conditions import Stored
from builtin_plugins.s3.wire.dates import http_date
from builtin_plugins.s3.wire.errors import MethodNotAllowed, NoSuchKey, NoSuchVersion
from guildhall_sdk import NotFound, Reader
from guildhall_sdk.services import StoredVersion


def owner_of(version: StoredVersion) -> Person:
    return Person(version.owner_id, version.owner_name)


def stored(version: StoredVersion) -> Stored:
    """As conditions are held against it."""
    return Stored(None if version.marker else version.etag, version.created_at, version.size)


def checksum_headers(checksums: Checksums, kind: ChecksumType | None) -> dict[str, str]:
    found = {algorithm.header: value for algorithm, value in checksums.items()}
    return {**found, "x-amz-checksum-type": kind} if found and kind is not None else found


def version_headers(version: StoredVersion, description: Description) -> dict[str, str]:
    """Those of GET and HEAD."""
    headers = {
        "Content-Type": version.content_type,
        "ETag": f'"{version.etag}"',
        "Last-Modified": http_date(version.created_at // 1000),
        "Accept-Ranges": "bytes",
        "x-amz-version-id": version.id,
        **description.answered(),
    }
    if description.tags:
        headers["x-amz-tagging-count"] = str(len(description.tags))
    return headers


async def find_version(call: Call, reader: Reader, key: str, version_id: str | None) -> StoredVersion:
    """The version that is meant, with bytes. A delete marker hides the object, or is refused by its name."""
    call.check_reach(key)
    if "\0" in key:
        raise NoSuchKey(Key="")
    try:
        version = await call.repository.at_key(reader, call.principal, call.team_id, key, version_id)
    except NotFound:
        if version_id is not None:
            raise NoSuchVersion(Key=key, VersionId=version_id) from None
        raise NoSuchKey(Key=key) from None
    if version.marker:
        headers = {"x-amz-delete-marker": "true", "x-amz-version-id": version.id}
        if version_id is None:
            raise NoSuchKey(headers=headers, Key=key)
        raise MethodNotAllowed(headers={**headers, "Allow": "DELETE"})
    return version
