"""Putting the parts of an upload together: by one caller at a time, in all processes.

The parts count as storage while they are there, and what is made of them takes no room beside. So the disk
holds the bytes of an upload twice for a while, however many callers ask for its completion at once.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.uploads import Upload, sql
from builtin_plugins.s3.wire.bodies import NamedPart
from builtin_plugins.s3.wire.checksums import (
    Algorithm,
    ChecksumType,
    ExpectedChecksum,
    RunningDigest,
    combined,
    encode_digest,
)
from builtin_plugins.s3.wire.errors import BadDigest, InvalidPart, NoSuchUpload
from guildhall_sdk import Problem, Row
from guildhall_sdk.blobs import BlobMissing
from guildhall_sdk.services.stored_objects import Staged

TURN_MS = 60_000
_RENEW_MS = TURN_MS // 3
_NEXT_LOOK_SECONDS = 0.25

Assembled = tuple[Staged, Mapping[Algorithm, str]]


class ChecksumProof:
    """Takes the checksums of the bytes as they go by, and refuses what the client said wrongly."""

    def __init__(self, expected: ExpectedChecksum | None = None, named: Sequence[NamedPart] = ()) -> None:
        self._expected = expected
        self._named: Mapping[int, Mapping[Algorithm, str]] = {
            part.number: part.checksums for part in named if part.checksums
        }
        self._of_all = None if expected is None else expected.algorithm.start()
        self._of_part: dict[Algorithm, RunningDigest] = {}
        self._parts: list[tuple[str, int]] = []
        self._size = 0

    @property
    def needed(self) -> bool:
        """Whether the client said anything that only the bytes can prove."""
        return self._expected is not None or bool(self._named)

    def begin_part(self, number: int) -> None:
        algorithms = set(self._named.get(number, {}))
        if self._expected is not None:
            algorithms.add(self._expected.algorithm)
        self._of_part = {algorithm: algorithm.start() for algorithm in algorithms}
        self._size = 0

    def update(self, data: bytes) -> None:
        self._size += len(data)
        for running in self._of_part.values():
            running.update(data)
        if self._of_all is not None:
            self._of_all.update(data)

    def end_part(self, number: int) -> None:
        found = {algorithm: encode_digest(running.digest()) for algorithm, running in self._of_part.items()}
        for algorithm, value in self._named.get(number, {}).items():
            if value != found[algorithm]:
                raise InvalidPart(PartNumber=str(number))
        if self._expected is not None:
            self._parts.append((found[self._expected.algorithm], self._size))

    def end(self) -> None:
        """Checks the whole: the client may mean the checksum of all bytes, or of the parts' checksums."""
        if self._expected is None or self._of_all is None:
            return
        algorithm, value = self._expected.algorithm, self._expected.value
        composite = combined(algorithm, ChecksumType.COMPOSITE, self._parts)
        if value not in (encode_digest(self._of_all.digest()), composite, composite.partition("-")[0]):
            raise BadDigest(f"The {algorithm} you specified is not that of the parts.")


class Assembly(NamedTuple):
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
