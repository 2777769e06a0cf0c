"""The body of an upload, unwrapped: how it is framed is told by the signed x-amz-content-sha256.

Content is given on as it comes, so it is only provisional: nothing may be kept of it until `finish` returns.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Protocol

from builtin_plugins.s3.wire.chunk_signatures import ChunkSignatures
from builtin_plugins.s3.wire.chunked import ChunkedPayload
from builtin_plugins.s3.wire.claims import UNSIGNED_PAYLOAD
from builtin_plugins.s3.wire.errors import (
    IncompleteBody,
    InvalidArgument,
    InvalidRequest,
    XAmzContentSHA256Mismatch,
)
from builtin_plugins.s3.wire.request import S3Request
from builtin_plugins.s3.wire.sigv4 import Signature

SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_CHUNKS_AND_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
UNSIGNED_CHUNKS_AND_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"

_DIGEST = re.compile(r"[0-9a-fA-F]{64}")
_LENGTH = re.compile(r"[0-9]{1,15}")


class Payload(Protocol):
    """Takes the body in any pieces. A refusal may come from `feed` or from `finish`."""

    @property
    def at_once(self) -> int:
        """How many bytes take at most a few milliseconds to feed."""
        ...

    @property
    def length(self) -> int | None:
        """How long the content will be, if the client says."""
        ...

    def feed(self, data: bytes) -> list[bytes]:
        """The content in this piece of the body; a piece that is all content is passed on uncopied."""
        ...

    def finish(self, content_sha256: str | None = None) -> Mapping[str, str]:
        """The trailers, by name in lower case, once the body has ended as it should.

        `content_sha256` is the content's digest in hex, where the caller has promised one.
        """
        ...


def open_payload(request: S3Request, signature: Signature, *, caller_hashes: bool = False) -> Payload:
    """With `caller_hashes`, the caller takes the SHA-256 anyway and gives it to `finish`: one pass less."""
    told = signature.payload
    if told == UNSIGNED_PAYLOAD:
        return PlainPayload(request.content_length)
    if _DIGEST.fullmatch(told):
        return PlainPayload(request.content_length, told.lower(), caller_hashes=caller_hashes)
    if told not in (SIGNED_CHUNKS, SIGNED_CHUNKS_AND_TRAILER, UNSIGNED_CHUNKS_AND_TRAILER):
        raise InvalidArgument(
            f"x-amz-content-sha256 must be a SHA-256 in hex, {UNSIGNED_PAYLOAD}, {SIGNED_CHUNKS}, "
            f"{SIGNED_CHUNKS_AND_TRAILER} or {UNSIGNED_CHUNKS_AND_TRAILER}.",
            ArgumentName="x-amz-content-sha256",
        )
    return ChunkedPayload(
        _decoded_length(request),
        None if told == UNSIGNED_CHUNKS_AND_TRAILER else ChunkSignatures(signature),
        has_trailer=told != SIGNED_CHUNKS,
        announced=announced_trailers(request),
    )


class PlainPayload:
    """Content as it is, of the announced length and digest if there are any."""

    at_once = 1024 * 1024

    def __init__(self, length: int | None, sha256: str | None = None, *, caller_hashes: bool = False) -> None:
        self.length = length
        self._sha256 = sha256
        self._hash = hashlib.sha256() if sha256 is not None and not caller_hashes else None
        self._seen = 0

    def feed(self, data: bytes) -> list[bytes]:
        self._seen += len(data)
        if self.length is not None and self._seen > self.length:
            raise IncompleteBody()
        if self._hash is not None:
            self._hash.update(data)
        return [data] if data else []

    def finish(self, content_sha256: str | None = None) -> Mapping[str, str]:
        if self.length is not None and self._seen != self.length:
            raise IncompleteBody()
        if self._sha256 is not None:
            found = self._hash.hexdigest() if self._hash is not None else content_sha256
            if found is None:
                raise ValueError("the caller promised the digest of the content")
            if not hmac.compare_digest(found, self._sha256):
                raise XAmzContentSHA256Mismatch()
        return {}


def announced_trailers(request: S3Request) -> frozenset[str]:
    told = request.extensions.get("x-amz-trailer", "")
    return frozenset(name.strip().lower() for name in told.split(",") if name.strip())


def stored_encoding(content_encoding: str | None) -> str | None:
    """The Content-Encoding without `aws-chunked`, which is gone once the body is unwrapped."""
    codings = [coding.strip() for coding in (content_encoding or "").split(",")]
    return ", ".join(coding for coding in codings if coding and coding.lower() != "aws-chunked") or None


def _decoded_length(request: S3Request) -> int | None:
    """Streams of unknown length do not tell it; their last chunk ends them."""
    told = request.extensions.get("x-amz-decoded-content-length")
    if told is None:
        return None
    if not _LENGTH.fullmatch(told):
        raise InvalidRequest("x-amz-decoded-content-length is not a length.")
    return int(told)
