"""Short bodies, such as XML, and long ones that are kept: verified against all that the client said."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from builtin_plugins.s3.call import Call
from builtin_plugins.s3.wire.checksums import Algorithm, expected_checksum, parse_content_md5
from builtin_plugins.s3.wire.errors import BadDigest, EntityTooLarge, InvalidRequest, MissingContentLength
from builtin_plugins.s3.wire.payload import open_payload
from builtin_plugins.s3.wire.xml import MOST_BODY_BYTES
from guildhall_sdk.blobs import Blob
from guildhall_sdk.fair_thread import BODIES
from guildhall_sdk.services import Staged

MOST_CONTENT = 5 * 1024**3
_SMALL = 16 * 1024

Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Kept:
    """Staged bytes with the checksum that came, or was asked for, with them."""

    staged: Staged
    checksums: Mapping[Algorithm, str]


async def read_parsed(
    call: Call, parse: Callable[[bytes], Parsed], *, digest_needed: bool = False, checked: bool = True
) -> Parsed:
    """The whole body, verified, as `parse` reads it. With `digest_needed`, only with a digest along.

    `checked` is False where x-amz-checksum headers are about something else than the body. A long one is
    looked at on a thread, company by company.
    """
    payload = open_payload(call.request, call.signature)
    expected = expected_checksum(call.request.headers) if checked else None
    md5 = parse_content_md5(call.request.headers.get("content-md5"))
    if digest_needed and md5 is None and (expected is None):
        raise InvalidRequest("A Content-MD5 or an x-amz-checksum header is needed.")
    body = b"".join([chunk async for chunk in call.content(payload, MOST_BODY_BYTES)])

    def judged() -> Parsed:
        trailers = payload.finish()
        if expected is not None:
            running = expected.algorithm.start()
            running.update(body)
            expected.check(running.digest(), trailers)
        if md5 is not None and not hmac.compare_digest(_md5_of(body), md5):
            raise BadDigest()
        return parse(body)

    if len(body) <= _SMALL:
        return judged()
    return await BODIES.run(call.principal.org_id, judged)


async def keep(call: Call, wished: Algorithm | None = None) -> Kept:
    """Stages the body; what is not what it should be leaves nothing. `wished` is taken where none came."""
    request = call.request
    payload = open_payload(request, call.signature, caller_hashes=True)
    if (
        payload.length is None
        and request.content_length is None
        and "transfer-encoding" not in request.headers
    ):
        raise MissingContentLength()
    if (payload.length or 0) > MOST_CONTENT:
        raise EntityTooLarge()
    chunks = call.content(payload, MOST_CONTENT)
    return await keep_content(call, chunks, length=payload.length, finish=payload.finish, wished=wished)


async def keep_content(
    call: Call,
    chunks: AsyncIterator[bytes],
    *,
    length: int | None,
    finish: Callable[[str], Mapping[str, str]],
    wished: Algorithm | None = None,
) -> Kept:
    """Stages content. `finish` gets its SHA-256 in hex, gives the trailers, and may refuse it to the last."""
    request = call.request
    expected = expected_checksum(request.headers)
    md5 = parse_content_md5(request.headers.get("content-md5"))
    algorithm = expected.algorithm if expected is not None else wished
    running = None if algorithm is None else algorithm.start()
    checksums: dict[Algorithm, str] = {}

    def check(blob: Blob) -> None:
        trailers = finish(blob.sha256)
        if algorithm is not None and running is not None:
            digest = running.digest()
            checksums[algorithm] = _base64(digest) if expected is None else expected.check(digest, trailers)

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
    return Kept(staged, checksums)


async def give_up(call: Call, staged: Staged) -> None:
    """Discards what will not be used, to its end even when the caller is cancelled meanwhile."""
    await asyncio.shield(asyncio.create_task(call.repository.discard(staged)))


def _md5_of(body: bytes) -> str:
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


def _base64(digest: bytes) -> str:
    return base64.b64encode(digest).decode()
