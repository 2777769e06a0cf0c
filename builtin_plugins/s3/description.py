"""What an S3 client says of an object beside its bytes: how it is kept with the version, and answered."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.wire.answers import CanonicalUser, Checksums
from builtin_plugins.s3.wire.bodies import Tags, parse_tagging_header
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType
from builtin_plugins.s3.wire.conditions import Stored, http_date
from builtin_plugins.s3.wire.errors import (
    InvalidArgument,
    MetadataTooLarge,
    MethodNotAllowed,
    NoSuchKey,
    NoSuchVersion,
)
from builtin_plugins.s3.wire.request import S3Request
from guildhall_sdk import NotFound, Reader
from guildhall_sdk.services.stored_objects import StoredVersion

MAX_METADATA = 2 * 1024
METADATA = "x-amz-meta-"
_OURS = "s3"
# Kept as they are and given back with the object. Content-Type has a column of its own.
_STORED_HEADERS = ("cache-control", "content-disposition", "content-language", "expires")
_ALGORITHMS = {str(algorithm): algorithm for algorithm in Algorithm}
_TYPES = {str(kind): kind for kind in ChecksumType}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]*")
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_NOTHING: Mapping[str, str] = {}
_NO_CHECKSUMS: Checksums = {}
_TEXT = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]{0,1024}")


class Description(NamedTuple):
    """`metadata` and `headers` by their names in lower case, in Latin-1 as they came.

    Of an object made of `parts`, `md5` is that of all its bytes, and `full_checksums` those of them where
    `checksums` are over the parts.
    """

    metadata: Mapping[str, str] = _NOTHING
    headers: Mapping[str, str] = _NOTHING
    tags: Tags = ()
    checksums: Checksums = _NO_CHECKSUMS
    checksum_type: ChecksumType | None = None
    full_checksums: Checksums = _NO_CHECKSUMS
    md5: str | None = None
    parts: int = 0

    @classmethod
    def of(cls, version: StoredVersion) -> "Description":
        return cls.parse(version.attributes.get(_OURS, {}))

    @classmethod
    def parse(cls, fields: Mapping[str, Any]) -> "Description":
        if not fields:
            return _PLAIN
        kind = fields.get("checksum_type")
        return cls(
            metadata=fields.get("metadata", {}),
            headers=fields.get("headers", {}),
            tags=tuple((key, value) for key, value in fields.get("tags", ())),
            checksums={_ALGORITHMS[name]: value for name, value in fields.get("checksums", {}).items()},
            checksum_type=None if kind is None else _TYPES[kind],
            full_checksums={_ALGORITHMS[name]: value for name, value in fields.get("whole", {}).items()},
            md5=fields.get("md5"),
            parts=fields.get("parts", 0),
        )

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for name, value in (
            ("metadata", dict(self.metadata)),
            ("headers", dict(self.headers)),
            ("tags", list(map(list, self.tags))),
            ("checksums", dict(self.checksums)),
            ("checksum_type", self.checksum_type),
            ("whole", dict(self.full_checksums)),
            ("md5", self.md5),
            ("parts", self.parts),
        ):
            if value:
                fields[name] = value
        return fields

    def attributes(self, beside: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns the attributes of a version: this description, and `beside` what others keep there."""
        fields = self.to_dict()
        attributes = {**(beside or {}), _OURS: fields}
        if not fields:
            del attributes[_OURS]
        return attributes

    def answered(self) -> dict[str, str]:
        """Returns the headers of an answer that give this description."""
        if not self.metadata:
            return dict(self.headers)
        fit = {name: value for name, value in self.metadata.items() if _TOKEN.fullmatch(name)}
        # Older versions took line breaks from the query of a link: no header can carry them.
        return {
            **self.headers,
            **{f"{METADATA}{name}": _CONTROLS.sub(" ", value).strip() for name, value in fit.items()},
        }


#: Of a version that its writer said nothing about.
_PLAIN = Description()


def checksum_kind(version: StoredVersion) -> tuple[Algorithm | None, ChecksumType | None]:
    """Reads algorithm and type without the rest of the description: a list has a thousand of these."""
    fields = version.attributes.get(_OURS)
    if fields is None or "checksums" not in fields:
        return None, None
    return _ALGORITHMS[next(iter(fields["checksums"]))], _TYPES[fields["checksum_type"]]


def described(request: S3Request) -> Description:
    """Reads the description from an upload's headers."""
    return Description(read_metadata(request), read_headers(request), read_tags(request))


def read_metadata(request: S3Request) -> dict[str, str]:
    """Reads the metadata; what comes from a link's query must be as fit for a header as if it came in one."""
    found, length = {}, 0
    for header, text in request.raw_headers.items():
        if header.startswith(METADATA):
            name, value = header.removeprefix(METADATA), text.strip(" \t")
            if not _TOKEN.fullmatch(name) or _CONTROLS.search(value):
                raise InvalidArgument(
                    "Metadata must be one line of text, under a name that a header can have."
                )
            length += len(name) + len(value)
            found[name] = value
    if length > MAX_METADATA:
        raise MetadataTooLarge()
    return found


def read_headers(request: S3Request) -> dict[str, str]:
    headers = {}
    for name in _STORED_HEADERS:
        if value := request.raw_headers.get(name):
            headers[name] = value
    sent_encoding = request.headers.get("content-encoding")
    if sent_encoding and (encoding := stored_encoding(sent_encoding)):
        headers["content-encoding"] = encoding
    for name, value in headers.items():
        if not _TEXT.fullmatch(value):
            raise InvalidArgument(f"{name} must be text of at most 1024 characters.", ArgumentName=name)
    return headers


def stored_encoding(content_encoding: str) -> str | None:
    """Returns the Content-Encoding without `aws-chunked`, which is gone once the body is unwrapped."""
    codings = [coding.strip() for coding in content_encoding.split(",")]
    return ", ".join(coding for coding in codings if coding and coding.lower() != "aws-chunked") or None


def read_tags(request: S3Request) -> Tags:
    header = request.extensions.get("x-amz-tagging")
    return tuple(sorted(parse_tagging_header(header))) if header else ()


def owner_of(version: StoredVersion) -> CanonicalUser:
    return CanonicalUser(version.owner_id, version.owner_name)


def stored(version: StoredVersion) -> Stored:
    """Returns a version as conditions are held against it."""
    return Stored(None if version.marker else version.etag, version.created_at, version.size)


def checksum_headers(checksums: Checksums, kind: ChecksumType | None) -> dict[str, str]:
    found = {}
    for algorithm, value in checksums.items():
        found[algorithm.header] = value
    return {**found, "x-amz-checksum-type": kind} if found and kind is not None else found


def version_headers(version: StoredVersion, description: Description) -> dict[str, str]:
    """Returns the headers of GET and HEAD."""
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


async def find_version(
    call: S3Call, reader: Reader, key: str, version_id: str | None, *, content: bool = False
) -> StoredVersion:
    """Returns the version that is meant, with bytes; a delete marker hides it, or is refused by its name."""
    call.check_reach(key)
    if "\0" in key:
        raise NoSuchKey(Key="")
    try:
        version = await call.repository.at_key(
            reader, call.principal, call.team_id, key, version_id, content=content
        )
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
