"""The answers to calls on buckets: what there is, and the lists of what is in them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from builtin_plugins.s3.wire.answers import CanonicalUser, canonical_user
from builtin_plugins.s3.wire.bodies import document, element, escape, nest
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType
from builtin_plugins.s3.wire.listing import ListingPage, ListQuery, encode_token, wants_url_encoding
from builtin_plugins.s3.wire.request import percent_encode
from guildhall_sdk import rfc3339

_XSI = "http://www.w3.org/2001/XMLSchema-instance"


class ListedVersion(NamedTuple):
    """An object or one of its versions; in a list of objects `id` is empty. A delete marker has no ETag."""

    key: str
    id: str
    etag: str | None
    size: int
    modified_ms: int
    owner: CanonicalUser
    latest: bool = True
    algorithm: Algorithm | None = None
    checksum_type: ChecksumType | None = None


class ListedUpload(NamedTuple):
    key: str
    id: str
    initiated_ms: int
    owner: CanonicalUser
    algorithm: Algorithm | None = None
    checksum_type: ChecksumType | None = None


class ListedBucket(NamedTuple):
    name: str
    created_ms: int


Arguments = Mapping[str, str]
Spell = Callable[[str], str]


def buckets(owner: CanonicalUser, owned: Sequence[ListedBucket]) -> bytes:
    rows = (
        nest("Bucket", (element("Name", one.name), element("CreationDate", rfc3339(one.created_ms))))
        for one in owned
    )
    return document("ListAllMyBucketsResult", (canonical_user("Owner", owner), nest("Buckets", rows)))


def location(region: str) -> bytes:
    return document("LocationConstraint", (escape(region),))


def versioning() -> bytes:
    """Answers that versioning is on, as always."""
    return document("VersioningConfiguration", (element("Status", "Enabled"),))


def access_control(owner: CanonicalUser) -> bytes:
    """Answers with the one list there is: all to the owner."""
    kind = f'<Grantee xmlns:xsi="{_XSI}" xsi:type="CanonicalUser">'
    grantee = f"{kind}{element('ID', owner.id)}{element('DisplayName', owner.name)}</Grantee>"
    grant = nest("Grant", (grantee, element("Permission", "FULL_CONTROL")))
    return document(
        "AccessControlPolicy", (canonical_user("Owner", owner), nest("AccessControlList", (grant,)))
    )


def objects_v1(
    bucket: str, arguments: Arguments, query: ListQuery, page: ListingPage[ListedVersion]
) -> bytes:
    """Answers a list; NextMarker stands only with a delimiter, else the last key is the next marker."""
    spell = _spelling(arguments)
    head = (
        element("Marker", spell(arguments.get("marker", ""))),
        element("NextMarker", spell(page.last_key) if page.next and query.delimiter else None),
    )
    rows = [_object(one, spell, with_owner=True) for one in page.entries]
    return _list("ListBucketResult", bucket, arguments, query, page, (*head, *rows))


def objects_v2(
    bucket: str, arguments: Arguments, query: ListQuery, page: ListingPage[ListedVersion]
) -> bytes:
    spell = _spelling(arguments)
    start_after = arguments.get("start-after")
    head = (
        element("KeyCount", page.count),
        element("ContinuationToken", arguments.get("continuation-token")),
        element("NextContinuationToken", encode_token(page.next) if page.next else None),
        element("StartAfter", None if start_after is None else spell(start_after)),
    )
    with_owner = arguments.get("fetch-owner", "").lower() == "true"
    rows = [_object(one, spell, with_owner=with_owner) for one in page.entries]
    return _list("ListBucketResult", bucket, arguments, query, page, (*head, *rows))


def versions(bucket: str, arguments: Arguments, query: ListQuery, page: ListingPage[ListedVersion]) -> bytes:
    spell = _spelling(arguments)
    head = (
        element("KeyMarker", spell(arguments.get("key-marker", ""))),
        element("VersionIdMarker", arguments.get("version-id-marker", "")),
        element("NextKeyMarker", spell(page.last_key) if page.next else None),
        element("NextVersionIdMarker", page.last_id if page.next and page.last_id else None),
    )
    rows = [_version(one, spell) for one in page.entries]
    return _list("ListVersionsResult", bucket, arguments, query, page, (*head, *rows))


def uploads(bucket: str, arguments: Arguments, query: ListQuery, page: ListingPage[ListedUpload]) -> bytes:
    spell = _spelling(arguments)
    return document(
        "ListMultipartUploadsResult",
        (
            element("Bucket", bucket),
            element("KeyMarker", spell(arguments.get("key-marker", ""))),
            element("UploadIdMarker", arguments.get("upload-id-marker", "")),
            element("NextKeyMarker", spell(page.last_key)),
            element("NextUploadIdMarker", page.last_id),
            element("MaxUploads", query.max_keys),
            *_bounds(arguments, query, page, spell),
            *(_upload(one, spell) for one in page.entries),
            *_common_prefixes(page.prefixes, spell),
        ),
    )


def _list(
    name: str,
    bucket: str,
    arguments: Arguments,
    query: ListQuery,
    page: ListingPage[ListedVersion],
    own: Sequence[str],
) -> bytes:
    spell = _spelling(arguments)
    return document(
        name,
        (
            element("Name", bucket),
            element("MaxKeys", query.max_keys),
            *_bounds(arguments, query, page, spell),
            *own,
            *_common_prefixes(page.prefixes, spell),
        ),
    )


def _bounds(
    arguments: Arguments,
    query: ListQuery,
    page: ListingPage[ListedVersion] | ListingPage[ListedUpload],
    spell: Spell,
) -> tuple[str, ...]:
    return (
        element("Prefix", spell(query.prefix)),
        element("Delimiter", spell(query.delimiter) if query.delimiter else None),
        element("EncodingType", "url" if wants_url_encoding(arguments) else None),
        element("IsTruncated", page.next is not None),
    )


def _spelling(arguments: Arguments) -> Spell:
    """Returns how keys, prefixes, delimiters and markers are written."""
    return (
        (lambda text: percent_encode(text, safe="/"))
        if wants_url_encoding(arguments)
        else (lambda text: text)
    )


def _object(one: ListedVersion, spell: Spell, *, with_owner: bool) -> str:
    return (
        f"<Contents><Key>{escape(spell(one.key))}</Key>{_properties(one)}"
        f"{canonical_user('Owner', one.owner) if with_owner else ''}</Contents>"
    )


def _version(one: ListedVersion, spell: Spell) -> str:
    name = "DeleteMarker" if one.etag is None else "Version"
    properties = element("LastModified", rfc3339(one.modified_ms)) if one.etag is None else _properties(one)
    return (
        f"<{name}><Key>{escape(spell(one.key))}</Key>{element('VersionId', one.id)}"
        f"{element('IsLatest', one.latest)}{properties}{canonical_user('Owner', one.owner)}</{name}>"
    )


def _properties(one: ListedVersion) -> str:
    """Writes the fields of an entry in one go: a list has a thousand of these."""
    return (
        f"<LastModified>{rfc3339(one.modified_ms)}</LastModified><ETag>&quot;{one.etag}&quot;</ETag>"
        f"{element('ChecksumAlgorithm', one.algorithm)}{element('ChecksumType', one.checksum_type)}"
        f"<Size>{one.size}</Size><StorageClass>STANDARD</StorageClass>"
    )


def _upload(one: ListedUpload, spell: Spell) -> str:
    return nest(
        "Upload",
        (
            element("Key", spell(one.key)),
            element("UploadId", one.id),
            canonical_user("Initiator", one.owner),
            canonical_user("Owner", one.owner),
            element("StorageClass", "STANDARD"),
            element("Initiated", rfc3339(one.initiated_ms)),
            element("ChecksumAlgorithm", one.algorithm),
            element("ChecksumType", one.checksum_type),
        ),
    )


def _common_prefixes(prefixes: Sequence[str], spell: Spell) -> list[str]:
    return [nest("CommonPrefixes", (element("Prefix", spell(prefix)),)) for prefix in prefixes]
