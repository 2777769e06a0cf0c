"""The body of an upload, unwrapped: how it is framed is told by the signed x-amz-content-sha256.

Content is given on as it comes, so it is only provisional: nothing may be kept of it until `finish` returns.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Protocol

from builtin_plugins.s3.wire.errors import (
    IncompleteBody,
    InvalidArgument,
    InvalidRequest,
    MalformedTrailerError,
    SignatureDoesNotMatch,
    XAmzContentSHA256Mismatch,
)
from builtin_plugins.s3.wire.request import S3Request
from builtin_plugins.s3.wire.sigv4 import UNSIGNED_PAYLOAD, Signature, sign

_NOTHING = hashlib.sha256().hexdigest()
_MAX_HEADER_BYTES = 512
_MAX_TRAILER_BYTES = 16 * 1024
_TRAILER_SIGNATURE = "x-amz-trailer-signature"
_HEADER = re.compile(rb"([0-9a-fA-F]{1,15})(?:;chunk-signature=([0-9a-f]{64}))?")
_TRAILER_LINE = re.compile(r"([A-Za-z0-9-]++):[ \t]*+([\x21-\x7e]*+)[ \t]*+")
SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_CHUNKS_AND_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
UNSIGNED_CHUNKS_AND_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
_DIGEST = re.compile(r"[0-9a-fA-F]{64}")
_LENGTH = re.compile(r"[0-9]{1,15}")


class ChunkSignatures:
    """The chain of signatures over a streamed body: each signs the one before, the first the request's."""

    def __init__(self, seed: Signature) -> None:
        self._key, self._scope = seed.key, seed.scope
        self._previous = seed.value

    def after_chunk(self, content_sha256: str) -> str:
        return self._sign("AWS4-HMAC-SHA256-PAYLOAD", f"{_NOTHING}\n{content_sha256}")

    def after_trailer(self, canonical: bytes) -> str:
        return self._sign("AWS4-HMAC-SHA256-TRAILER", hashlib.sha256(canonical).hexdigest())

    def accept(self, expected: str, given: str) -> None:
        """Goes on from `expected` if it is what was given."""
        if not hmac.compare_digest(expected.encode(), given.encode()):
            raise SignatureDoesNotMatch("The signature of a chunk or of the trailer does not match.")
        self._previous = expected

    def _sign(self, kind: str, digests: str) -> str:
        return sign(self._key, f"{kind}\n{self._scope.timestamp}\n{self._scope}\n{self._previous}\n{digests}")


