"""The answers to calls on objects and uploads, as XML."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from builtin_plugins.s3.wire.bodies import Tags, document, element, nest
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType
from builtin_plugins.s3.wire.errors import S3Error
from guildhall_sdk import rfc3339

Checksums = Mapping[Algorithm, str]


class CanonicalUser(NamedTuple):
    """An owner or initiator as S3 names one: a person, or a team for its bucket."""

    id: str
    name: str


class StoredPart(NamedTuple):
    number: int
    etag: str
    size: int
    modified_ms: int
    checksums: Checksums


class PartsPage(NamedTuple):
    """A stretch of an object's parts, after `marker`."""

    parts: Sequence[StoredPart]
    total: int
    marker: int
    max_parts: int
    truncated: bool


class DeletedObject(NamedTuple):
    """`marker_id` is the delete marker that was made, or that was itself deleted."""

    key: str
    version_id: str | None = None
    marker_id: str | None = None


class UndeletedObject(NamedTuple):
    key: str
    version_id: str | None
    error: S3Error


def error_answer(error: S3Error, resource: str, request_id: str) -> bytes:
    return document(
        "Error",
        (
            element("Code", error.code),
            element("Message", error.text),
            *(element(name, value) for name, value in error.fields.items()),
            element("Resource", resource),
            element("RequestId", request_id),
            element("HostId", request_id),
        ),
        namespace=None,
    )


def copied_object(etag: str, modified_ms: int, checksums: Checksums, kind: ChecksumType | None) -> bytes:
    return document("CopyObjectResult", _copied(etag, modified_ms, checksums, kind))


def copied_part(etag: str, modified_ms: int, checksums: Checksums) -> bytes:
    return document("CopyPartResult", _copied(etag, modified_ms, checksums, None))


def initiated_upload(bucket: str, key: str, upload_id: str) -> bytes:
    return document(
        "InitiateMultipartUploadResult",
        (element("Bucket", bucket), element("Key", key), element("UploadId", upload_id)),
    )


def completed_upload(
    location: str, bucket: str, key: str, etag: str, checksums: Checksums, kind: ChecksumType | None
) -> bytes:
    return document(
        "CompleteMultipartUploadResult",
        (
            element("Location", location),
            element("Bucket", bucket),
            element("Key", key),
            element("ETag", f'"{etag}"'),
            checksum_elements(checksums, kind),
        ),
    )


def posted_object(location: str, bucket: str, key: str, etag: str) -> bytes:
    return document(
        "PostResponse",
        (
            element("Location", location),
            element("Bucket", bucket),
            element("Key", key),
            element("ETag", f'"{etag}"'),
        ),
        namespace=None,
    )


def listed_parts(
    bucket: str,
    key: str,
    upload_id: str,
    owner: CanonicalUser,
    page: PartsPage,
    algorithm: Algorithm | None,
    kind: ChecksumType | None,
) -> bytes:
    return document(
        "ListPartsResult",
        (
            element("Bucket", bucket),
            element("Key", key),
            element("UploadId", upload_id),
            canonical_user("Initiator", owner),
            canonical_user("Owner", owner),
            element("StorageClass", "STANDARD"),
            element("ChecksumAlgorithm", algorithm),
            element("ChecksumType", kind),
            *_page_bounds(page),
            *(_listed_part(part) for part in page.parts),
        ),
    )


def deleted_objects(deleted: Iterable[DeletedObject], failed: Iterable[UndeletedObject]) -> bytes:
    """Answers a delete of many; with `quiet`, the caller names no deleted ones."""
    return document("DeleteResult", (*map(_deleted, deleted), *map(_undeleted, failed)))


def tagging(tags: Tags) -> bytes:
    rows = (nest("Tag", (element("Key", key), element("Value", value))) for key, value in tags)
    return document("Tagging", (nest("TagSet", rows),))


