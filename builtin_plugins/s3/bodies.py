"""Short bodies, such as XML, and long ones that are kept: verified against all that the client said."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.wire.bodies import MAX_BODY_BYTES
from builtin_plugins.s3.wire.checksums import Algorithm, encode_digest, expected_checksum, parse_content_md5
from builtin_plugins.s3.wire.errors import (
    BadDigest,
    EntityTooLarge,
    InvalidRequest,
    MissingContentLength,
)
from builtin_plugins.s3.wire.payload import Payload, open_payload
from guildhall_sdk.blobs import Blob
from guildhall_sdk.services.stored_objects import Staged
from libs.fair_slots import BODIES

MAX_CONTENT = 5 * 1024**3
_SMALL = 16 * 1024
_WORTH_A_THREAD = 256 * 1024
_CRUMBS = 100

Parsed = TypeVar("Parsed")


class StagedBody(NamedTuple):
    """Staged bytes with the checksum that came, or was asked for, with them."""

    staged: Staged
    checksums: Mapping[Algorithm, str]


async def read_parsed(
    call: S3Call, parse: Callable[[bytes], Parsed], *, digest_needed: bool = False, checked: bool = True
) -> Parsed:
    """Reads the whole body, verified, by `parse`. With `digest_needed`, only with a digest along.

    `checked` is False where x-amz-checksum headers are about something else than the body. A long one is
    looked at on a thread, company by company.
    """
    payload = open_payload(call.request, call.signature)
    expected = expected_checksum(call.request.headers) if checked else None
    md5 = parse_content_md5(call.request.headers.get("content-md5"))
    if digest_needed and md5 is None and (expected is None):
        raise InvalidRequest("A Content-MD5 or an x-amz-checksum header is needed.")
    body = b"".join([chunk async for chunk in _content(call, payload, MAX_BODY_BYTES)])

    def verify_and_parse() -> Parsed:
        trailers = payload.finish()
        if expected is not None:
            running = expected.algorithm.start()
            running.update(body)
            expected.check(running.digest(), trailers)
        if md5 is not None and not hmac.compare_digest(_md5_of(body), md5):
            raise BadDigest()
        return parse(body)

    if len(body) <= _SMALL:
        return verify_and_parse()
    return await BODIES.run(call.principal.org_id, verify_and_parse)


async def stage_body(call: S3Call, wished: Algorithm | None = None) -> StagedBody:
    """Stages the body; what is not what it should be leaves nothing. `wished` is taken where none came."""
    request = call.request
    payload = open_payload(request, call.signature, caller_hashes=True)
    if (
        payload.length is None
        and request.content_length is None
        and "transfer-encoding" not in request.headers
    ):
        raise MissingContentLength()
    if (payload.length or 0) > MAX_CONTENT:
        raise EntityTooLarge()
    chunks = _content(call, payload, MAX_CONTENT)
    return await stage_content(call, chunks, length=payload.length, payload=payload, wished=wished)


async def stage_content(
    call: S3Call,
    chunks: AsyncIterator[bytes],
    *,
    length: int | None,
    payload: Payload | None = None,
    wished: Algorithm | None = None,
) -> StagedBody:
    """Stages content, unless its checksum or the `payload` that it came in refuses it at the end."""
    headers = call.request.headers
    expected = expected_checksum(headers)
    md5 = parse_content_md5(headers.get("content-md5"))
    algorithm = expected.algorithm if expected is not None else wished
    running = None if algorithm is None else algorithm.start()
    checksums: dict[Algorithm, str] = {}

    def check(blob: Blob) -> None:
        trailers = {} if payload is None else payload.finish(blob.sha256)
        if algorithm is not None and running is not None:
            found = running.digest()
            checksums[algorithm] = (
                encode_digest(found) if expected is None else expected.check(found, trailers)
            )

    staged = await call.repository.stage(
        call.principal.org_id,
        call.team_id,
        chunks,
        length=length,
        also=() if running is None else (running,),
        check=check,
    )
    if md5 is not None and not hmac.compare_digest(staged.md5, md5):
        await give_up(call, staged)
        raise BadDigest("The Content-MD5 you specified did not match what we received.")
    return StagedBody(staged, checksums)


async def give_up(call: S3Call, staged: Staged) -> None:
    """Discards what will not be used, to its end even when the caller is cancelled meanwhile."""
    await asyncio.shield(asyncio.create_task(call.repository.discard(staged)))


def _md5_of(body: bytes) -> str:
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


async def _content(call: S3Call, payload: Payload, limit: int) -> AsyncIterator[bytes]:
    """Yields the body without its framing; provisional until `payload.finish` has agreed."""
    # What surrounds the content is little; a client that sends more of it than content is refused too.
    pieces: Any = call.request_body.stream(limit + limit // 16 + 64 * 1024)
    async for piece in pieces:
        if len(piece) > _WORTH_A_THREAD:
            content = await asyncio.to_thread(payload.feed, piece)
        else:
            content = await _fed(payload, piece)
        for chunk in content:
            yield chunk


async def _fed(payload: Payload, piece: bytes) -> list[bytes]:
    """Returns the content of a piece; where it is framed in crumbs, others get their turn in between."""
    content: list[bytes] = []
    for start in range(0, len(piece), payload.at_once):
        fed = payload.feed(piece[start : start + payload.at_once])
        content += fed
        if len(fed) > _CRUMBS:
            await asyncio.sleep(0)
    return content if len(content) < 2 else [b"".join(content)]
