"""`aws-chunked`: content in chunks with a header each, then a chunk of nothing, then perhaps a trailer."""

import hashlib
import re
from collections.abc import Mapping

from builtin_plugins.s3.wire.chunk_signatures import ChunkSignatures
from builtin_plugins.s3.wire.errors import IncompleteBody, InvalidRequest, MalformedTrailerError

_MOST_HEADER_BYTES = 512
_MOST_TRAILER_BYTES = 16 * 1024
_TRAILER_SIGNATURE = "x-amz-trailer-signature"

_HEADER = re.compile(rb"([0-9a-fA-F]{1,15})(?:;chunk-signature=([0-9a-f]{64}))?")
_TRAILER_LINE = re.compile(r"([A-Za-z0-9-]++):[ \t]*+([\x21-\x7e]*+)[ \t]*+")


class ChunkedPayload:
    """Unwraps chunks of any size from pieces of any size; holds back no more than a header."""

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
                if len(self._rest) > _MOST_TRAILER_BYTES:
                    raise MalformedTrailerError()
                break
            else:
                at = self._read_line(data, at)
        return content

    def finish(self, content_sha256: str | None = None) -> Mapping[str, str]:
        """The digest is of no use here: chunks carry their own signatures or none."""
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
        end = data.find(b"\n", at, at + _MOST_HEADER_BYTES)
        self._line += data[at : at + _MOST_HEADER_BYTES] if end < 0 else data[at : end + 1]
        if len(self._line) > _MOST_HEADER_BYTES or (end < 0 and len(data) - at >= _MOST_HEADER_BYTES):
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
        """No trailer at all is legal, unless the signed headers promised one and chunks are signed."""
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
    """Lines end in CR LF or, before a signature, in LF; empty ones stand for nothing."""
    trailers: dict[str, str] = {}
    for line in rest.decode("latin-1").replace("\r", "").split("\n"):
        if not line:
            continue
        parsed = _TRAILER_LINE.fullmatch(line)
        if parsed is None or parsed[1].lower() in trailers:
            raise MalformedTrailerError()
        trailers[parsed[1].lower()] = parsed[2]
    return trailers
