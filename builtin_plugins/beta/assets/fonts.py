"""Fonts: WOFF2 and WOFF, read through before they are taken."""

import base64
import binascii
import hashlib
import struct
import zlib
from dataclasses import dataclass, field

from guildhall_sdk import InvalidRequest, TooLarge

WOFF2, WOFF = "font/woff2", "font/woff"
CONTENT_TYPES = (WOFF2, WOFF)
EXTENSIONS = {WOFF2: "woff2", WOFF: "woff"}

_MAX_TABLES = 256
#: What a font may unpack to, in bytes.
_MAX_UNPACKED = 32 * 1024 * 1024
_FLAVOURS = frozenset({b"\x00\x01\x00\x00", b"OTTO", b"true"})
_WOFF2_HEADER = struct.Struct(">4s4sIHHIIHHIIIII")
_WOFF_HEADER = struct.Struct(">4s4sIHHIHHIIIII")
_WOFF_TABLE = struct.Struct(">4sIIII")
_ANY_TAG = 63
_GLYF, _LOCA = 10, 11


class _NotAFont(Exception):
    """Why bytes are not taken, in words that follow "the data"."""


@dataclass(frozen=True, slots=True)
class Font:
    """A font that was read through."""

    content_type: str
    digest: str
    size: int
    content: bytes = field(repr=False)


def read_font(content_type: str, data: str, max_bytes: int) -> Font:
    """Raises `TooLarge`, or `InvalidRequest` at what is wrong. Costs time: call it off the event loop."""
    content = _decoded(data, max_bytes)
    try:
        actual = _type_of(content)
    except (_NotAFont, struct.error, IndexError) as refusal:
        why = str(refusal) if isinstance(refusal, _NotAFont) else "is a font that is cut off"
        raise InvalidRequest.at("/data", why) from None
    if actual != content_type:
        raise InvalidRequest.at("/content_type", f"the data is {actual}, by its content")
    return Font(actual, hashlib.sha256(content).hexdigest(), len(content), content)


def _decoded(data: str, max_bytes: int) -> bytes:
    """Decodes base64, its length checked before, and only in the one canonical spelling."""
    too_large = TooLarge(f"A font may have {max_bytes // 1024} KiB; send a smaller one.", limit=max_bytes)
    if len(data) > (max_bytes + 2) // 3 * 4:
        raise too_large
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if not content or base64.b64encode(content).decode() != data:
        raise InvalidRequest.at("/data", "must be base64, padded and without line breaks")
    if len(content) > max_bytes:
        raise too_large
    return content


def _type_of(content: bytes) -> str:
    if content[:4] == b"wOF2":
        _check_woff2(content)
        return WOFF2
    if content[:4] == b"wOFF":
        _check_woff(content)
        return WOFF
    raise _NotAFont("is neither WOFF2 nor WOFF; convert the font first")


def _check_header(content: bytes, flavour: bytes, length: int, tables: int, unpacked: int) -> None:
    if flavour not in _FLAVOURS:
        raise _NotAFont("holds no single TrueType or OpenType font")
    if length != len(content):
        raise _NotAFont("is cut off, or goes on behind the end of its font")
    if not 1 <= tables <= _MAX_TABLES or not 12 + 16 * tables <= unpacked <= _MAX_UNPACKED:
        raise _NotAFont("is a font with a malformed header")


def _check_woff2(content: bytes) -> None:
    """Checks the header and the directory: the tables fill the file, and nothing is hidden behind them."""
    header = _WOFF2_HEADER.unpack_from(content)
    _, flavour, length, tables, reserved, unpacked, compressed, _, _, *beside = header
    _check_header(content, flavour, length, tables, unpacked)
    if reserved or any(beside):
        raise _NotAFont("carries metadata or private data; export the font without them")
    at, total = _WOFF2_HEADER.size, 12 + 16 * tables
    for _ in range(tables):
        at, size = _woff2_table(content, at)
        total += size
    end = at + compressed
    # What is compressed ends the file, up to a multiple of four.
    if not compressed or total > _MAX_UNPACKED or not end <= len(content) < end + 4:
        raise _NotAFont("is a font whose tables do not fill it")
    if content[end:].strip(b"\0"):
        raise _NotAFont("goes on behind the end of its font")


def _woff2_table(content: bytes, at: int) -> tuple[int, int]:
    """Reads one entry; returns where the next begins, and how long its table is once unpacked."""
    flags = content[at]
    kind, transform = flags & 63, flags >> 6
    at += 1 + (4 if kind == _ANY_TAG else 0)
    size, at = _base128(content, at)
    glyphs = kind in (_GLYF, _LOCA)
    if glyphs if transform == 0 else not (glyphs and transform == 3):
        _, at = _base128(content, at)
    return at, size


def _base128(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(5):
        byte = content[at + place]
        if place == 0 and byte == 0x80:
            break
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            return value, at + place + 1
    raise _NotAFont("is a font with a malformed directory")


def _check_woff(content: bytes) -> None:
    """Checks the header and every table: each unpacks to what it says, and they fill the file."""
    header = _WOFF_HEADER.unpack_from(content)
    _, flavour, length, tables, reserved, unpacked, _, _, *beside = header
    _check_header(content, flavour, length, tables, unpacked)
    if reserved or any(beside):
        raise _NotAFont("carries metadata or private data; export the font without them")
    begin = _WOFF_HEADER.size
    entries = [_WOFF_TABLE.unpack_from(content, begin + 20 * place) for place in range(tables)]
    end = begin + 20 * tables
    if sum(entry[3] for entry in entries) > _MAX_UNPACKED:
        raise _NotAFont("is a font with a malformed header")
    for _, offset, packed, original, _ in sorted(entries, key=lambda entry: entry[1]):
        if not end <= offset < end + 4 or content[end:offset].strip(b"\0"):
            raise _NotAFont("is a font whose tables do not fill it")
        end = offset + packed
        _check_table(content[offset:end], packed, original)
    if not end <= len(content) < end + 4 or content[end:].strip(b"\0"):
        raise _NotAFont("goes on behind the end of its font")


def _check_table(table: bytes, packed: int, original: int) -> None:
    if len(table) != packed or packed > original:
        raise _NotAFont("is a font that is cut off")
    if packed == original:
        return
    unpacking = zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(table, original + 1)
    except zlib.error:
        unpacked = b""
    if len(unpacked) != original or not unpacking.eof or unpacking.unused_data:
        raise _NotAFont("is a font with a table that does not unpack")
