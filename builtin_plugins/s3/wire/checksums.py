"""The checksums that S3 clients send along: of one upload, of parts, and of an object made of parts."""

import base64
import hashlib
import hmac
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from builtin_plugins.s3.wire.errors import BadDigest, InvalidDigest, InvalidRequest


class Crc(NamedTuple):
    """`update` goes on from a running value; `combine` joins two values, with the second one's length."""

    width: int
    update: Callable[[bytes, int], int]
    combine: Callable[[int, int, int], int]


class RunningCrc:
    """A CRC with the face of a hashlib object."""

    def __init__(self, width: int, update: Callable[[bytes, int], int]) -> None:
        self._width = width
        self._update = update
        self._value = 0

    def update(self, data: bytes) -> None:
        self._value = self._update(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._width, "big")


PREFIX = "x-amz-checksum-"
# Beside the values themselves, these headers begin with the same words.
_NOT_VALUES = frozenset({"x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type"})


class RunningDigest(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class ChecksumType(StrEnum):
    """The type of a multipart object's checksum: over all its bytes, or over its parts' checksums."""

    FULL_OBJECT = "FULL_OBJECT"
    COMPOSITE = "COMPOSITE"


class Algorithm(StrEnum):
    CRC32 = "CRC32"
    CRC32C = "CRC32C"
    CRC64NVME = "CRC64NVME"
    SHA1 = "SHA1"
    SHA256 = "SHA256"

    @property
    def header(self) -> str:
        return PREFIX + self.value.lower()

    @property
    def element(self) -> str:
        return f"Checksum{self.value}"

    @property
    def size(self) -> int:
        """The length of a digest, in bytes."""
        return len(self.start().digest())

    def start(self) -> RunningDigest:
        if self is Algorithm.CRC32:
            return RunningCrc(4, _crc32)
        if self in _CYCLIC:
            cyclic = _native(self)
            return RunningCrc(cyclic.width, cyclic.update)
        return hashlib.sha256() if self is Algorithm.SHA256 else hashlib.sha1()  # noqa: S324 - the client chose

    @classmethod
    def parse(cls, name: str) -> "Algorithm":
        try:
            return cls(name.strip().upper())
        except ValueError:
            raise InvalidRequest(f"The checksum algorithm must be one of {', '.join(cls)}.") from None


_LONG = 64 * 1024
_CYCLIC = (Algorithm.CRC32, Algorithm.CRC32C, Algorithm.CRC64NVME)


@cache
def _native(algorithm: Algorithm) -> "Crc":
    """Returns a checksum of the library, which is imported at the first use: it is large, and few need it."""
    from awscrt import checksums as native  # type: ignore[import-untyped]

    if algorithm is Algorithm.CRC64NVME:
        return Crc(8, native.crc64nvme, native.combine_crc64nvme)
    if algorithm is Algorithm.CRC32C:
        return Crc(4, native.crc32c, native.combine_crc32c)
    return Crc(4, native.crc32, native.combine_crc32)


def _crc32(data: bytes, value: int) -> int:
    """Goes on from a running value: of long data by the library, which is eight times as fast."""
    return zlib.crc32(data, value) if len(data) < _LONG else _native(Algorithm.CRC32).update(data, value)


class ExpectedChecksum(NamedTuple):
    """`value` in base64 is None while it is still to come in the trailer, or is ours to take."""

    algorithm: Algorithm
    value: str | None

    def check(self, digest: bytes, trailers: Mapping[str, str]) -> str:
        """Returns the checksum in base64, if it is what the header and the trailer say."""
        found = encode_digest(digest)
        trailer = trailers.get(self.algorithm.header)
        if trailer is not None:
            _check_form(self.algorithm, trailer, "trailing header")
        for expected in (self.value, trailer):
            if expected is not None and not hmac.compare_digest(expected.encode(), found.encode()):
                raise BadDigest(f"The {self.algorithm} you specified did not match what we received.")
        return found


def expected_checksum(headers: Mapping[str, str]) -> ExpectedChecksum | None:
    """Reads from an upload's headers a value, a trailer, or the mere wish for an algorithm.

    The query of a link does not count: some clients put the checksum there of the body that they do not have
    yet.
    """
    named = _named_checksum(headers)
    chosen = headers.get("x-amz-sdk-checksum-algorithm")
    if named is None and chosen is not None:
        raise InvalidRequest(
            "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer "
            "headers were found."
        )
    if named is not None:
        if named.value is not None:
            _check_form(named.algorithm, named.value, "header")
        return named
    wished = headers.get("x-amz-checksum-algorithm")
    return None if not wished else ExpectedChecksum(Algorithm.parse(wished), None)


def expected_of_parts(headers: Mapping[str, str]) -> ExpectedChecksum | None:
    """Reads the checksum from a completion's headers; the value may end in the number of parts."""
    named = _named_checksum(headers)
    return None if named is None or named.value is None else named


def _named_checksum(headers: Mapping[str, str]) -> ExpectedChecksum | None:
    values = {}
    for header, value in headers.items():
        if header.startswith(PREFIX) and header not in _NOT_VALUES:
            values[header] = value
    names = {*values}
    if "x-amz-trailer" in headers:
        promised = map(str.strip, headers["x-amz-trailer"].lower().split(","))
        names |= {name for name in promised if name.startswith(PREFIX)}
    if len(names) > 1:
        raise InvalidRequest("Only one x-amz-checksum header or trailer is allowed.")
    for name in names:
        algorithm = Algorithm.parse(name.removeprefix(PREFIX))
        if headers.get("x-amz-sdk-checksum-algorithm", algorithm).strip().upper() != algorithm:
            raise InvalidRequest("Value for x-amz-sdk-checksum-algorithm header is invalid.")
        return ExpectedChecksum(algorithm, values.get(name))
    return None


def _check_form(algorithm: Algorithm, value: str, where: str) -> None:
    """Raises `InvalidRequest` for what is no digest of the algorithm in base64."""
    try:
        digest = base64.b64decode(value, validate=True)
    except ValueError:
        digest = b""
    if len(digest) != algorithm.size:
        raise InvalidRequest(f"Value for {algorithm.header} {where} is invalid.")


def encode_digest(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def multipart_type(algorithm: Algorithm, requested: str | None) -> ChecksumType:
    """Returns the type that the client asks for, if the algorithm can do it; else S3's default."""
    possible = _possible_types(algorithm)
    if requested is None:
        return possible[0]
    if requested not in possible:
        raise InvalidRequest(f"{algorithm} cannot be used with the checksum type {requested}.")
    return ChecksumType(requested)


def combined(algorithm: Algorithm, kind: ChecksumType, parts: Sequence[tuple[str, int]]) -> str:
    """Returns the checksum of an object from its parts' checksums in base64 and their lengths."""
    digests = [(base64.b64decode(value), length) for value, length in parts]
    if kind is ChecksumType.FULL_OBJECT:
        return encode_digest(_joined(_native(algorithm), digests))
    running = algorithm.start()
    running.update(b"".join(digest for digest, _ in digests))
    return f"{encode_digest(running.digest())}-{len(parts)}"


def multipart_etag(part_md5s: Iterable[str]) -> str:
    """Returns the MD5 of the parts' MD5s, and how many there were; without quotes."""
    digests = [bytes.fromhex(md5) for md5 in part_md5s]
    return f"{hashlib.md5(b''.join(digests), usedforsecurity=False).hexdigest()}-{len(digests)}"


def parse_content_md5(value: str | None) -> str | None:
    """Returns the MD5 in hex that Content-MD5 gives in base64."""
    if value is None:
        return None
    try:
        digest = base64.b64decode(value, validate=True)
    except ValueError:
        digest = b""
    if len(digest) != 16:
        raise InvalidDigest()
    return digest.hex()


def _possible_types(algorithm: Algorithm) -> tuple[ChecksumType, ...]:
    if algorithm is Algorithm.CRC64NVME:
        return (ChecksumType.FULL_OBJECT,)
    if algorithm in _CYCLIC:
        return (ChecksumType.COMPOSITE, ChecksumType.FULL_OBJECT)
    return (ChecksumType.COMPOSITE,)


def _joined(cyclic: Crc, digests: Sequence[tuple[bytes, int]]) -> bytes:
    value = 0
    for digest, length in digests:
        value = cyclic.combine(value, int.from_bytes(digest, "big"), length)
    return value.to_bytes(cyclic.width, "big")