class ChunkedPayload:
    """`aws-chunked`: content in chunks with a header each, a chunk of nothing, then perhaps a trailer.

    Unwraps chunks of any size from pieces of any size; holds back no more than a header.
    """

    # In chunks of one byte each: some five thousand of them.
    at_once = 32 * 1024

    def __init__(
        self,
        length: int | None,
        signatures: ChunkSignatures | None,
        *,
        has_trailer: bool,
        announced: frozenset[str] = frozenset(),
    ) -> None:
        self.length = length
        self._signatures = signatures
        self._has_trailer = has_trailer
        self._announced = announced
        self._seen = 0
        self._left = 0
        self._line = b""
        self._closing_chunk = False
        self._ended = False
        self._rest = bytearray()
        self._signature = ""
        self._hash = hashlib.sha256()

    def feed(self, data: bytes) -> list[bytes]:
        if len(data) < self._left:
            return [self._take(data)] if data else []
        content: list[bytes] = []
        at = 0
        while at < len(data):
            if self._left:
                piece = data[at : at + self._left]
                at += len(piece)
                content.append(self._take(piece))
            elif self._ended:
                self._rest += data[at:]
                if len(self._rest) > _MAX_TRAILER_BYTES:
                    raise MalformedTrailerError()
                break
            else:
                at = self._read_line(data, at)
        return content

    def finish(self, content_sha256: str | None = None) -> Mapping[str, str]:
        """Checks the end; the digest is of no use here, as chunks carry their own signatures or none."""
        if not self._ended:
            raise IncompleteBody()
        if self.length is not None and self._seen != self.length:
            raise IncompleteBody()
        if self._has_trailer:
            return self._read_trailer(bytes(self._rest))
        if self._rest and self._rest != b"\r\n":
            raise InvalidRequest("There is something after the last chunk.")
        return {}

    def _take(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._signatures is not None:
            self._hash.update(piece)
        if not self._left:
            self._close_chunk()
            self._closing_chunk = True
        return piece

    def _read_line(self, data: bytes, at: int) -> int:
        """Reads up to a line's end, or keeps what there is of it; answers where to go on."""
        end = data.find(b"\n", at, at + _MAX_HEADER_BYTES)
        self._line += data[at : at + _MAX_HEADER_BYTES] if end < 0 else data[at : end + 1]
        if len(self._line) > _MAX_HEADER_BYTES or (end < 0 and len(data) - at >= _MAX_HEADER_BYTES):
            raise InvalidRequest("The header of a chunk is too long.")
        if end < 0:
            return len(data)
        line, self._line = self._line, b""
        if not line.endswith(b"\r\n"):
            raise InvalidRequest("The lines of a chunk end in CR LF.")
        self._read_header(line[:-2])
        return end + 1

    def _read_header(self, line: bytes) -> None:
        if self._closing_chunk:
            self._closing_chunk = False
            if line:
                raise InvalidRequest("A chunk is longer than its header says.")
            return
        header = _HEADER.fullmatch(line)
        if header is None or (self._signatures is not None and header[2] is None):
            raise InvalidRequest("The header of a chunk is malformed.")
        self._left = int(header[1], 16)
        self._seen += self._left
        if self.length is not None and self._seen > self.length:
            raise IncompleteBody()
        self._signature = (header[2] or b"").decode()
        if not self._left:
            self._close_chunk()
            self._ended = True

    def _close_chunk(self) -> None:
        if self._signatures is not None:
            expected = self._signatures.after_chunk(self._hash.hexdigest())
            self._signatures.accept(expected, self._signature)
            self._hash = hashlib.sha256()

    def _read_trailer(self, rest: bytes) -> Mapping[str, str]:
        """Reads the trailer; none is legal, unless signed headers promised one and chunks are signed."""
        if rest != b"\r\n" and not rest.endswith(b"\r\n\r\n"):
            raise IncompleteBody()
        trailers = _parse_trailer(rest)
        if self._signatures is not None:
            self._verify_trailer(self._signatures, trailers)
        return trailers

    def _verify_trailer(self, signatures: ChunkSignatures, trailers: dict[str, str]) -> None:
        given = trailers.pop(_TRAILER_SIGNATURE, None)
        if not self._announced <= trailers.keys():
            raise MalformedTrailerError()
        if trailers or given is not None:
            canonical = "".join(f"{name}:{value}\n" for name, value in trailers.items())
            signatures.accept(signatures.after_trailer(canonical.encode()), given or "")


def _parse_trailer(rest: bytes) -> dict[str, str]:
    """Parses lines that end in CR LF or, before a signature, in LF; empty ones stand for nothing."""
    trailers: dict[str, str] = {}
    for line in rest.decode("latin-1").replace("\r", "").split("\n"):
        if not line:
            continue
        parsed = _TRAILER_LINE.fullmatch(line)
        if parsed is None or parsed[1].lower() in trailers:
            raise MalformedTrailerError()
        trailers[parsed[1].lower()] = parsed[2]
    return trailers


class Payload(Protocol):
    """Takes the body in any pieces. A refusal may come from `feed` or from `finish`."""

    @property
    def at_once(self) -> int:
        """The number of bytes that take at most a few milliseconds to feed."""
        ...

    @property
    def length(self) -> int | None:
        """The length of the content, if the client says."""
        ...

    def feed(self, data: bytes) -> list[bytes]:
        """Returns the content in this piece of the body; a piece that is all content is not copied."""
        ...

    def finish(self, content_sha256: str | None = None) -> Mapping[str, str]:
        """Returns the trailers, by name in lower case, once the body has ended as it should.

        `content_sha256` is the content's digest in hex, where the caller has promised one.
        """
        ...


def open_payload(request: S3Request, signature: Signature, *, caller_hashes: bool = False) -> Payload:
    """Opens the payload; with `caller_hashes` the caller gives the SHA-256 to `finish`: one pass less."""
    payload_hash = signature.payload
    if payload_hash == UNSIGNED_PAYLOAD:
        return PlainPayload(request.content_length)
    if _DIGEST.fullmatch(payload_hash):
        return PlainPayload(request.content_length, payload_hash.lower(), caller_hashes=caller_hashes)
    if payload_hash not in (SIGNED_CHUNKS, SIGNED_CHUNKS_AND_TRAILER, UNSIGNED_CHUNKS_AND_TRAILER):
        raise InvalidArgument(
            f"x-amz-content-sha256 must be a SHA-256 in hex, {UNSIGNED_PAYLOAD}, {SIGNED_CHUNKS}, "
            f"{SIGNED_CHUNKS_AND_TRAILER} or {UNSIGNED_CHUNKS_AND_TRAILER}.",
            ArgumentName="x-amz-content-sha256",
        )
    return ChunkedPayload(
        _decoded_length(request),
        None if payload_hash == UNSIGNED_CHUNKS_AND_TRAILER else ChunkSignatures(signature),
        has_trailer=payload_hash != SIGNED_CHUNKS,
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
    trailer_names = request.extensions.get("x-amz-trailer", "")
    return frozenset(name.strip().lower() for name in trailer_names.split(",") if name.strip())


def _decoded_length(request: S3Request) -> int | None:
    """Streams of unknown length do not tell it; their last chunk ends them."""
    length = request.extensions.get("x-amz-decoded-content-length")
    if length is None:
        return None
    if not _LENGTH.fullmatch(length):
        raise InvalidRequest("x-amz-decoded-content-length is not a length.")
    return int(length)
