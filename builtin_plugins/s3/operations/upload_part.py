"""UploadPart and UploadPartCopy."""

import base64
from collections.abc import Mapping

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.answering import S3Answer, xml
from builtin_plugins.s3.bodies import StagedBody, give_up, keep
from builtin_plugins.s3.call import S3Call, check_promises, check_writable
from builtin_plugins.s3.description import checksum_headers
from builtin_plugins.s3.operations.writing import find_copy_source
from builtin_plugins.s3.uploads import STORAGE, Upload, sql
from builtin_plugins.s3.wire.answers import copied_part
from builtin_plugins.s3.wire.checksums import Algorithm, expected_checksum
from builtin_plugins.s3.wire.errors import InvalidRequest
from builtin_plugins.s3.wire.ranges import Span, parse_copy_range, parse_part_number
from guildhall_sdk.services.quotas import Quotas


async def upload_part(call: S3Call) -> S3Answer:
    upload, number = await _find_upload(call)
    expected, planned = expected_checksum(call.request.headers), upload.plan.algorithm
    if expected is not None and planned is not None and expected.algorithm is not planned:
        raise InvalidRequest(f"The upload was begun with {planned}, its parts must have that too.")
    body = await keep(call, planned)
    await _add(call, number, body)
    return S3Answer(200, {"ETag": f'"{body.staged.md5}"', **checksum_headers(body.checksums, None)})


async def upload_part_copy(call: S3Call) -> S3Answer:
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
            await call.repository.hold(writer, staged, upload.id)
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
            await quotas.adjust(writer, upload.org_id, upload.team_id, STORAGE, counted, staged.reservation)
    except BaseException:
        await give_up(call, staged)
        raise


def _bounds(span: Span) -> tuple[int, int]:
    return span.start, span.end
