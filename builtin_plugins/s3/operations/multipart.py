"""CreateMultipartUpload, AbortMultipartUpload, ListMultipartUploads and ListParts."""

from collections.abc import Sequence

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.call import S3Call, check_promises, check_writable
from builtin_plugins.s3.description import described
from builtin_plugins.s3.operations.listing import check_list
from builtin_plugins.s3.replies import s3_reply, xml
from builtin_plugins.s3.uploads import UploadPlan, sql
from builtin_plugins.s3.wire import bucket_answers
from builtin_plugins.s3.wire.answers import (
    CanonicalUser,
    PartsPage,
    StoredPart,
    initiated_upload,
    listed_parts,
)
from builtin_plugins.s3.wire.bucket_answers import ListedUpload
from builtin_plugins.s3.wire.checksums import Algorithm, multipart_type
from builtin_plugins.s3.wire.errors import InvalidRequest
from builtin_plugins.s3.wire.list_arguments import list_query_uploads, parse_limit
from builtin_plugins.s3.wire.listing import Position, list_page
from builtin_plugins.s3.wire.ranges import MAX_PARTS
from guildhall_sdk import Reply, Row

# Behind every key: none is as long.
_BEHIND_ALL = "\U0010ffff" * 257


async def create_multipart_upload(call: S3Call) -> Reply:
    check_promises(call)
    await check_writable(call, call.key)
    extensions = call.request.extensions
    wished, kind = extensions.get("x-amz-checksum-algorithm"), extensions.get("x-amz-checksum-type")
    algorithm = Algorithm.parse(wished) if wished else None
    if algorithm is None and kind is not None:
        raise InvalidRequest("x-amz-checksum-type needs an x-amz-checksum-algorithm.")
    plan = UploadPlan(
        call.request.headers.get("content-type") or None,
        described(call.request, call.raw_headers),
        algorithm,
        None if algorithm is None else multipart_type(algorithm, kind),
    )
    upload_id = await uploads.begin(call, plan)
    headers = {} if algorithm is None else {"x-amz-checksum-algorithm": str(algorithm)}
    if plan.checksum_type is not None:
        headers["x-amz-checksum-type"] = plan.checksum_type
    return xml(initiated_upload(call.bucket, call.key, upload_id), headers)


async def abort_multipart_upload(call: S3Call) -> Reply:
    await check_writable(call, call.key)
    await uploads.abort(call)
    return s3_reply(204)


async def list_multipart_uploads(call: S3Call) -> Reply:
    """Lists the caller's own uploads."""
    query = list_query_uploads(call.arguments)
    check_list(call, query)
    async with call.read() as reader:

        async def source(position: Position, below: str | None, limit: int) -> Sequence[ListedUpload]:
            rows = await reader.all(
                sql.open_uploads,
                team_id=call.team_id,
                user_id=call.principal.user_id,
                org_id=call.principal.org_id,
                at_least=position.at_least,
                after_id=position.after_id or "",
                below=below or _BEHIND_ALL,
                limit=limit,
            )
            return [_listed(call, row) for row in rows]

        page = await list_page(source, query)
    return xml(bucket_answers.uploads(call.bucket, call.arguments, query, page))


async def list_parts(call: S3Call) -> Reply:
    max_parts = parse_limit(call.arguments.get("max-parts"), "max-parts")
    marker = parse_limit(call.arguments.get("part-number-marker"), "part-number-marker", 0, MAX_PARTS)
    async with call.read() as reader:
        upload = await uploads.find(call, reader)
        rows = await reader.all(
            sql.parts_of, upload_id=upload.id, org_id=upload.org_id, marker=marker, limit=max_parts + 1
        )
    algorithm = upload.plan.algorithm
    parts = [_stored_part(row, algorithm) for row in rows[:max_parts]]
    page = PartsPage(parts, len(parts), marker, max_parts, len(rows) > max_parts)
    return xml(
        listed_parts(
            call.bucket, call.key, upload.id, _person(call), page, algorithm, upload.plan.checksum_type
        )
    )


def _stored_part(row: Row, algorithm: Algorithm | None) -> StoredPart:
    checksums = {} if algorithm is None or row["checksum"] is None else {algorithm: row["checksum"]}
    return StoredPart(row["number"], row["md5"], row["size"], row["created_at"], checksums)


def _listed(call: S3Call, row: Row) -> ListedUpload:
    plan = UploadPlan.parse(row["described"])
    return ListedUpload(
        row["key"], row["id"], row["created_at"], _person(call), plan.algorithm, plan.checksum_type
    )


def _person(call: S3Call) -> CanonicalUser:
    return CanonicalUser(call.principal.user_id, call.principal.display_name)