def object_attributes(
    wanted: frozenset[str],
    etag: str,
    size: int,
    checksums: Checksums,
    kind: ChecksumType | None,
    parts: PartsPage | None,
) -> bytes:
    """Answers GetObjectAttributes with those that are `wanted`; `parts` is None if uploaded whole."""
    elements = {
        "ETag": element("ETag", etag),
        "Checksum": nest("Checksum", (checksum_elements(checksums, kind),)) if checksums else "",
        "ObjectParts": "" if parts is None else _object_parts(parts),
        "StorageClass": element("StorageClass", "STANDARD"),
        "ObjectSize": element("ObjectSize", size),
    }
    return document(
        "GetObjectAttributesResponse", (text for name, text in elements.items() if name in wanted)
    )


def canonical_user(name: str, one: CanonicalUser) -> str:
    return nest(name, (element("ID", one.id), element("DisplayName", one.name)))


def checksum_elements(checksums: Checksums, kind: ChecksumType | None) -> str:
    values = "".join(element(algorithm.element, value) for algorithm, value in checksums.items())
    return values + (element("ChecksumType", kind) if checksums else "")


def _copied(etag: str, modified_ms: int, checksums: Checksums, kind: ChecksumType | None) -> tuple[str, ...]:
    return (
        element("LastModified", rfc3339(modified_ms)),
        element("ETag", f'"{etag}"'),
        checksum_elements(checksums, kind),
    )


def _page_bounds(page: PartsPage) -> tuple[str, ...]:
    last = page.parts[-1].number if page.parts else page.marker
    return (
        element("PartNumberMarker", page.marker),
        element("NextPartNumberMarker", last),
        element("MaxParts", page.max_parts),
        element("IsTruncated", page.truncated),
    )


def _listed_part(part: StoredPart) -> str:
    return nest(
        "Part",
        (
            element("PartNumber", part.number),
            element("LastModified", rfc3339(part.modified_ms)),
            element("ETag", f'"{part.etag}"'),
            element("Size", part.size),
            checksum_elements(part.checksums, None),
        ),
    )


def _object_parts(page: PartsPage) -> str:
    rows = (
        nest(
            "Part",
            (
                element("PartNumber", part.number),
                element("Size", part.size),
                checksum_elements(part.checksums, None),
            ),
        )
        for part in page.parts
    )
    return nest("ObjectParts", (*_page_bounds(page), element("PartsCount", page.total), *rows))


def _deleted(one: DeletedObject) -> str:
    return nest(
        "Deleted",
        (
            element("Key", one.key),
            element("VersionId", one.version_id),
            element("DeleteMarker", True if one.marker_id else None),
            element("DeleteMarkerVersionId", one.marker_id),
        ),
    )


def _undeleted(one: UndeletedObject) -> str:
    return nest(
        "Error",
        (
            element("Key", one.key),
            element("VersionId", one.version_id),
            element("Code", one.error.code),
            element("Message", one.error.text),
        ),
    )


_INERT = "application/octet-stream"
# Browsers take the last of several types: what is not plainly one type is not judged by its first.
_ONE_TYPE = re.compile(r"([\w!#$&^.+-]+)/([\w!#$&^.+-]+)[ \t]*(?:;[^,]*)?", re.ASCII)
_SCRIPTS = re.compile(r"(?:x-)?(?:java|ecma|live)script(?:1\.\d)?|jscript|css|wasm|x-shockwave-flash")
_CARRIERS = frozenset({"multipart", "message"})


def is_active(content_type: str) -> bool:
    """Tells whether a browser would run, apply or render as a page what is of this type."""
    one = _ONE_TYPE.fullmatch(content_type.strip().lower())
    if one is None or one[1] in _CARRIERS:
        return True
    subtype = one[2]
    return (
        "html" in subtype
        or subtype.startswith("svg")
        or subtype.endswith(("xml", "xsl", "xslt"))
        or _SCRIPTS.fullmatch(subtype) is not None
    )


def as_download(headers: Mapping[str, str]) -> dict[str, str]:
    """Returns the headers of an answer, in which what is active is only bytes to be saved."""
    named = {name.lower(): value for name, value in headers.items()}
    if not is_active(named.get("content-type", "")):
        return dict(headers)
    _, semicolon, parameters = named.get("content-disposition", "").partition(";")
    others = {
        name: value
        for name, value in headers.items()
        if name.lower() not in ("content-type", "content-disposition")
    }
    return {
        **others,
        "Content-Type": _INERT,
        "Content-Disposition": f"attachment{semicolon}{parameters}",
    }
