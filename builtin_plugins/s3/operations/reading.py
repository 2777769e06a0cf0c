"""GetObject, HeadObject, GetObjectAttributes, and the lists of what is in a bucket."""

from collections.abc import Sequence

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.call import S3Call, s3_reply, xml
from builtin_plugins.s3.description import (
    Description,
    checksum_headers,
    checksum_kind,
    find_version,
    owner_of,
    stored,
    version_headers,
)
from builtin_plugins.s3.wire import bucket_answers
from builtin_plugins.s3.wire.answers import as_download, object_attributes
from builtin_plugins.s3.wire.bucket_answers import ListedVersion
from builtin_plugins.s3.wire.conditions import (
    MAX_PARTS,
    ReadConditions,
    Span,
    allows_range,
    http_date,
    parse_part_number,
    parse_range,
)
from builtin_plugins.s3.wire.errors import AccessDenied, InvalidArgument, InvalidRequest
from builtin_plugins.s3.wire.listing import (
    ListingPage,
    ListQuery,
    Position,
    list_page,
    list_query_v1,
    list_query_v2,
    list_query_versions,
    parse_limit,
    wants_url_encoding,
)
from guildhall_sdk import Reader, Reply
from guildhall_sdk.services.stored_objects import StoredVersion
from libs.streams import after, close

_OVERRIDES = (
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
)
_ATTRIBUTES = frozenset({"ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"})


async def get_object(call: S3Call) -> Reply:
    version, headers, span = await _found(call)
    status, start, end = (200, 0, version.size) if span is None else (206, span.start, span.end)
    if start == end:
        return s3_reply(status, headers)
    chunks = call.repository.open(version, start, end)
    # Whether the bytes are there shows with the first of them, while another answer is possible.
    first = await anext(chunks)
    if len(first) == end - start:
        await close(chunks)
        return s3_reply(status, headers, first)
    return s3_reply(status, headers, stream=after(first, chunks), length=end - start)


async def head_object(call: S3Call) -> Reply:
    version, headers, span = await _found(call)
    if span is None:
        return s3_reply(200, headers, length=version.size)
    return s3_reply(206, headers, length=span.length)


async def get_object_attributes(call: S3Call) -> Reply:
    wanted = _wanted_attributes(call)
    max_parts = parse_limit(call.request.extensions.get("x-amz-max-parts"), "x-amz-max-parts")
    marker = parse_limit(
        call.request.extensions.get("x-amz-part-number-marker"), "x-amz-part-number-marker", 0, MAX_PARTS
    )
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
        description = Description.of(version)
        page = None
        if description.parts and "ObjectParts" in wanted:
            page = await uploads.page_of_version(
                call.repository, reader, version, description, marker, max_parts
            )
    headers = {
        "Last-Modified": http_date(version.created_at // 1000),
        "x-amz-version-id": version.id,
    }
    answer = object_attributes(
        wanted, version.etag, version.size, description.checksums, description.checksum_type, page
    )
    return xml(answer, headers)


async def _found(call: S3Call) -> tuple[StoredVersion, dict[str, str], Span | None]:
    """Returns the version, the headers of an answer with it, and which bytes are meant if not all are."""
    request = call.request
    number = call.arguments.get("partNumber")
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id, content=request.method == "GET")
        description = Description.of(version)
        span, checksums = None, description.checksums
        if number is not None:
            if "range" in request.headers:
                raise InvalidRequest("Range and partNumber cannot be used together.")
            span, checksums = await uploads.find_part(
                call.repository, reader, version, description, parse_part_number(number)
            )
    ReadConditions.parse(request.headers).check(stored(version))
    if number is None and allows_range(request.headers.get("if-range"), version.etag):
        span = parse_range(request.headers.get("range"), version.size)
    headers = version_headers(version, description)
    for name in _OVERRIDES if request.query else ():
        if override := call.arguments.get(f"response-{name}"):
            headers = {known: value for known, value in headers.items() if known.lower() != name}
            headers[name] = _one_line(override)
    if request.mounted and call.signature.presigned:
        headers = as_download(headers)
    if number is not None and description.parts:
        headers["x-amz-mp-parts-count"] = str(description.parts)
    if request.extensions.get("x-amz-checksum-mode", "").upper() == "ENABLED" and (
        span is None or number is not None
    ):
        headers |= checksum_headers(checksums, description.checksum_type)
    if span is not None:
        headers["Content-Range"] = span.content_range(version.size)
    return version, headers, span


