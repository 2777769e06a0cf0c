"""ListObjects, ListObjectsV2 and ListObjectVersions."""

from collections.abc import Sequence

from builtin_plugins.s3.answering import S3Answer, xml
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.description import checksum_kind, owner_of
from builtin_plugins.s3.wire import bucket_answers
from builtin_plugins.s3.wire.bucket_answers import ListedVersion
from builtin_plugins.s3.wire.errors import AccessDenied
from builtin_plugins.s3.wire.list_arguments import (
    list_query_v1,
    list_query_v2,
    list_query_versions,
    wants_url_encoding,
)
from builtin_plugins.s3.wire.listing import ListingPage, ListQuery, Position, list_page
from guildhall_sdk import Reader
from guildhall_sdk.services.stored_objects import StoredVersion


async def list_objects(call: S3Call) -> S3Answer:
    query = list_query_v1(call.arguments)
    page = await _objects(call, query)
    return xml(bucket_answers.objects_v1(call.bucket, call.arguments, query, page))


async def list_objects_v2(call: S3Call) -> S3Answer:
    query = list_query_v2(call.arguments)
    page = await _objects(call, query)
    return xml(bucket_answers.objects_v2(call.bucket, call.arguments, query, page))


async def list_object_versions(call: S3Call) -> S3Answer:
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
        version.key,
        version_id,
        None if version.marker else version.etag,
        version.size,
        version.created_at,
        owner_of(version),
        version.latest,
        algorithm,
        kind,
    )
