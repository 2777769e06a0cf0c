"""Putting the parts of an upload together: by one caller at a time, in all processes.

The parts count as storage while they are there, and what is made of them takes no room beside. So the disk
holds the bytes of an upload twice for a while, however many callers ask for its completion at once.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.operations.proving import ChecksumProof
from builtin_plugins.s3.uploads import Upload, sql
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType, RunningDigest
from builtin_plugins.s3.wire.errors import NoSuchUpload
from guildhall_sdk import Problem, Row
from guildhall_sdk.blobs import BlobMissing
from guildhall_sdk.services.stored_objects import Staged

TURN_MS = 60_000
_RENEW_MS = TURN_MS // 3
_NEXT_LOOK_SECONDS = 0.25

Assembled = tuple[Staged, Mapping[Algorithm, str]]


@dataclass(frozen=True, slots=True)
class Assembly:
    """The object that an upload is to become: of these parts, with this ETag and these checksums.

    `proof` is of what the client says beside.
    """

    upload: Upload
    parts: Sequence[Row]
    etag: str
    checksums: Mapping[Algorithm, str]
    proof: ChecksumProof

    @property
    def size(self) -> int:
        return sum(part["size"] for part in self.parts)


async def put_together(call: S3Call, assembly: Assembly) -> Assembled | None:
    """Returns the bytes of all parts, and their checksum where it is over the parts' checksums.

    Returns None where somebody else has completed or aborted the upload while this caller waited for its
    turn.
    """
    upload, parts = assembly.upload, assembly.parts
    composite = upload.plan.checksum_type is ChecksumType.COMPOSITE
    algorithm = upload.plan.algorithm if composite else None
    if len(parts) == 1:
        await _prove(call, assembly)
        full_checksums = {} if algorithm is None else {algorithm: parts[0]["checksum"]}
        return _staged(upload, parts[0]), full_checksums
    if not await _take_turn(call):
        return None
    running: RunningDigest | None = None if algorithm is None else algorithm.start()
    try:
        staged = await call.repository.stage(
            upload.org_id,
            upload.team_id,
            _bytes_of(call, assembly),
            length=assembly.size,
            counted=upload.counted,
            also=() if running is None else (running,),
        )
    except BaseException as failure:
        await end(call, assembly)
        if isinstance(failure, BlobMissing):
            raise NoSuchUpload(UploadId=upload.id) from None
        raise
    if algorithm is None or running is None:
        return staged, {}
    return staged, {algorithm: base64.b64encode(running.digest()).decode()}


async def end(call: S3Call, assembly: Assembly) -> None:
    """Lets the next one have its turn, even when this caller is cancelled meanwhile."""
    if len(assembly.parts) > 1:
        await asyncio.shield(asyncio.create_task(_set_turn(call, assembly.upload, 0)))


async def _set_turn(call: S3Call, upload: Upload, until: int) -> None:
    with suppress(Problem):  # it lapses by itself
        async with call.host.data.write() as writer:
            await writer.run(sql.set_turn, id=upload.id, org_id=upload.org_id, until=until)


async def _take_turn(call: S3Call) -> bool:
    """Waits for whoever puts the parts together, in any process; what a dead one began lapses."""
    while True:
        async with call.read() as reader:
            upload = await uploads.find(call, reader, ended=True)
        if upload.ended:
            return False
        now = call.now_ms
        if upload.assembling_until <= now:
            async with call.write() as writer:
                turn = await writer.one(
                    sql.take_turn, id=upload.id, org_id=upload.org_id, now=now, until=now + TURN_MS
                )
            if turn is not None:
                return True
        await asyncio.sleep(_NEXT_LOOK_SECONDS)


async def _prove(call: S3Call, assembly: Assembly) -> None:
    """Proves a part that becomes the object as it is: read only where something is to be proven."""
    if not assembly.proof.needed:
        return
    try:
        async for _ in _proven(call, assembly):
            pass
    except BlobMissing:
        raise NoSuchUpload(UploadId=assembly.upload.id) from None


async def _bytes_of(call: S3Call, assembly: Assembly) -> AsyncIterator[bytes]:
    upload, renew_at = assembly.upload, call.now_ms + _RENEW_MS
    async for chunk in _proven(call, assembly):
        if call.now_ms >= renew_at:
            until, renew_at = call.now_ms + TURN_MS, call.now_ms + _RENEW_MS
            await _set_turn(call, upload, until)
        yield chunk


async def _proven(call: S3Call, assembly: Assembly) -> AsyncIterator[bytes]:
    """Yields the bytes of all parts; it ends well only if they are what the client says."""
    proof = assembly.proof
    for part in assembly.parts:
        proof.begin_part(part["number"])
        async for chunk in call.repository.open_staged(_staged(assembly.upload, part)):
            if proof.needed:
                await asyncio.to_thread(proof.update, chunk)
            yield chunk
        proof.end_part(part["number"])
    proof.end()


def _staged(upload: Upload, part: Row) -> Staged:
    return Staged(upload.org_id, part["sha256"], part["size"], part["md5"])