def _wanted_attributes(call: S3Call) -> frozenset[str]:
    attributes_header = call.request.extensions.get("x-amz-object-attributes", "")
    wanted = frozenset(name.strip() for name in attributes_header.split(",") if name.strip())
    if not wanted or not wanted <= _ATTRIBUTES:
        raise InvalidArgument(
            f"x-amz-object-attributes takes some of {', '.join(sorted(_ATTRIBUTES))}.",
            ArgumentName="x-amz-object-attributes",
        )
    return wanted


def _one_line(value: str) -> str:
    if any(ord(character) < 32 or ord(character) == 127 for character in value):
        raise InvalidArgument("A response header must be one line of text.")
    return value.encode().decode("latin-1")


async def list_objects(call: S3Call) -> Reply:
    query = list_query_v1(call.arguments)
    page = await _objects(call, query)
    return xml(bucket_answers.objects_v1(call.bucket, call.arguments, query, page))


async def list_objects_v2(call: S3Call) -> Reply:
    query = list_query_v2(call.arguments)
    page = await _objects(call, query)
    return xml(bucket_answers.objects_v2(call.bucket, call.arguments, query, page))


async def list_object_versions(call: S3Call) -> Reply:
    query = list_query_versions(call.arguments)
    check_list(call, query)

    async with call.read() as reader:

        async def source(position: Position, below: str | None, limit: int) -> Sequence[ListedVersion]:
            found = await call.repository.versions(
                reader,
                call.principal,
                call.team_id,
                prefix=query.prefix,
                start=position.at_least,
                after_version=position.after_id,
                limit=limit,
            )
            return [listed(version, version.id) for version in found[:limit]]

        page = await list_page(source, query)
    return xml(bucket_answers.versions(call.bucket, call.arguments, query, page))


def check_list(call: S3Call, query: ListQuery) -> None:
    """Refuses what lies outside of the key's prefix, and what is malformed, before anything is read."""
    wants_url_encoding(call.arguments)
    if not query.prefix.startswith(call.caller.prefix):
        raise AccessDenied("The access key is limited to another prefix.")


async def _objects(call: S3Call, query: ListQuery) -> ListingPage[ListedVersion]:
    check_list(call, query)
    async with call.read() as reader:
        plain = _Objects(call, reader, query.prefix)
        return await list_page(plain, query, _Objects(call, reader, query.prefix, query.delimiter))


class _Objects:
    """The newest versions, as `list_page` asks for them."""

    def __init__(self, call: S3Call, reader: Reader, prefix: str, delimiter: str = "") -> None:
        self._call, self._reader, self._prefix, self._delimiter = call, reader, prefix, delimiter

    async def __call__(self, position: Position, below: str | None, limit: int) -> Sequence[ListedVersion]:
        found = await self._call.repository.keys(
            self._reader,
            self._call.principal,
            self._call.team_id,
            prefix=self._prefix,
            start=position.at_least,
            limit=limit,
            delimiter=self._delimiter,
        )
        return [listed(version) for version in found]


def listed(version: StoredVersion, version_id: str = "") -> ListedVersion:
    algorithm, kind = checksum_kind(version)
    return ListedVersion(
        key=version.key,
        id=version_id,
        etag=None if version.marker else version.etag,
        size=version.size,
        modified_ms=version.created_at,
        owner=owner_of(version),
        latest=version.latest,
        algorithm=algorithm,
        checksum_type=kind,
    )
