"""GetObject, HeadObject and GetObjectAttributes."""

from collections.abc import AsyncGenerator

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.answering import S3Answer, xml
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.description import (
    Description,
    checksum_headers,
    find_version,
    stored,
    version_headers,
)
from builtin_plugins.s3.wire.active_types import as_download
from builtin_plugins.s3.wire.answers import object_attributes
from builtin_plugins.s3.wire.conditions import ReadConditions, allows_range, http_date
from builtin_plugins.s3.wire.errors import InvalidArgument, InvalidRequest
from builtin_plugins.s3.wire.list_arguments import parse_limit
from builtin_plugins.s3.wire.ranges import MAX_PARTS, Span, parse_part_number, parse_range
from guildhall_sdk.services.stored_objects import StoredVersion
from libs.streams import after

_OVERRIDES = (
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
)
_ATTRIBUTES = frozenset({"ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"})


async def get_object(call: S3Call) -> S3Answer:
    version, answer, span = await _found(call)
    start, end = (0, version.size) if span is None else (span.start, span.end)
    if start == end:
        return answer
    chunks = call.repository.open(version, start, end)
    # Whether the bytes are there shows with the first of them, while another answer is possible.
    first = await anext(chunks)
    if len(first) == end - start:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
        return S3Answer(answer.status, answer.headers, first)
    return S3Answer(answer.status, answer.headers, stream=after(first, chunks), length=end - start)


async def head_object(call: S3Call) -> S3Answer:
    return (await _found(call))[1]


async def get_object_attributes(call: S3Call) -> S3Answer:
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


async def _found(call: S3Call) -> tuple[StoredVersion, S3Answer, Span | None]:
    """Returns the version, the answer without its bytes, and which of them are meant."""
    request = call.request
    number = call.arguments.get("partNumber")
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
        description = Description.of(version)
        span, checksums = None, description.checksums
        if number is not None:
            if "range" in request.headers:
                raise InvalidRequest("Range and partNumber cannot be used together.")
            span, checksums = await uploads.find_part(
                call.repository, reader, version, description, parse_part_number(number)
            )
    ReadConditions.parse(request.headers).judge(stored(version))
    if number is None and allows_range(request.headers.get("if-range"), version.etag):
        span = parse_range(request.headers.get("range"), version.size)
    headers = version_headers(version, description)
    for name in _OVERRIDES:
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
    if span is None:
        return version, S3Answer(200, headers, length=version.size), None
    headers["Content-Range"] = span.content_range(version.size)
    return version, S3Answer(206, headers, length=span.length), span


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
