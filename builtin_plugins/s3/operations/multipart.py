"""Uploads in parts, but for their completion: begun, aborted, listed, and the parts themselves."""

import base64
from collections.abc import Mapping, Sequence

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.bodies import StagedBody, give_up, stage_body
from builtin_plugins.s3.call import S3Call, check_promises, check_writable, s3_reply, xml
from builtin_plugins.s3.description import checksum_headers, described
from builtin_plugins.s3.operations.reading import check_list
from builtin_plugins.s3.operations.writing import find_copy_source
from builtin_plugins.s3.uploads import STORAGE, Upload, UploadPlan, sql
from builtin_plugins.s3.wire import bucket_answers
from builtin_plugins.s3.wire.answers import (
    CanonicalUser,
    PartsPage,
    StoredPart,
    copied_part,
    initiated_upload,
    listed_parts,
)
from builtin_plugins.s3.wire.bucket_answers import ListedUpload
from builtin_plugins.s3.wire.checksums import Algorithm, expected_checksum, multipart_type
from builtin_plugins.s3.wire.conditions import MAX_PARTS, Span, parse_copy_range, parse_part_number
from builtin_plugins.s3.wire.errors import InvalidRequest
from builtin_plugins.s3.wire.listing import Position, list_page, list_query_uploads, parse_limit
from guildhall_sdk import Reply, Row
from guildhall_sdk.dimensions import Quotas

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
        described(call.request),
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
            call.bucket,
            call.key,
            upload.id,
            _person(call),
            page,
            algorithm=algorithm,
            kind=upload.plan.checksum_type,
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


async def upload_part(call: S3Call) -> Reply:
    upload, number = await _find_upload(call)
    expected, planned = expected_checksum(call.request.headers), upload.plan.algorithm
    if expected is not None and planned is not None and expected.algorithm is not planned:
        raise InvalidRequest(f"The upload was begun with {planned}, its parts must have that too.")
    body = await stage_body(call, planned)
    await _add(call, number, body)
    return s3_reply(200, {"ETag": f'"{body.staged.md5}"', **checksum_headers(body.checksums, None)})


async def upload_part_copy(call: S3Call) -> Reply:
    upload, number = await _find_upload(call)
    async with call.read() as reader:
        source = await find_copy_source(call, reader)
    span = parse_copy_range(call.request.extensions.get("x-amz-copy-source-range"), source.size)
    start, end = (0, source.size) if span is None else _bounds(span)
    planned = upload.plan.algorithm
    running = None if planned is None else planned.start()
    staged = await call.repository.stage(
        call.principal.org_id,
        call.team_id,
        call.repository.open(source, start, end),
        length=end - start,
        also=() if running is None else (running,),
    )
    checksums: Mapping[Algorithm, str] = {}
    if planned is not None and running is not None:
        checksums = {planned: base64.b64encode(running.digest()).decode()}
    await _add(call, number, StagedBody(staged, checksums))
    headers = {"x-amz-copy-source-version-id": source.id}
    return xml(copied_part(staged.md5, call.now_ms, checksums), headers)


async def _find_upload(call: S3Call) -> tuple[Upload, int]:
    """Finds the upload and the part's number before any bytes are taken."""
    number = parse_part_number(call.arguments.get("partNumber", ""))
    check_promises(call)
    await check_writable(call, call.key)
    async with call.read() as reader:
        return await uploads.find(call, reader), number


async def _add(call: S3Call, number: int, body: StagedBody) -> None:
    """Adds a part: its upload holds the bytes, which count as storage from now on."""
    staged = body.staged
    try:
        async with call.write() as writer:
            upload = await uploads.hold(call, writer)
            binds = {"upload_id": upload.id, "org_id": upload.org_id, "number": number}
            before = await writer.value(sql.part_digest, **binds)
            # Sent again, as after a lost answer, it is held and counted already.
            counted = 0 if before == staged.sha256 else staged.size
            reservation = await call.repository.hold(writer, staged, upload.id)
            checksum = None if upload.plan.algorithm is None else body.checksums.get(upload.plan.algorithm)
            await writer.run(
                sql.put_part,
                **binds,
                sha256=staged.sha256,
                size=staged.size,
                md5=staged.md5,
                checksum=checksum,
                now=call.now_ms,
            )
            await writer.run(
                sql.count_bytes, id=upload.id, org_id=upload.org_id, size=counted, now=call.now_ms
            )
            quotas = call.host.service(Quotas)
            await quotas.adjust(writer, upload.org_id, upload.team_id, STORAGE, counted, reservation)
    except BaseException:
        await give_up(call, staged)
        raise


def _bounds(span: Span) -> tuple[int, int]:
    return span.start, span.end
